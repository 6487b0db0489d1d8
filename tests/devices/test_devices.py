"""Devices are registered, tested by staff, and forgotten when their push service says that they are gone."""

from typing import Any

import pytest
from sqlalchemy import select, update

from ficha.accounts.accounts import Role
from ficha.devices.devices import DocumentLookup, PushSubscription
from ficha.fmd.entries import Entry
from tests.channels.push_service import PushService, SubscribedPhone, packed
from tests.world import CLAVE, Person, World

TEST = "/v1/push/test?identification_id=31555777"


def register(person: Person, phone: SubscribedPhone) -> None:
    answer = person.post("/v2/push/subscriptions", phone.subscription())
    assert answer.status_code == 201, answer.text


def owner_of_document(world: World) -> Person:
    ana = world.register()
    [code] = ana.data["attributes"]["product_codes"]
    personal = {"nombres": "Ana", "apellidos": "Pérez", "documento_numero": "V-31.555.777"}
    assert ana.put(f"/v2/fmd/{code}/personal", personal).status_code == 200
    return ana


def stored(world: World) -> list[int]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(PushSubscription.account_id).order_by(PushSubscription.id)))


def test_a_test_reaches_every_device_of_the_person(world: World, push: PushService) -> None:
    ana, luis, staff = owner_of_document(world), world.register(), world.somebody_with(Role.STAFF)
    phones = [push.phone(), push.phone()]
    for phone in phones:
        register(ana, phone)
    other = push.phone()
    register(luis, other)
    answer = staff.post(TEST)
    assert answer.status_code == 200 and answer.json()["data"] == {"devices": 2}, answer.text
    assert phones[0].shown == [], "nothing leaves while a request waits"
    world.run_jobs()
    for phone in phones:
        [shown] = phone.shown
        assert shown["title"] == "Notificación de prueba" and "Ana" not in str(shown)
        [headers] = phone.headers
        assert headers["content-type"] == "application/octet-stream" and headers["ttl"] == "3600"
    assert other.shown == []
    assert staff.post("/v1/push/test?identification_id=99999").json()["data"] == {"devices": 0}
    assert ana.post(TEST).status_code == 403


def test_the_person_is_found_by_a_hash_once_the_record_was_opened(world: World, push: PushService) -> None:
    ana, staff = owner_of_document(world), world.somebody_with(Role.STAFF)
    [code] = ana.data["attributes"]["product_codes"]
    register(ana, push.phone())

    def count_of(number: str) -> int:
        answer = staff.post(f"/v1/push/test?identification_id={number}")
        assert answer.status_code == 200, answer.text
        return int(answer.json()["data"]["devices"])

    assert count_of("31555777") == 1
    entry = update(Entry).where(Entry.model == "personal")
    with world.parts.database.writing() as tx:
        sealed = tx.orm.scalars(select(Entry.sealed).where(Entry.model == "personal")).one()
        tx.orm.execute(entry.values(sealed=b"not to be opened"))
    assert (count_of("31555777"), count_of("99999")) == (1, 0)
    with world.parts.database.writing() as tx:
        tx.orm.execute(entry.values(sealed=sealed))
    personal = {"nombres": "Ana", "apellidos": "Pérez", "documento_numero": "12.345.678"}
    assert ana.put(f"/v2/fmd/{code}/personal", personal).status_code == 200
    assert (count_of("31555777"), count_of("12345678")) == (0, 1)
    assert ana.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    with world.parts.database.reading() as tx:
        assert tx.orm.scalars(select(DocumentLookup)).all() == []


def test_the_browser_gets_the_key_with_which_we_sign(world: World, push: PushService) -> None:
    ana, staff = owner_of_document(world), world.somebody_with(Role.STAFF)
    told = world.client.get("/v2/push/key").json()["data"]["public_key"]
    phone = push.phone()
    register(ana, phone)
    staff.post(TEST)
    world.run_jobs()
    assert phone.headers[0]["authorization"].endswith(f"k={told}")
    assert len(told) == 87


@pytest.mark.parametrize("status", [404, 410])
def test_one_that_is_gone_is_forgotten(world: World, push: PushService, status: int) -> None:
    ana, staff, phone = owner_of_document(world), world.somebody_with(Role.STAFF), push.phone()
    register(ana, phone)
    phone.status = status
    staff.post(TEST)
    world.run_jobs()
    assert stored(world) == []


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_service_is_asked_again(world: World, push: PushService, status: int) -> None:
    ana, staff, phone = owner_of_document(world), world.somebody_with(Role.STAFF), push.phone()
    register(ana, phone)
    phone.status = status
    staff.post(TEST)
    world.run_jobs()
    assert stored(world) == [ana.id] and phone.shown == []
    phone.status = 201
    world.clock.move(minutes=1)
    world.run_jobs()
    assert len(phone.shown) == 1


def test_the_same_device_again_changes_hands_and_an_account_has_so_many(world: World, push: PushService) -> None:
    ana, luis, phone = world.register(), world.register(), push.phone()
    register(ana, phone)
    register(ana, phone)
    register(luis, phone)
    assert stored(world) == [luis.id]
    first = push.phone()
    register(ana, first)
    for _ in range(world.parts.settings.devices_per_account):
        world.clock.move(seconds=1)
        register(ana, push.phone())
    assert stored(world).count(ana.id) == world.parts.settings.devices_per_account
    with world.parts.database.reading() as tx:
        kept = [each.opened(world.parts.secrets).endpoint for each in tx.orm.scalars(select(PushSubscription))]
    assert first.address not in kept


def test_it_goes_with_the_account_and_is_never_stored_plain(world: World, push: PushService, tmp_path: Any) -> None:
    ana, phone = world.register(), push.phone()
    register(ana, phone)
    with world.parts.database.reading() as tx:
        sealed = tx.orm.scalars(select(PushSubscription.sealed)).one()
    assert phone.address.encode() not in sealed and packed(phone.auth).encode() not in sealed
    assert ana.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    assert stored(world) == []


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_what_is_no_browser_is_refused(world: World, push: PushService) -> None:
    ana, good = world.register(), push.phone().subscription()
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"endpoint": "http://169.254.169.254/latest"}, "servicio_push_desconocido"),
        ({"endpoint": "https://evil.example/x"}, "servicio_push_desconocido"),
        ({"keys": {"p256dh": packed(bytes(65)), "auth": good["keys"]["auth"]}}, "claves_push_invalidas"),
        ({"keys": {"p256dh": "x", "auth": "y"}}, ""),
    ]
    for change, code in wrong:
        answer = ana.post("/v2/push/subscriptions", good | change)
        assert answer.status_code == 422, answer.text
        assert not code or answer.json()["errors"][0]["code"] == code
    assert stored(world) == []
