"""Invitations of before: those of a former owner end, the others say who gave them."""

from importlib import import_module

import pytest
from sqlalchemy import select, text, update

from ficha.audit.log import Actor, note
from ficha.fmd.grants import Grant
from ficha.fmd.records import Record
from tests.fmd.test_hand_over import give, hand_over, offer, token_for
from tests.web.portal.page_session import again
from tests.world import Person, World

pytestmark = pytest.mark.oldest_postgresql

STATEMENTS = import_module("ficha.migrations.versions.20261118_01_hand_over")
RECEIVED = import_module("ficha.migrations.versions.20261119_72_received_records").RECEIVED


def test_pending_invitations_of_a_former_owner_end(world: World, ana: Person) -> None:
    owner, guest = world.register(), world.register()
    record_id = int(ana.data["attributes"]["fmd_code"])
    stale = offer(world, ana, guest.correo)
    world.clock.move(minutes=1)
    with world.parts.database.writing() as tx:
        note(tx, record_id, Actor("account", ana.id), "record.handed_over", [], world.clock.now())
    world.clock.move(minutes=1)
    since = offer(world, ana, guest.correo.replace("@", "+otra@"))
    good = offer(world, owner, guest.correo)
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Grant).values(offered_by=None))
        tx.orm.execute(text(STATEMENTS.END_STALE_INVITATIONS))
        tx.orm.execute(text(STATEMENTS.NAME_GIVERS))
        rows = {grant.id: grant for grant in tx.orm.scalars(select(Grant))}
        now = world.clock.now()
        assert {number: grant.ends_at > now for number, grant in rows.items()} == {
            stale: False,
            since: True,
            good: True,
        }
        assert (rows[since].offered_by, rows[good].offered_by) == (ana.id, owner.id)
    assert guest.post("/v2/fmd/grants/accept", {"token": token_for(world, guest)}).status_code == 200


def test_records_that_were_handed_over_before_come_after_one_s_own(world: World, ana: Person) -> None:
    world.clock.move(days=1)
    heir, waiting = world.register(), world.register()
    old = again(world, ana)
    hand_over(world, old, heir)
    give(world, heir, waiting, "owner")
    with world.parts.database.writing() as tx:
        tx.orm.execute(update(Record).values(received_at=None))
        tx.orm.execute(text(RECEIVED))
        received = tx.orm.scalars(select(Record.id).where(Record.received_at.is_not(None))).all()
    assert received == [int(ana.data["attributes"]["fmd_code"])]
    assert heir.get("/v2/auth/me").json()["data"]["attributes"]["fmd_code"] == heir.data["attributes"]["fmd_code"]
