"""For any record and any consent, the page, the API and the sticker show what the owner lets be seen: all of it, and
nothing else."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import select

from ficha.accounts.tokens import caller_with
from ficha.fmd.access import open_fmd
from ficha.fmd.entries import Entry
from ficha.fmd.offline.fragments import offline_fragment
from ficha.fmd.offline.keys import signing_keys
from ficha.fmd.offline.packing import unpack
from tests.web.sticker.one_rule import (
    CAMPOS,
    MODEL_DOORS,
    SIGNS,
    Consent,
    Place,
    Planted,
    full_record,
    may_read,
    plain_terms,
    records_with_consent,
    spoken,
    told,
)
from tests.web.sticker.sticker import Sticker, sticker_of
from tests.world import Person, World


@dataclass
class Scene:
    """Somebody's sticker in a stranger's hand, once more after breaking the glass; and a friend who was let in."""

    sticker: Sticker
    friend: Person
    glass: str

    @property
    def world(self) -> World:
        return self.sticker.world

    @property
    def path(self) -> str:
        return f"/v2/fmd/{self.sticker.code}"

    @property
    def record_id(self) -> int:
        return int(self.sticker.owner.data["attributes"]["fmd_code"])

    def write(self, planted: Planted, consent: Consent) -> None:
        """The whole record anew, and then who may see what of it: only now do facts have names."""
        self._patch(dict.fromkeys(MODEL_DOORS))
        if planted.documents:
            self._patch(planted.documents)
        kept = self.of(self.sticker.owner)
        rules = {}
        for key, door in consent.items():
            if isinstance(key, Place) and key.fact is not None:
                fact = kept[key.model][key.field][key.fact]
                rules[f"{key.model}/{fact['id']}"] = door
            else:
                rules[str(key)] = door
        self._patch({"consentimiento": {"visibilidad": rules}})

    def page(self, **cookies: str) -> str:
        headers = {"Cookie": "; ".join(f"{name}={value}" for name, value in cookies.items())} if cookies else {}
        answer = self.world.reader.get(self.sticker.path, headers=headers)
        assert answer.status_code == 200
        return answer.text

    def asked(self, who: Person, rest: str = "") -> Any:
        answer = self.world.reader.get(f"{self.path}{rest}", headers=who.headers)
        assert answer.status_code == 200
        return answer.json()["data"]

    def of(self, who: Person) -> dict[str, Any]:
        """Model and document, as the API gives the record."""
        models = self.asked(who)["attributes"]["models"]
        return {model: entry["data"] for model, entry in models.items() if entry["data"]}

    def lines(self) -> str:
        """What the sticker carries, with more room than any QR has."""
        parts = self.world.parts
        now = self.world.clock.now()
        with parts.database.writing() as session:
            caller = caller_with(session, self.sticker.owner.token, now)
            assert caller is not None
            fmd = open_fmd(session, parts.keyring, caller, self.sticker.code, now)
            fragment = offline_fragment(session, parts.keyring, fmd, self.sticker.code, now, max_letters=1200)
            return unpack(fragment, {key.id: key.public for key in signing_keys(session, parts.keyring)})

    def _patch(self, body: dict[str, Any]) -> None:
        answer = self.world.reader.patch(self.path, json=body, headers=self.sticker.owner.headers)
        assert answer.status_code == 200, answer.text


@pytest.fixture
def scene(world: World) -> Scene:
    sticker = sticker_of(world)
    friend = world.register(nombre="Luis")
    body = {"correo": friend.correo, "tipo": "delegate", "hasta": (world.clock.now() + timedelta(days=1)).isoformat()}
    assert sticker.owner.post(f"/v2/fmd/{sticker.code}/grants", body).status_code == 201
    form = {"quien": "Dra. Molina", "motivo": "inconsciente"}
    broken = world.reader.post(f"{sticker.path}/mas", data=form, follow_redirects=False)
    assert broken.status_code == 303
    world.reader.cookies.clear()  # It goes along only where it is meant to.
    return Scene(sticker, friend, broken.headers["set-cookie"].partition("=")[2].partition(";")[0])


def hold_against_the_rule(scene: Scene, planted: Planted, consent: Consent) -> None:
    scene.write(planted, consent)
    words = list(planted.words)
    readable = {
        door: {word for word, place in planted.words.items() if may_read(door, place, consent)} for door in "RBP"
    }
    signs = {
        door: {
            sign for sign, places in planted.signs.items() if any(may_read(door, place, consent) for place in places)
        }
        for door in "RB"
    }
    # All of it and nothing else, whatever the way.
    assert told(scene.of(scene.sticker.owner), words) == readable["P"] == set(words)
    friend = scene.of(scene.friend)
    assert told(friend, words) == readable["B"]
    assert told(scene.asked(scene.friend, f"/models?names={','.join(MODEL_DOORS)}"), words) == readable["B"]
    page, deeper = scene.page(), scene.page(ficha_glass=scene.glass)
    assert told(page, words) == readable["R"]
    assert told(deeper, words) == readable["B"]
    # A model of which nothing may be seen is not even told to be there.
    assert set(scene.asked(scene.friend, "/exists")["models"]) == friend.keys()
    lines = scene.lines()
    assert told(lines, words) <= readable["R"]
    if not lines.endswith("~"):
        assert planted.urgent & readable["R"] <= told(lines, words)
    # Signs speak of facts in other words: of hidden ones in none. Of more than six some stay unsaid.
    for text, door in ((page, "R"), (deeper, "B"), (lines, "R")):
        assert told(text, SIGNS) <= signs[door]
        if len(signs[door]) == 1 and not lines.endswith("~"):
            assert told(text, SIGNS) == signs[door]


@settings(max_examples=25, deadline=None, suppress_health_check=list(HealthCheck))
@given(owned=records_with_consent())
def test_any_consent_is_obeyed_everywhere(scene: Scene, owned: tuple[Planted, Consent]) -> None:
    hold_against_the_rule(scene, *owned)


def test_a_full_record_with_every_model_at_one_door(scene: Scene) -> None:
    for door in (None, "R", "B", "P"):
        hold_against_the_rule(scene, full_record(), dict.fromkeys(MODEL_DOORS, door) if door else {})


def test_an_empty_record_says_none_of_the_words_that_are_looked_for(scene: Scene) -> None:
    scene.write(Planted(), {})
    terms = [
        spoken(*term, model)
        for model, campo in (place.split("/") for place in CAMPOS)
        for term in plain_terms(model, campo)
    ]
    assert len(terms) > 300
    for text in (scene.page(), scene.page(ficha_glass=scene.glass), scene.lines()):
        assert told(text, [*terms, *SIGNS, "zq"]) == set()


def test_a_consent_that_does_not_open_closes_everything_everywhere(scene: Scene) -> None:
    planted = full_record()
    scene.write(planted, {})
    with scene.world.parts.database.writing() as session:
        damaged = select(Entry).where(Entry.model == "consentimiento", Entry.record_id == scene.record_id)
        entry = session.scalars(damaged).one()
        entry.sealed = entry.sealed[:-1] + bytes([entry.sealed[-1] ^ 1])
    for page in (scene.page(), scene.page(ficha_glass=scene.glass)):
        assert told(page, planted.words) == set()
    for rest in ("", "/models", "/salud", "/exists"):
        answer = scene.world.reader.get(f"{scene.path}{rest}", headers=scene.friend.headers)
        assert told(answer.text, planted.words) == set()
    params = {"code": scene.sticker.code, "kind": "hybrid"}
    printed = scene.world.client.get("/v2/generators/qr", params=params, headers=scene.sticker.owner.headers)
    assert printed.status_code >= 500, "no sticker rather than one that says too much"
