"""Of those who accept an invitation or confirm a hand-over at once, one wins."""

from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest

from ficha.accounts.tokens import Caller
from ficha.core.errors import FichaError
from ficha.enrolment.confirm_hand_over import confirm_hand_over
from ficha.fmd.access import open_fmd
from ficha.fmd.invitations import accept
from tests.fmd.test_hand_over import code_of, give, offer, sees, states, token_for
from tests.gates import gates_in, wait_until_over_or_locked
from tests.world import Person, World

pytestmark = pytest.mark.oldest_postgresql


class Racer(Thread):
    """Does something in a transaction of its own, and remembers what became of it."""

    def __init__(self, world: World, name: str, what: Callable[[Any], Any]) -> None:
        super().__init__(name=name)
        self.world, self.what, self.outcome = world, what, ""

    def run(self) -> None:
        try:
            with self.world.parts.database.writing() as tx:
                self.what(tx)
            self.outcome = "done"
        except FichaError as error:
            self.outcome = error.code


def accepting(world: World, name: str, token: str, account_id: int) -> Racer:
    parts, now = world.parts, world.clock.now()
    return Racer(world, name, lambda tx: accept(tx, parts.keyring, parts.secrets, token, account_id, now, most=20))


def confirming(world: World, name: str, owner: Person, grant_id: int) -> Racer:
    parts, now = world.parts, world.clock.now()

    def confirm(tx: Any) -> None:
        fmd = open_fmd(tx, parts.keyring, Caller(owner.id, 0, "", frozenset()), code_of(owner), now)
        confirm_hand_over(tx, parts.keyring, fmd, grant_id, owner.id, now, most=20)

    return Racer(world, name, confirm)


def race(world: World, first: Racer, second: Racer, statement: str) -> tuple[str, str]:
    """The second begins while the first stands after this statement, and holds what it has locked."""
    gates = gates_in(world.parts.database)
    gate = gates.after(first.name, statement)
    first.start()
    gate.wait_for_thread()
    second.start()
    wait_until_over_or_locked(world.parts.database, second)
    gate.open()
    first.join()
    second.join()
    return first.outcome, second.outcome


def test_one_link_accepted_twice_at_once_lets_one_in(world: World, ana: Person) -> None:
    guest = world.register()
    offer(world, ana, guest.correo, "guardian")
    token = token_for(world, guest)
    racers = accepting(world, "first", token, guest.id), accepting(world, "second", token, guest.id)
    assert race(world, *racers, "UPDATE grants") == ("done", "invitacion_desconocida")
    assert states(ana, code_of(ana)) == {guest.correo: "accepted"}


@pytest.mark.parametrize("tipo", ["guardian", "owner"])
def test_who_accepts_while_the_record_is_handed_over_comes_too_late(world: World, ana: Person, tipo: str) -> None:
    heir, guest, code = world.register(), world.register(), code_of(ana)
    offer(world, ana, guest.correo, tipo)
    token = token_for(world, guest)
    given = give(world, ana, heir, "owner")
    racers = confirming(world, "confirm", ana, given), accepting(world, "accept", token, guest.id)
    assert race(world, *racers, "UPDATE grants") == ("done", "invitacion_desconocida")
    assert states(heir, code) == {} and not sees(guest, code)


def test_two_hand_overs_confirmed_at_once_give_the_record_to_one(world: World, ana: Person) -> None:
    first, second, code = world.register(), world.register(), code_of(ana)
    one, two = give(world, ana, first, "owner"), give(world, ana, second, "owner")
    racers = confirming(world, "first", ana, one), confirming(world, "second", ana, two)
    assert race(world, *racers, "UPDATE grants") == ("done", "ficha_no_encontrada")
    assert sees(first, code) and not sees(second, code)


def test_who_accepts_and_lets_in_before_the_hand_over_is_out_after_it(world: World, ana: Person) -> None:
    """The other way round: the guardian was in time, and is held like everybody."""
    heir, guest, code = world.register(), world.register(), code_of(ana)
    offer(world, ana, guest.correo, "guardian")
    token = token_for(world, guest)
    given = give(world, ana, heir, "owner")
    racers = accepting(world, "accept", token, guest.id), confirming(world, "confirm", ana, given)
    assert race(world, *racers, "UPDATE grants") == ("done", "done")
    assert states(heir, code) == {guest.correo: "held"} and not sees(guest, code)
