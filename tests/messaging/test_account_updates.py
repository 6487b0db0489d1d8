"""What the platform tells about our account acts at once, and what nobody understands can be seen."""

import pytest
from starlette.testclient import TestClient

from ficha.accounts.accounts import Role
from ficha.channels.messages import Template
from ficha.messaging.platform_account import faults_of
from tests.messaging.test_people import TEMPLATE, seconds, tell
from tests.messaging.webhook_notifications import enveloped, message, notify, value
from tests.world import World

pytestmark = pytest.mark.oldest_postgresql


def fits(world: World) -> bool:
    with world.parts.database.reading() as tx:
        return not faults_of(tx, Template("mensaje_pendiente", "es", body=["Hola"]))


def test_a_template_s_new_state_is_used_at_once(world: World) -> None:
    assert world.platform.url  # It runs from now on.
    world.do("whatsapp.plantillas")
    assert fits(world)
    tell(world, "message_template_status_update", TEMPLATE | {"event": "PAUSED"}, time=seconds(world))
    assert not fits(world)
    tell(world, "message_template_status_update", TEMPLATE | {"event": "APPROVED"}, time=seconds(world, -60))
    assert not fits(world), "that one is older"
    tell(world, "message_template_status_update", TEMPLATE | {"event": "APPROVED"}, time=seconds(world, 5))
    assert fits(world)


def test_quality_and_limits_show_in_the_connection_and_in_the_metrics(world: World) -> None:
    news = {"display_phone_number": "15550783881", "event": "FLAGGED", "current_limit": "TIER_1K"}
    tell(world, "phone_number_quality_update", news)
    tell(world, "account_update", {"event": "ACCOUNT_RESTRICTION"})
    staff = world.somebody_with(Role.STAFF)
    assert world.platform.url  # It runs from now on.
    shown = staff.get("/v2/whatsapp/test-connection").json()["data"]
    assert (shown["quality_event"], shown["messaging_limit"]) == ("FLAGGED", "TIER_1K")
    assert shown["account_event"] == "ACCOUNT_RESTRICTION"
    line = 'ficha_whatsapp_number_flagged{limit="TIER_1K",number="15550783881"} 1.0'
    assert line in TestClient(world.app, client=("127.0.0.1", 5000)).get("/metrics").text


def test_what_was_kept_and_not_understood_is_listed(world: World) -> None:
    tell(world, "telepathy", {"thought": "?"})
    world.clock.move(hours=1)
    notify(world, enveloped(value([message()], number="999000111222333")))
    notify(world, b'{"object": "whatsapp_business_account", "entry": 17}')
    notify(world, enveloped(value([message()])))
    world.run_jobs()
    staff, owner = world.somebody_with(Role.STAFF), world.somebody_with(Role.OWNER)
    path = "/v2/whatsapp/notifications"
    assert owner.get(path).status_code == 403
    found = staff.get(path).json()
    assert [one["attributes"]["kind"] for one in found["data"]] == ["unreadable", "foreign", "telepathy"]
    assert {one["attributes"]["state"] for one in found["data"]} == {"kept"}
    [one] = staff.get(path, params={"kind": "foreign"}).json()["data"]
    assert one["attributes"]["unreadable"] == 0
    since = world.clock.now().isoformat()
    assert len(staff.get(path, params={"since": since}).json()["data"]) == 2
    page = staff.get(path, params={"size": 2}).json()
    rest = staff.get(path, params={"size": 2, "cursor": page["meta"]["page"]["next"]}).json()
    assert [one["attributes"]["kind"] for one in rest["data"]] == ["telepathy"]
    notify(world, enveloped(value([message()])))
    [waiting] = staff.get(path, params={"state": "waiting"}).json()["data"]
    assert waiting["attributes"]["kind"] is None
