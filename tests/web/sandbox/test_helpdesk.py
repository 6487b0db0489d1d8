"""The help desk on the sandbox page: somebody plays the agent beside the phone."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.web.sandbox.test_phones import SAME_ORIGIN
from tests.world import World, build_world, settings_for

MARIA = "+584125551111"


@pytest.fixture
def bridged(database_url: str, tmp_path: Path) -> Iterator[World]:
    """The service with a desk beside its phones."""
    world = build_world(settings_for(database_url, tmp_path / "data", chatwoot_bridge=True))
    world.listen()
    yield world
    world.close()


def post(world: World, **form: str) -> int:
    return world.client.post("/sandbox", data=form, headers=SAME_ORIGIN, follow_redirects=False).status_code


def settle(world: World) -> None:
    for _ in range(2):
        world.platform.wait_until_idle()
        world.run_jobs()


def test_an_agent_is_played_by_hand(bridged: World) -> None:
    bridged.platform.receive(from_=MARIA, text="<b>Hola</b>")
    settle(bridged)
    page = bridged.client.get("/sandbox").text
    assert "Mesa de ayuda" in page and "&lt;b&gt;Hola&lt;/b&gt;" in page and "<b>Hola</b>" not in page
    news = bridged.client.get("/sandbox/news").json()["news"]
    assert post(bridged, accion="responder", conversacion="1", texto="Dígame") == 303
    assert post(bridged, accion="nota", conversacion="1", texto="Parece grave") == 303
    assert post(bridged, accion="resolver", conversacion="1") == 303
    assert bridged.client.get("/sandbox/news").json()["news"] != news
    page = bridged.client.get("/sandbox").text
    assert "Nota privada" in page and "resuelta" in page and "Reabrir" in page
    conversation = bridged.platform.chatwoot.conversations[1]
    assert [(each.content, each.private) for each in conversation.messages[1:]] == [
        ("Dígame", False),
        ("Parece grave", True),
    ]


def test_what_is_wrong_at_the_desk_is_said(bridged: World) -> None:
    bridged.platform.receive(from_=MARIA, text="Hola")
    settle(bridged)
    assert post(bridged, accion="responder", conversacion="1", texto=" ") == 422
    assert post(bridged, accion="responder", conversacion="x", texto="Hola") == 400
    assert post(bridged, accion="resolver", conversacion="99") == 303  # It is gone: the page alone is shown again.


def test_a_desk_elsewhere_is_not_shown(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path / "data", chatwoot_base_url="http://127.0.0.1:9"))
    assert world.platform.url
    assert "no se muestran aquí" in world.client.get("/sandbox").text
    assert post(world, accion="resolver", conversacion="1") == 400
    world.close()
