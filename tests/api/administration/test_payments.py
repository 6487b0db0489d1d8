"""The signed notification of a payment activates a subscription, once."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import admin_changes
from ficha.administration.payments import Payment
from ficha.core.key_sources import create_key_file
from ficha.core.settings import laptop_values
from ficha.sandbox.chatwoot.webhooks import signature
from tests.api.administration.test_subscription import PATH, told
from tests.web.portal.page_session import again
from tests.world import PRODUCTION, Person, World, build_world, settings_for

HOOK = "/v2/webhook/payments"


def notice(person_id: int, **changes: Any) -> dict[str, Any]:
    return {"id": "pago-1", "subscription_id": person_id, "plan": "personal"} | changes


def headers_for(world: World, body: bytes, *, secret: str | None = None, seconds: int = 0) -> dict[str, str]:
    at = str(int(world.clock.now().timestamp()) + seconds)
    signed = signature(secret or world.parts.settings.payment_key, at, body)
    return {"X-Payment-Timestamp": at, "X-Payment-Signature": signed, "Content-Type": "application/json"}


def tell(world: World, told_of: Any, **how: Any) -> Response:
    body = json.dumps(told_of).encode()
    return world.client.post(HOOK, content=body, headers=headers_for(world, body, **how))


def ends_of(person: Person) -> datetime:
    return datetime.fromisoformat(told(person)["ends_at"])


def test_a_payment_activates_once_and_another_extends(world: World, ana: Person) -> None:
    ana.post(PATH, {"plan": "personal"})
    assert tell(world, notice(ana.id)).json()["data"] == {"received": True}
    ends = world.clock.now() + timedelta(days=30)
    assert (told(ana)["state"], ends_of(ana)) == ("active", ends)
    assert tell(world, notice(ana.id)).status_code == 200
    assert tell(world, notice(ana.id, periods=12)).status_code == 200
    assert ends_of(ana) == ends, "told again it changes nothing"
    assert tell(world, notice(ana.id, id="pago-2", periods=2)).status_code == 200
    assert ends_of(ana) == ends + timedelta(days=60)
    with world.parts.database.reading() as tx:
        newest, *_ = admin_changes(tx, before_id=MAX_ID, limit=9, kind="subscription", target=str(ana.id))
    assert (newest.actor, newest.after["payment"]) == ("payment", "pago-2")


def test_payments_told_at_once_count_once_each(world: World, ana: Person) -> None:
    ana.post(PATH, {"plan": "personal"})
    ids = ["pago-1", "pago-2", "pago-1", "pago-3", "pago-2", "pago-1"]
    with ThreadPoolExecutor(len(ids)) as pool:
        answers = list(pool.map(lambda name: tell(world, notice(ana.id, id=name)), ids))
    assert [answer.status_code for answer in answers] == [200] * len(ids)
    assert (told(ana)["state"], ends_of(ana)) == ("active", world.clock.now() + timedelta(days=90))


def test_whoever_pays_late_or_for_another_plan_gets_what_she_paid_for(world: World, ana: Person) -> None:
    ana.post(PATH, {"plan": "personal"})
    tell(world, notice(ana.id))
    paid_until = ends_of(ana)
    world.clock.move(days=33)
    ana = again(world, ana)
    assert told(ana)["state"] == "past_due"
    tell(world, notice(ana.id, id="pago-2"))
    assert (told(ana)["state"], ends_of(ana)) == ("active", paid_until + timedelta(days=30))
    tell(world, notice(ana.id, id="pago-3", plan="cuidador"))
    assert told(ana)["plan"] == "cuidador" and ends_of(ana) == world.clock.now() + timedelta(days=365)
    world.clock.move(days=400)
    ana = again(world, ana)
    assert told(ana)["state"] == "expired"
    tell(world, notice(ana.id, id="pago-4"))
    assert (told(ana)["state"], ends_of(ana)) == ("active", world.clock.now() + timedelta(days=30))


def test_a_payment_that_nobody_can_match_is_noted_without_effect(world: World, ana: Person) -> None:
    assert tell(world, notice(ana.id)).status_code == 200, "she asked for nothing"
    assert tell(world, notice(2**62, id="pago-2")).status_code == 200
    ana.post(PATH, {"plan": "personal"})
    assert tell(world, notice(ana.id, id="pago-3", plan="oro")).status_code == 200
    assert tell(world, notice(ana.id)).status_code == 200, "of the first one it is too late to make something"
    assert told(ana)["state"] == "requested"
    with world.parts.database.reading() as tx:
        kept = {row.id: row.is_applied for row in tx.orm.scalars(select(Payment))}
        noted = [change.action for change in admin_changes(tx, before_id=MAX_ID, limit=9, kind="subscription")]
    assert kept == {"pago-1": False, "pago-2": False, "pago-3": False}
    assert noted == ["unmatched", "created", "unmatched", "unmatched"]


def test_only_a_fresh_signature_over_the_very_bytes_counts(world: World, ana: Person) -> None:
    ana.post(PATH, {"plan": "personal"})
    body = json.dumps(notice(ana.id)).encode()
    good = headers_for(world, body)
    wrong = [
        {},
        {"X-Payment-Signature": good["X-Payment-Signature"]},
        {"X-Payment-Timestamp": good["X-Payment-Timestamp"]},
        good | {"X-Payment-Timestamp": str(int(good["X-Payment-Timestamp"]) + 1)},
        good | {"X-Payment-Signature": "sha256=0"},
        headers_for(world, body, secret="another"),
        headers_for(world, body, seconds=-301),
        headers_for(world, body, seconds=301),
        headers_for(world, body + b" "),
        ana.headers,
    ]
    before = world.rows()
    for headers in wrong:
        answer = world.client.post(HOOK, content=body, headers=headers)
        assert (answer.status_code, answer.json()["errors"][0]["code"]) == (401, "firma_de_pago_incorrecta"), headers
    assert world.rows() == before and told(ana)["state"] == "requested"
    assert world.client.post(HOOK, content=body, headers=good).status_code == 200


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    "changes",
    [{"id": ""}, {"id": "x" * 101}, {"subscription_id": 0}, {"subscription_id": "1"}, {"periods": 25}, {"más": 1}],
)
def test_what_is_signed_and_no_notification_is_refused(world: World, changes: dict[str, Any]) -> None:
    assert tell(world, notice(1, **changes)).status_code == 422


def test_what_is_signed_and_no_json_is_refused(world: World) -> None:
    for body in (b"", b"{", b"[]", b'"x"', b"\xff"):
        answer = world.client.post(HOOK, content=body, headers=headers_for(world, body))
        assert answer.status_code in (400, 422), body


@pytest.fixture
def production(tmp_path: Path) -> Iterator[World]:
    create_key_file(tmp_path / "keys.json", made_for="production")
    world = build_world(settings_for("", tmp_path, **PRODUCTION), has_database=False)
    yield world
    world.close()


def test_in_production_no_payment_is_taken_without_a_secret(production: World) -> None:
    body = json.dumps(notice(1)).encode()
    for secret in ("sandbox-payments-secret", "x"):
        headers = headers_for(production, body, secret=secret)
        assert production.client.post(HOOK, content=body, headers=headers).status_code == 401


def test_a_secret_that_can_be_guessed_is_refused_in_production(tmp_path: Path) -> None:
    assert laptop_values(settings_for("", tmp_path, **PRODUCTION)) == []
    [fault] = laptop_values(settings_for("", tmp_path, **PRODUCTION, payments_secret="short"))
    assert "FICHA_PAYMENTS_SECRET" in fault
