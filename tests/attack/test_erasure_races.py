"""Whoever leaves while a record is given to her, or a sticker to one of hers, leaves nothing alive behind."""

from typing import Any

import pytest
from sqlalchemy import func, select

from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.cards.carnets import issue_carnet
from ficha.enrolment.erasure import erase_account, erase_one_record
from ficha.enrolment.registration import NewRecord, open_further_record
from ficha.fmd.access import open_fmd
from ficha.fmd.invitations import accept
from ficha.fmd.record_codes import claim_for_caller
from ficha.fmd.records import Record
from ficha.products.codes import IssuedCode, issue_code
from ficha.products.product import IS_LIVE, Product
from tests.api.fmd.test_records import open_record
from tests.fmd.test_hand_over import code_of, give, offer, token_for
from tests.fmd.test_hand_over_races import Racer, confirming, race
from tests.world import Person, World

pytestmark = pytest.mark.oldest_postgresql


def caller_of(person: Person) -> Caller:
    return Caller(person.id, 0, "", frozenset())


def leaving(world: World, person: Person) -> Racer:
    parts, now = world.parts, world.clock.now()
    actor = Actor("account", person.id)
    return Racer(world, "leave", lambda tx: erase_account(tx, parts.keyring, person.id, actor, now))


def claiming(world: World, guardian: Person, record_id: int, sticker: IssuedCode) -> Racer:
    now, me = world.clock.now(), caller_of(guardian)
    return Racer(
        world,
        "claim",
        lambda tx: claim_for_caller(tx, me, sticker.code, now, most=20, tag=sticker.tag, fmd_code=record_id),
    )


def opening(world: World, person: Person, sticker: IssuedCode) -> Racer:
    parts, now, me = world.parts, world.clock.now(), caller_of(person)
    wanted = NewRecord("hija", sticker.code, sticker.tag)
    return Racer(world, "open", lambda tx: open_further_record(tx, parts.keyring, me, wanted, now, most=20))


def issuing(world: World, guardian: Person, code: str) -> Racer:
    parts, now, me = world.parts, world.clock.now(), caller_of(guardian)

    def issue(tx: Any) -> None:
        issue_carnet(tx, open_fmd(tx, parts.keyring, me, code, now), now, days=365, initials="A. P.")

    return Racer(world, "issue", issue)


def printed(world: World) -> IssuedCode:
    with world.parts.database.writing() as tx:
        return issue_code(tx, world.clock.now())


def left_alive(world: World) -> tuple[int, int]:
    """Records without an owner whose content can be read, and codes of records that were erased."""
    with world.parts.database.reading() as tx:
        nobodys = select(func.count()).where(Record.account_id.is_(None), Record.key_id.is_not(None))
        erased = select(func.count()).where(IS_LIVE, Product.record_id == Record.id, Record.erased_at.is_not(None))
        return tx.orm.scalar(nobodys) or 0, tx.orm.scalar(erased) or 0


def opens(world: World, sticker: IssuedCode) -> int:
    return world.client.get(f"/e/{sticker.code}/{sticker.tag}").status_code


def test_a_record_that_is_handed_to_who_leaves_goes_with_her(world: World, ana: Person) -> None:
    """The hand-over has her account when she asks to leave, and she waits for it."""
    heir = world.register()
    given = give(world, ana, heir, "owner")
    racers = confirming(world, "confirm", ana, given), leaving(world, heir)
    assert race(world, *racers, "UPDATE records") == ("done", "done")
    assert left_alive(world) == (0, 0) and world.account(heir.id) is None


def test_a_record_stays_with_its_owner_when_who_was_to_get_it_has_left(world: World, ana: Person) -> None:
    heir = world.register()
    given = give(world, ana, heir, "owner")
    racers = leaving(world, heir), confirming(world, "confirm", ana, given)
    assert race(world, *racers, "DELETE FROM kept_answers") == ("done", "no_encontrado")
    assert left_alive(world) == (0, 0)
    assert ana.get(f"/v2/fmd/{code_of(ana)}").status_code == 200


def test_who_gives_her_record_away_and_leaves_takes_the_one_that_she_got_instead(world: World, ana: Person) -> None:
    heir = world.register()
    given = give(world, ana, heir, "owner")
    racers = confirming(world, "confirm", ana, given), leaving(world, ana)
    assert race(world, *racers, "UPDATE records") == ("done", "done")
    assert left_alive(world) == (0, 0)
    assert heir.get(f"/v2/fmd/{code_of(ana)}").status_code == 200


@pytest.mark.parametrize("statement", ["INSERT INTO records", "UPDATE products"])
def test_a_record_that_is_opened_by_who_leaves_goes_with_her(world: World, ana: Person, statement: str) -> None:
    sticker = printed(world)
    assert race(world, opening(world, ana, sticker), leaving(world, ana), statement) == ("done", "done")
    assert left_alive(world) == (0, 0)
    assert opens(world, sticker) == 410


def test_who_has_left_opens_no_record(world: World, ana: Person) -> None:
    """Her token was good when her request came."""
    sticker = printed(world)
    racers = leaving(world, ana), opening(world, ana, sticker)
    assert race(world, *racers, "DELETE FROM kept_answers") == ("done", "no_autenticado")
    assert left_alive(world) == (0, 0)
    other = world.register()
    assert other.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag}).status_code == 200


def test_who_has_left_accepts_no_invitation(world: World, ana: Person) -> None:
    guest = world.register()
    offer(world, ana, guest.correo, "guardian")
    token, parts, now = token_for(world, guest), world.parts, world.clock.now()
    late = Racer(world, "accept", lambda tx: accept(tx, parts.keyring, parts.secrets, token, guest.id, now, most=20))
    assert race(world, leaving(world, guest), late, "DELETE FROM kept_answers") == ("done", "no_autenticado")


def test_a_sticker_given_to_a_record_that_is_erased_ends_with_it(world: World, ana: Person) -> None:
    guardian, sticker = world.register(), printed(world)
    give(world, ana, guardian, "guardian")
    racers = claiming(world, guardian, ana.data["attributes"]["fmd_code"], sticker), leaving(world, ana)
    assert race(world, *racers, "UPDATE products") == ("done", "done")
    assert left_alive(world) == (0, 0) and opens(world, sticker) == 410


def test_a_sticker_is_not_given_to_a_record_that_was_erased(world: World, ana: Person) -> None:
    """It stays free for whoever holds it."""
    guardian, sticker = world.register(), printed(world)
    give(world, ana, guardian, "guardian")
    racers = leaving(world, ana), claiming(world, guardian, ana.data["attributes"]["fmd_code"], sticker)
    assert race(world, *racers, "DELETE FROM kept_answers") == ("done", "ficha_ajena")
    assert left_alive(world) == (0, 0)
    assert guardian.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag}).status_code == 200


def test_a_carnet_issued_while_the_record_is_erased_ends_with_it(world: World, ana: Person) -> None:
    guardian = world.register()
    give(world, ana, guardian, "guardian")
    racers = issuing(world, guardian, code_of(ana)), leaving(world, ana)
    assert race(world, *racers, "INSERT INTO products") == ("done", "done")
    assert left_alive(world) == (0, 0)


def test_who_erases_a_record_and_her_account_at_once_is_never_refused(world: World, ana: Person) -> None:
    """Each would wait for what the other holds."""
    child = open_record(ana, nombres="Luis")["attributes"]["product_codes"][0]
    parts, now = world.parts, world.clock.now()
    one = Racer(
        world, "one", lambda tx: erase_one_record(tx, parts.keyring, caller_of(ana), child, now, origin="192.0.2.1")
    )
    assert race(world, one, leaving(world, ana), "SELECT accounts.id") == ("done", "done")
    assert left_alive(world) == (0, 0)


def test_two_hand_overs_across_are_both_done(world: World, ana: Person) -> None:
    """Each locks the account of who gets a record, in which the other opens one."""
    other = world.register()
    given, taken = give(world, ana, other, "owner"), give(world, other, ana, "owner")
    racers = confirming(world, "given", ana, given), confirming(world, "taken", other, taken)
    assert race(world, *racers, "UPDATE records") == ("done", "done")
    assert ana.get(f"/v2/fmd/{code_of(other)}").status_code == 200
    assert other.get(f"/v2/fmd/{code_of(ana)}").status_code == 200
