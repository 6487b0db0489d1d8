"""Notifications turned on and off on the account's page: the script of the page sends what its browser gives."""

from tests.channels.push_service import PushService
from tests.devices.test_devices import stored
from tests.web.portal.page_session import logged_in
from tests.world import World

PATH = "/app/mi-cuenta/avisos"


def test_a_device_is_turned_on_listed_and_turned_off(world: World, push: PushService) -> None:
    ana, luis = world.register(), world.register()
    user, phone, other = logged_in(world, ana), push.phone(), push.phone()
    page = user.get(PATH).text
    assert "Ninguno todavía" in page and world.client.get("/v2/push/key").json()["data"]["public_key"] in page

    def given(endpoint: str = phone.address, **changes: str) -> dict[str, str]:
        return {"do": "on", "endpoint": endpoint, **phone.subscription()["keys"]} | changes

    for wrong in ({"endpoint": "https://evil.example/x"}, {"p256dh": "x"}, {"auth": ""}, {"p256dh": "A" * 87}):
        assert user.submit(PATH, **given(**wrong)).headers["location"] == f"{PATH}?hecho=no"
    assert stored(world) == []
    assert user.submit(PATH, **given()).headers["location"] == f"{PATH}?hecho=activado"
    assert stored(world) == [ana.id] and "Ninguno todavía" not in user.get(PATH).text
    # Another's devices are neither seen nor removed.
    stranger = logged_in(world, luis)
    assert "Ninguno todavía" in stranger.get(PATH).text
    stranger.submit(PATH, do="off", endpoint=phone.address)
    stranger.submit(PATH, do="remove:1")
    assert stored(world) == [ana.id]
    user.submit(PATH, do="off", endpoint=phone.address)
    assert stored(world) == []
    keys = other.subscription()["keys"]
    user.submit(PATH, do="on", endpoint=other.address, **keys)
    [button] = [part for part in user.get(PATH).text.split('"') if part.startswith("remove:")]
    assert user.submit(PATH, do=button).headers["location"] == f"{PATH}?hecho=quitado"
    assert stored(world) == []
