"""Whatever people type into the forms, without scripts, is what the API reads: every field of every model."""

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ficha.fmd.base import FmdModel
from ficha.fmd.catalog import CATALOG
from tests.fmd.documents import TODAY
from tests.web.portal.forms.form_answers import FormAnswer, answers
from tests.web.portal.forms.form_filling import ShownForm, filled, send, without_server_values
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import Person, World, build_world, settings_for

EXAMPLES = 150 if os.environ.get("FICHA_STORM") else 4


class Filler(NamedTuple):
    world: World
    person: Person
    user: PageUser
    code: str

    def read(self, address: str) -> Any:
        answer = self.world.reader.get(address, headers=self.person.headers)
        assert answer.status_code == 200, answer.text
        return answer.json()["data"]["attributes"]


@pytest.fixture(scope="module")
def filler(sqlite_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Filler]:
    """One service and one record for all: each example begins by emptying its model."""
    folder = tmp_path_factory.mktemp("forms")
    shutil.copy(sqlite_file, folder / "ficha.db")
    world = build_world(settings_for(f"sqlite:///{folder / 'ficha.db'}", folder / "data"))
    ana = world.register(nombre="Ana Pérez", relacion="titular")
    yield Filler(world, ana, logged_in(world, ana), str(ana.data["attributes"]["product_codes"][0]))
    world.close()


def confirmed_today(document: dict[str, Any]) -> dict[str, Any]:
    """What the service adds to a new fact of which nobody says when and by whom it was confirmed."""
    added = {"confirmado_en": TODAY.isoformat(), "fuente": "titular"}
    lists = {name: value for name, value in document.items() if isinstance(value, list)}
    return document | {
        name: [added | item if isinstance(item, dict) else item for item in items] for name, items in lists.items()
    }


@pytest.mark.slow
@pytest.mark.parametrize("model", list(CATALOG), ids=lambda model: model.about.wire)
@settings(
    max_examples=EXAMPLES,
    suppress_health_check=list(HealthCheck),
)
@given(data=st.data())
def test_what_is_typed_into_a_form_is_what_the_api_reads(
    filler: Filler, model: type[FmdModel], data: st.DataObject
) -> None:
    answer: FormAnswer = data.draw(answers(model))
    name = model.about.wire
    path, address = f"/app/{filler.code}/{name}", f"/v2/fmd/{filler.code}/{name}"
    assert filler.person.put(address, {}).status_code == 200
    saved = filled(filler.user, path, answer.typed, answer.chosen)
    assert saved.status_code == 303, re.findall(r'<li><a href="#.+', saved.text)
    stored = filler.read(address)
    assert without_server_values(stored["data"]) == confirmed_today(answer.document)
    # Saved again as it is shown, nothing changes.
    assert send(filler.user, path, ShownForm(filler.user.get(path).text), "save").status_code == 303
    assert filler.read(address)["version"] == stored["version"]
