"""A record that is handed over: its owner confirms who gets it, and the new one keeps who could open it before."""

from pydantic import Field

from ficha.accounts.accounts import Account
from ficha.api.examples import answer_example
from ficha.api.fmd.grants import EXAMPLE, GrantId, GrantOut, grant_out
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.enrolment.handing_over import confirm_hand_over
from ficha.fmd.hand_over import keep_access
from ficha.http.dependencies import CurrentCaller, Db, Now, Parts, Quotes, Reply
from ficha.http.envelope import Answer
from ficha.http.fmd_dependencies import CurrentFmd

operations = Operations("fmd", prefix="/fmd", door="bearer")


class HandedOver(DeferredModel):
    handed_over: bool = True
    nombre: str = Field(description="Whose the record is now.")


@operations.post(
    "/{code}/grants/{id}/confirm",
    "Confirm hand-over",
    errors=(403, 404, 422),
    example=answer_example({"handed_over": True, "nombre": "Luis Molina"}),
)
def confirm(
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    now: Now,
    reply: Reply,
    quotes: Quotes,
    grant_id: GrantId,
) -> "Answer[HandedOver]":
    """The owner confirms the account that accepted (`waiting`): the record is that person's at once, and for good.
    Every other invitation and every access ends; the new owner chooses whom to keep. To refuse it, withdraw it."""
    most = parts.settings.account_records
    heir = confirm_hand_over(db, parts.keyring, fmd, grant_id, caller.account_id, now, most=most)
    quotes(heir.id)
    return reply(HandedOver(nombre=heir.nombre))


@operations.post("/{code}/grants/{id}/keep", "Keep access", errors=(403, 404, 422), example=answer_example(EXAMPLE))
def keep(db: Db, fmd: CurrentFmd, now: Now, reply: Reply, quotes: Quotes, grant_id: GrantId) -> "Answer[GrantOut]":
    """The new owner of a record that was handed over lets somebody go on who could open it before (`held`)."""
    kept = keep_access(db, fmd, grant_id, now)
    quotes(kept.account_id)
    return reply(grant_out(kept, db.orm.get_one(Account, kept.account_id), fmd.key))
