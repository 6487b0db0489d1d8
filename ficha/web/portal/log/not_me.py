""" "This was not me": ends sessions, marks stickers lost and withdraws access, whichever of them is ticked, at once."""

from collections.abc import Mapping
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import revoke_all
from ficha.audit.chain import AuditEntry
from ficha.audit.log import entries_of
from ficha.core.errors import NotFound
from ficha.fmd.access import OpenFmd
from ficha.fmd.grants import live_grants
from ficha.fmd.invitations import address_of, end_access
from ficha.fmd.record_codes import CodeEnded, CodeUnknown, end_code, leave_a_code, sticker_name
from ficha.http.dependencies import CurrentCaller, Db, Now, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.products.product import ProductState
from ficha.products.scans import scanned_code
from ficha.products.statements import live_codes
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.log.who_looked import LogReader

PHRASES = page_texts("portal", "who_looked")

routes = signed_in_routes("/app")

SESSIONS, STICKER, GRANT = "sesiones", "etiqueta.", "acceso."


@dataclass(frozen=True)
class Closable:
    """Something that can be closed: the name of its tick, its words, and whether the entry points to it."""

    name: str
    words: str
    is_ticked: bool


@routes.page("/{code}/no-fui-yo")
def not_me_page(
    request: Request, reading: Reading, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    """`de` is an entry of the log: what it came by is ticked already."""
    fmd = opened.fmd
    fmd.must_manage()
    opened.note("log.read", [], now)
    language = language_of(request)
    t = translator(language, PHRASES)
    entry = _entry(reading, fmd, request.query_params.get("de", ""))
    sentence = ""
    if entry is not None:
        sentence = LogReader.of(request, reading, fmd, caller.account_id, [entry], now).sentence(entry)
    by = "" if entry is None else entry.actor
    scanned = "" if entry is None else scanned_code(entry.what)
    stickers = []
    for product in live_codes(reading, [fmd.id]):
        words = sticker_name(product, fmd.key)
        named = f"«{words}» ({product.code})" if words else product.code
        ticked = product.code == scanned
        stickers.append(Closable(f"{STICKER}{product.code}", t("lose_sticker", sticker=named), ticked))
    grants = []
    for grant, account in live_grants(reading, fmd.id, now):
        if grant.account_id == caller.account_id:
            continue
        who = t("invited", address=address_of(grant, fmd.key)) if account is None else account.nombre or account.correo
        ticked = account is not None and by == f"account:{account.id}"
        grants.append(Closable(f"{GRANT}{grant.id}", t("withdraw", name=who), ticked))
    return show(
        request,
        "portal/log/not_me.html",
        PHRASES,
        code=code,
        sentence=sentence,
        sessions=Closable(SESSIONS, t("end_sessions"), by == f"account:{caller.account_id}"),
        stickers=stickers,
        grants=grants,
        done=_done(request.query_params),
    )


@routes.post("/{code}/no-fui-yo")
def close(
    request: Request, db: Db, caller: CurrentCaller, fmd: CurrentFmd, now: Now, form: PostedForm, code: str
) -> Response:
    """By the functions of the API, all in one transaction."""
    fmd.must_manage()
    stickers = grants = 0
    for name in form:
        try:
            if name.startswith(STICKER) and len(name) < 40:
                end_code(db, caller, name.removeprefix(STICKER), ProductState.LOST, now)
                stickers += 1
            elif name.startswith(GRANT) and name.removeprefix(GRANT).isdecimal() and len(name) < 24:
                end_access(db, fmd, int(name.removeprefix(GRANT)), now)
                grants += 1
        except (CodeUnknown, CodeEnded, NotFound):  # It ended meanwhile, or never was hers.
            continue
    if SESSIONS in form:
        revoke_all(db, caller.account_id, but=caller.token_id)
    live = {product.code for product in live_codes(db, [fmd.id])}
    left = leave_a_code(db, fmd.id, fmd.actor, now)
    where = code if code.upper() in live else left
    told = f"hecho=1&sesiones={int(SESSIONS in form)}&etiquetas={stickers}&accesos={grants}&nuevo={int(not live)}"
    return go_to(request, f"/app/{where}/no-fui-yo?{told}")


def _entry(reading: Reading, fmd: OpenFmd, number: str) -> AuditEntry | None:
    """The entry with this number in the record's own log."""
    if not number.isdecimal() or len(number) > 9:
        return None
    found = entries_of(reading, fmd.id, AuditEntry.seq == int(number), limit=1)
    return found[0] if found else None


def _done(asked: Mapping[str, str]) -> dict[str, int] | None:
    """What was closed, for the page after it; None on the page before."""
    if asked.get("hecho") != "1":
        return None
    return {
        name: int(asked[name]) if asked.get(name, "").isdecimal() and len(asked[name]) < 4 else 0
        for name in ("sesiones", "etiquetas", "accesos", "nuevo")
    }
