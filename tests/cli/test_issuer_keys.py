"""The keys that sign Health Cards, as an operator replaces and withdraws them while the service runs."""

from pathlib import Path

import pytest

from ficha.exchange.health_cards.reading import CardKeyUnknown
from ficha.exchange.issuer_keys import LEAD, add_issuer_key
from tests.api.fmd.test_fmd import patch
from tests.exchange.health_cards.test_health_cards import card_of, keys, verify
from tests.exchange.samples import SMALL
from tests.processes import environment, ficha
from tests.world import World


@pytest.fixture
def env(world: World) -> dict[str, str]:
    settings = world.parts.settings
    return environment(settings.database, settings.data_dir)


def published(world: World) -> list[str]:
    return [key["kid"] for key in keys(world)["keys"]]


def test_a_new_key_is_published_before_it_signs(world: World, env: dict[str, str]) -> None:
    world.clock.catch_up()
    ana = world.register(nombre="Ana Pérez")
    patch(ana, "", SMALL)
    card = card_of(ana)
    said = " ".join(ficha("keys", "add-issuer", env=env).stderr.split())
    [old, new] = published(world)
    assert card.kid == old and f"New issuer key {new}" in said and f"until then {old} does" in said
    patch(ana, "", {"cuerpo": {"grupo_sanguineo": "O-"}})
    assert card_of(ana).kid == old, "nobody has heard of the new one yet"
    assert LEAD.days == 1


def test_a_stolen_key_is_withdrawn(world: World, env: dict[str, str]) -> None:
    world.clock.catch_up()
    ana = world.register(nombre="Ana Pérez")
    card = card_of(ana)
    mistyped = ficha("keys", "withdraw-issuer", "unknown", env=env, check=False)
    assert mistyped.returncode == 1 and "unknown" in mistyped.stderr and "Traceback" not in mistyped.stderr
    assert card.kid in ficha("keys", "withdraw-issuer", card.kid, env=env).stderr
    assert card.kid not in published(world)
    with pytest.raises(CardKeyUnknown):
        verify(world, card)
    verify(world, card_of(ana))


@pytest.mark.parametrize("command", ["add-issuer", "withdraw-issuer"])
def test_each_explains_itself(command: str, tmp_path: Path) -> None:
    assert f"Example: ficha keys {command}" in ficha("keys", command, "--help", env=environment("", tmp_path)).stdout


def test_no_name_of_a_key_begins_like_an_option(world: World) -> None:
    """One in 64 would: `ficha keys withdraw-issuer -x3…` is refused before it is read."""
    with world.parts.database.writing() as tx:
        names = {add_issuer_key(tx, world.parts.keyring, world.clock.now()).kid for _ in range(500)}
    assert len(names) == 500
    assert not [name for name in names if name.startswith("-")]
