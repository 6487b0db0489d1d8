"""What every model of the catalogue promises, and that a new one is one file and one line."""

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Annotated, Any

import jsonschema_rs
import pytest

from ficha.core.text_types import Etiqueta
from ficha.fmd.base import About, Door, FmdModel, Shape, Shown, has_data
from ficha.fmd.catalog import CATALOG, Catalog
from ficha.fmd.consent import visible_documents
from ficha.fmd.documents import prepare_document
from ficha.fmd.fields import FormField, fields_of, form_of
from ficha.fmd.offline.summary import offline_summary
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.translations import Translated
from tests.fmd.documents import NOW, TODAY, example_of, refusals, stored_form
from tests.fmd.field_values import field_places

EVERY_MODEL = pytest.mark.parametrize("model", list(CATALOG), ids=lambda model: model.about.wire)


# Callers rely on these; anything else is 404. A further model is a change of the contract, and gets its name here.
CONTRACT = {
    "personal", "alergiasa", "alergiasm", "medicacion", "salud", "cardiologico", "cuerpo", "vacuna", "emergencia",
    "consideracion", "consentimiento", "representante", "estudiante", "personalsermed", "poliza", "preferencia",
    "modulo",
}  # fmt: skip


def test_the_seventeen_models_of_the_contract_are_there() -> None:
    assert len(CONTRACT) == 17
    assert len(CATALOG) == 17
    assert CATALOG.names == CONTRACT


@EVERY_MODEL
def test_its_example_is_valid_and_uses_every_field(model: type[FmdModel]) -> None:
    stored = stored_form(model, example_of(model))
    assert _used(model, stored) == set(model.model_fields) - {name for name in model.model_fields if "ausencia" in name}
    assert model.read(json.loads(json.dumps(stored))).model_dump(mode="json", exclude_defaults=True) == stored


def _used(shape: type[Shape], value: dict[str, Any]) -> set[str]:
    for field in fields_of(shape):
        if field.shape and field.name in value:
            inner = value[field.name][0] if field.many else value[field.name]
            assert _used(field.shape, inner) == set(field.shape.model_fields), field.name
    return set(value)


@EVERY_MODEL
def test_its_schema_accepts_its_example_and_nothing_unknown(model: type[FmdModel]) -> None:
    check = jsonschema_rs.validator_for(model.json_schema())
    assert check.is_valid(example_of(model))
    assert check.is_valid(stored_form(model, example_of(model)))
    assert not check.is_valid(example_of(model) | {"inventado": 1})


@EVERY_MODEL
def test_its_schema_has_titles_in_three_languages(model: type[FmdModel]) -> None:
    schema = model.json_schema()
    shapes = [schema, *(each for each in schema.get("$defs", {}).values() if "properties" in each)]
    for field in [schema, *(field for shape in shapes for field in shape["properties"].values())]:
        assert field["x-titles"].keys() == {"es", "en", "pt"}
        assert all(field["x-titles"].values())
        assert field["title"] == field["x-titles"]["es"]


@EVERY_MODEL
def test_its_form_asks_for_every_field_a_person_can_fill(model: type[FmdModel]) -> None:
    for field in _inputs(form_of(model)):
        assert field.widget and all(field.label)
        assert all(all(words) for _, words in field.options)
        assert not field.terms or field.widget in ("coded", "coded-list", "list")
    asked = {field.name for field in form_of(model)}
    assert asked == {name for name in model.model_fields if name != "telefono_e164"}


def _inputs(fields: tuple[FormField, ...]) -> Iterator[FormField]:
    for field in fields:
        yield field
        yield from _inputs(field.fields)


@EVERY_MODEL
def test_unknown_fields_are_refused_on_writing_and_ignored_on_reading(model: type[FmdModel]) -> None:
    for path, document in _with_an_unknown_field(example_of(model), ""):
        assert refusals(model, document) == {f"{path}/inventado": "extra_forbidden"}
        model.read(document)


def _with_an_unknown_field(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """The example once for each object in it, except those whose names are free."""
    if isinstance(value, dict) and path not in ("/visibilidad", "/modulos"):
        yield path, value | {"inventado": 1}
        for name, inner in value.items():
            for place, changed in _with_an_unknown_field(inner, f"{path}/{name}"):
                yield place, value | {name: changed}
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            for place, changed in _with_an_unknown_field(inner, f"{path}/{index}"):
                yield place, [*value[:index], changed, *value[index + 1 :]]


@EVERY_MODEL
def test_what_is_no_object_is_refused(model: type[FmdModel]) -> None:
    nothing: list[Any] = [None, [], "texto", 5]
    for nonsense in nothing:
        assert refusals(model, nonsense) == {"": "model_type"}


def test_the_whole_phone_stands_behind_one_door() -> None:
    for model in CATALOG:
        doors = {field.door for field in fields_of(model) if "telefono" in field.name and field.name in PHONE_FIELDS}
        assert len(doors) <= 1


PHONE_FIELDS = {"cod_telefono", "telefono", "telefono_e164"}


def test_data_is_what_is_not_empty() -> None:
    assert not has_data({})
    assert not has_data({"alergias": [], "direccion": {}, "notas": "", "otra": None})
    assert has_data({"usa_lentes": False})
    assert has_data({"ausencia": "ninguna_conocida"})
    assert has_data({"alergias": [{"agente": {"texto": "Maní"}}]})
    assert not has_data(None)


class Mascota(FmdModel):
    """A model that exists for this test only: this class, and its line in a catalogue."""

    about = About(
        wire="mascota",
        title=Translated("Mascota", "Pet", "Animal"),
        door=Door.B,
        example={"nombre": "Toby", "chip": "X1"},
    )

    nombre: Annotated[Etiqueta, Shown("Nombre", "Name", "Nome")]
    chip: Annotated[Etiqueta | None, Shown("Chip", "Chip", "Chip", door=Door.P)] = None


def test_a_new_model_is_one_file_and_one_line() -> None:
    catalog = Catalog([*CATALOG, Mascota])
    stored = prepare_document(Mascota, {"nombre": "Toby", "chip": "X1"}, None, NOW, catalog=catalog)

    assert catalog.find("mascota") is Mascota
    assert stored == Mascota.about.example
    assert [field.widget for field in form_of(Mascota)] == ["text", "text"]
    assert Mascota.json_schema()["x-titles"]["pt"] == "Animal"
    assert [str(place) for place in field_places([Mascota])] == ["mascota:nombre", "mascota:chip"]
    assert visible_documents({"mascota": stored}, Door.R, catalog) == {}
    assert visible_documents({"mascota": stored}, Door.B, catalog) == {"mascota": {"nombre": "Toby"}}
    moved = prepare_document(Consentimiento, {"visibilidad": {"mascota": "R"}}, None, NOW, catalog=catalog)
    assert visible_documents({"mascota": stored, "consentimiento": moved}, Door.R, catalog) == {
        "mascota": {"nombre": "Toby"}
    }


Consentimiento = CATALOG.find("consentimiento") or FmdModel


@pytest.mark.parametrize(("language", "words"), [("es", "Nombre"), ("en", "Name"), ("pt", "Nome")])
def test_a_new_model_reaches_the_page_and_the_sticker(language: str, words: str) -> None:
    catalog = Catalog([*CATALOG, Mascota])
    documents: dict[str, Any] = {
        "mascota": dict(Mascota.about.example),
        "consentimiento": {"visibilidad": {"mascota": "R"}},
    }
    view = responder_view(documents, Door.R, NOW, language, catalog=catalog)
    title = Mascota.about.title.in_language(language)
    assert [(part.title, [(line.title.words, line.details[0].words) for line in part.lines])
            for part in view.sections if part.key == "mascota"] == [(title, [(words, "Toby")])]  # fmt: skip
    assert "oMascota: Nombre: Toby" in offline_summary(documents, "K7M2QX", TODAY, catalog).text(lambda _: True)
    hidden = responder_view({"mascota": dict(Mascota.about.example)}, Door.R, NOW, language, catalog=catalog)
    assert "mascota" not in [part.key for part in hidden.sections]


def test_the_weight_of_a_child_stands_beside_the_age_while_it_is_hers() -> None:
    def traits(born: str, days_ago: int | None = 1, *, on_paper: bool = False) -> tuple[str, ...]:
        documents: dict[str, Any] = {
            "personal": {"nombres": "Eva", "fecha_nacimiento": born},
            "cuerpo": {"peso_kg": 18.5},
        }
        saved = {} if days_ago is None else {"cuerpo": NOW - timedelta(days=days_ago)}
        return responder_view(documents, Door.R, NOW, "es", saved=saved, on_paper=on_paper).who.traits

    assert traits("2021-05-01") == traits("2021-05-01", 180) == ("5 años", "18,5 kg")
    assert traits("2021-05-01", 200) == traits("2021-05-01", None) == ("5 años",)
    # She was a baby when it was written down, or is one.
    assert traits("2024-10-01", 60) == ("2 años",)
    assert traits("2025-10-01", 20) == ("13 meses", "18,5 kg")
    assert traits("1980-05-01") == ("46 años",)
    assert traits("2025-10-01", on_paper=True) == ("nac. 10/2025",)
