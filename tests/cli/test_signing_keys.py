"""The keys that sign stickers, as an operator replaces and forgets them while the service runs."""

from pathlib import Path

import pytest

from ficha.fmd.offline.keys import LEAD
from ficha.fmd.offline.packing import HEAD_BYTES, KeyUnknown, from_base41
from ficha.web.sticker.offline_viewer import KEYS
from tests.api.products.test_qr import QR, filled, opened, own_code, scanned_svg
from tests.processes import environment, ficha
from tests.world import Person, World


@pytest.fixture
def env(world: World) -> dict[str, str]:
    settings = world.parts.settings
    return environment(settings.database, settings.data_dir)


def published(world: World) -> list[str]:
    return [key["kid"] for key in world.client.get(KEYS).json()["keys"]]


def printed(world: World, person: Person) -> str:
    """What a camera reads on a sticker that is printed now. The session of the last one may have ended long ago."""
    token = {"Authorization": f"Bearer {world.token_for(person.id)}"}
    answer = world.client.get(QR, params={"code": own_code(person), "kind": "hybrid"}, headers=token)
    assert answer.status_code == 200, answer.text
    return scanned_svg(answer.text).text


def signer(link: str) -> str:
    return from_base41(link.partition("#")[2])[1:HEAD_BYTES].hex()


def test_a_new_key_signs_after_a_week_and_old_stickers_stay_good(
    world: World, ana: Person, env: dict[str, str]
) -> None:
    filled(ana)
    # The command goes by the machine's clock.
    world.clock.catch_up()
    world.clock.move(hours=-1)
    old_sticker = printed(world, ana)
    [old] = published(world)
    said = " ".join(ficha("keys", "add-signing", env=env).stderr.split())
    [_, new] = published(world)
    assert f"New signing key {new}, published now." in said and f"until then {old} does" in said
    world.clock.move(seconds=3600)
    assert signer(printed(world, ana)) == old, "phones have not heard of the new one yet"
    world.clock.move(days=LEAD.days, minutes=5)
    new_sticker = printed(world, ana)
    assert (signer(old_sticker), signer(new_sticker)) == (old, new)
    assert published(world) == [old, new]
    # What fits beside the signs depends on the day, which is in the first line.
    old_signs, new_signs = (
        [line for line in opened(world, sticker) if line.startswith("!")] for sticker in (old_sticker, new_sticker)
    )
    assert "!{Epilepsia}" in old_signs and old_signs == new_signs


def test_a_stolen_key_is_forgotten_and_its_stickers_are_refused(world: World, ana: Person, env: dict[str, str]) -> None:
    said = " ".join(ficha("keys", "add-signing", env=env).stderr.split())
    [stolen] = published(world)
    assert f"New signing key {stolen}" in said and "signs from now on" in said, "the first waits for nobody"
    sticker = printed(world, ana)
    assert signer(sticker) == stolen
    mistyped = ficha("keys", "forget-signing", "00000000", env=env, check=False)
    assert mistyped.returncode == 1 and "00000000" in mistyped.stderr and "Traceback" not in mistyped.stderr
    assert published(world) == [stolen]
    assert stolen in ficha("keys", "forget-signing", stolen, env=env).stderr
    assert stolen not in published(world)
    with pytest.raises(KeyUnknown):
        opened(world, sticker)
    assert opened(world, printed(world, ana))[0].startswith(own_code(ana)), "others are printed at once"


@pytest.mark.parametrize("command", ["add-signing", "forget-signing"])
def test_each_explains_itself_with_an_example(command: str, tmp_path: Path) -> None:
    assert f"Example: ficha keys {command}" in ficha("keys", command, "--help", env=environment("", tmp_path)).stdout
