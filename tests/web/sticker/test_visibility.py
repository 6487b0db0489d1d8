"""For any record and any consent, the page, the API and the sticker show all that the owner lets be seen, and nothing
else."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from sqlalchemy import select

from ficha.accounts.tokens import caller_with
from ficha.fmd.access import open_fmd
from ficha.fmd.entries import Entry
from ficha.fmd.offline.keys import signing_keys
from ficha.fmd.offline.packing import unpack
from ficha.fmd.offline.summary import offline_fragment
from tests.web.sticker.marked_records import (
    CAMPOS,
    SIGNS,
    MarkedRecord,
    catalogue_word,
    full_record,
    plain_terms,
    records_with_consent,
    words_found,
)
from tests.web.sticker.sticker import ScannedSticker, sticker_of
from tests.web.sticker.visibility_rule import MODEL_DOORS, Consent, PlaceOfFact, may_read
from tests.world import Person, World


@dataclass
class RecordReaders:
    """Who may read a record: a stranger with its sticker, the same after breaking the glass, a friend, the owner."""

    sticker: ScannedSticker
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

    def write(self, record: MarkedRecord, consent: Consent) -> None:
        """Replaces the whole record, then sets who may see what: only then do facts have ids."""
        self._patch(dict.fromkeys(MODEL_DOORS))
        if record.documents:
            self._patch(record.documents)
        kept = self.record_for(self.sticker.owner)
        rules = {}
        for key, door in consent.items():
            if isinstance(key, PlaceOfFact) and key.fact is not None:
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

    def get_data(self, who: Person, rest: str = "") -> Any:
        answer = self.world.reader.get(f"{self.path}{rest}", headers=who.headers)
        assert answer.status_code == 200
        return answer.json()["data"]

    def record_for(self, who: Person) -> dict[str, Any]:
        """Model and document, as the API gives the record."""
        models = self.get_data(who)["attributes"]["models"]
        return {model: entry["data"] for model, entry in models.items() if entry["data"]}

    def offline_text(self) -> str:
        """What the sticker holds, with more space than any QR has."""
        parts = self.world.parts
        now = self.world.clock.now()
        with parts.database.writing() as tx:
            caller = caller_with(tx, self.sticker.owner.token, now, staff_second_factor=False)
            assert caller is not None
            fmd = open_fmd(tx, parts.keyring, caller, self.sticker.code, now)
            fragment = offline_fragment(tx, parts.keyring, fmd, self.sticker.code, now, max_letters=1200)
            return unpack(fragment, {key.id: key.public for key in signing_keys(tx, parts.keyring)})

    def _patch(self, body: dict[str, Any]) -> None:
        answer = self.world.reader.patch(self.path, json=body, headers=self.sticker.owner.headers)
        assert answer.status_code == 200, answer.text


@pytest.fixture
def readers(world: World) -> RecordReaders:
    sticker = sticker_of(world)
    friend = world.register(nombre="Luis")
    body = {"correo": friend.correo, "tipo": "delegate", "hasta": (world.clock.now() + timedelta(days=1)).isoformat()}
    assert sticker.owner.post(f"/v2/fmd/{sticker.code}/grants", body).status_code == 201
    assert world.accept_invitation(friend).status_code == 200
    form = {"quien": "Dra. Molina", "motivo": "inconsciente"}
    broken = world.reader.post(f"{sticker.path}/mas", data=form, follow_redirects=False)
    assert broken.status_code == 303
    world.reader.cookies.clear()  # The cookie is sent only where the test says so.
    return RecordReaders(sticker, friend, broken.headers["set-cookie"].partition("=")[2].partition(";")[0])


def check_visibility(readers: RecordReaders, record: MarkedRecord, consent: Consent) -> None:
    readers.write(record, consent)
    words = list(record.words)
    readable = {
        door: {word for word, place in record.words.items() if may_read(door, place, consent)} for door in "RBP"
    }
    signs = {
        door: {sign for sign, places in record.signs.items() if any(may_read(door, place, consent) for place in places)}
        for door in "RB"
    }
    # Every reader sees all that she may see, and nothing else.
    assert words_found(readers.record_for(readers.sticker.owner), words) == readable["P"] == set(words)
    friend = readers.record_for(readers.friend)
    assert words_found(friend, words) == readable["B"]
    assert (
        words_found(readers.get_data(readers.friend, f"/models?names={','.join(MODEL_DOORS)}"), words) == readable["B"]
    )
    page, deeper = readers.page(), readers.page(ficha_glass=readers.glass)
    assert words_found(page, words) == readable["R"]
    assert words_found(deeper, words) == readable["B"]
    # The existence check does not mention a model of which nothing may be seen.
    assert set(readers.get_data(readers.friend, "/exists")["models"]) == friend.keys()
    lines = readers.offline_text()
    assert words_found(lines, words) <= readable["R"]
    if not lines.endswith("~"):
        assert record.urgent & readable["R"] <= words_found(lines, words)
    # Hidden facts cause no sign. At most six signs are shown, so some may be missing.
    for text, door in ((page, "R"), (deeper, "B"), (lines, "R")):
        assert words_found(text, SIGNS) <= signs[door]
        if len(signs[door]) == 1 and not lines.endswith("~"):
            assert words_found(text, SIGNS) == signs[door]


@pytest.mark.slow
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
@given(example=records_with_consent())
def test_any_consent_is_obeyed_everywhere(readers: RecordReaders, example: tuple[MarkedRecord, Consent]) -> None:
    check_visibility(readers, *example)


def test_a_full_record_with_every_model_at_one_door(readers: RecordReaders) -> None:
    for door in (None, "R", "B", "P"):
        check_visibility(readers, full_record(), dict.fromkeys(MODEL_DOORS, door) if door else {})


def test_an_empty_record_says_none_of_the_words_that_are_looked_for(readers: RecordReaders) -> None:
    readers.write(MarkedRecord(), {})
    terms = [
        catalogue_word(*term, model)
        for model, campo in (place.split("/") for place in CAMPOS)
        for term in plain_terms(model, campo)
    ]
    assert len(terms) > 300
    for text in (readers.page(), readers.page(ficha_glass=readers.glass), readers.offline_text()):
        assert words_found(text, [*terms, *SIGNS, "zq"]) == set()


def test_a_consent_that_does_not_open_closes_everything_everywhere(readers: RecordReaders) -> None:
    record = full_record()
    readers.write(record, {})
    with readers.world.parts.database.writing() as tx:
        damaged = select(Entry).where(Entry.model == "consentimiento", Entry.record_id == readers.record_id)
        entry = tx.orm.scalars(damaged).one()
        entry.sealed = entry.sealed[:-1] + bytes([entry.sealed[-1] ^ 1])
    for page in (readers.page(), readers.page(ficha_glass=readers.glass)):
        assert words_found(page, record.words) == set()
    for rest in ("", "/models", "/salud", "/exists"):
        answer = readers.world.reader.get(f"{readers.path}{rest}", headers=readers.friend.headers)
        assert words_found(answer.text, record.words) == set()
    listed = readers.world.reader.get("/v2/fmd", headers=readers.friend.headers)
    assert listed.status_code == 200 and words_found(listed.text, record.words) == set()
    params = {"code": readers.sticker.code, "kind": "hybrid"}
    printed = readers.world.client.get("/v2/generators/qr", params=params, headers=readers.sticker.owner.headers)
    assert printed.status_code >= 500, "better no sticker than one that shows too much"
