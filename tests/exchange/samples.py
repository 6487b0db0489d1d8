"""Records of which summaries are made for the tests, and the summaries."""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from ficha.exchange.ips.document import RecordToTell, patient_summary
from ficha.fmd.base import AbsenceField, Door, Shape
from ficha.fmd.catalog import CATALOG
from ficha.fmd.documents import prepare_document
from ficha.fmd.fields import fields_of

NOW = datetime(2026, 11, 18, 12, tzinfo=UTC)
BASE = "https://ficha.example"
DOCUMENT = "5f0c1f4e-7a35-4a52-9d6b-2f0c1f4e7a35"
Bundle = dict[str, Any]

# Every field of every model. Nobody hides anything.
WHOLE = {model.about.wire: dict(model.about.example) for model in CATALOG}
WHOLE["consentimiento"] = {name: value for name, value in WHOLE["consentimiento"].items() if name != "visibilidad"}
# One fact of each kind, and no vital sign: the validator takes seconds for a large one.
SMALL = {
    "personal": {"nombres": "Ana", "apellidos": "Pérez", "fecha_nacimiento": "2012-05-03"},
    **{wire: WHOLE[wire] for wire in ("alergiasm", "medicacion", "vacuna")},
    "salud": {name: WHOLE["salud"][name] for name in ("condiciones", "cirugias")},
}
RECORDS: Mapping[str, Mapping[str, Any]] = {
    "whole": WHOLE,
    "small": SMALL,
    "empty": {},
    "none known": {
        "personal": SMALL["personal"],
        **{wire: {"ausencia": "ninguna_conocida"} for wire in ("alergiasa", "alergiasm", "medicacion", "vacuna")},
        "salud": {"ausencia": "ninguna_conocida", "ausencia_cirugias": "ninguna_conocida"},
        "cardiologico": {"ausencia": "ninguna_conocida", "ausencia_antecedentes": "ninguna_conocida"},
    },
    "not asked": {wire: {"ausencia": "no_preguntado"} for wire in ("alergiasa", "alergiasm", "medicacion", "salud")},
    "pregnant": {"salud": {"embarazo": {"estado": "embarazada", "fecha_probable_parto": "2027-02-01"}}},
    "words alone": {
        "alergiasm": {"alergias": [{"medicamento": {"texto": "Un jarabe <rojo> & otro"}}]},
        "medicacion": {"medicamentos": [{"medicamento": {"texto": "Gotas"}}]},
        "salud": {"condiciones": [{"condicion": {"texto": "Le falta el aire"}}], "via_aerea_dificil": True},
    },
    "sensitive": {
        "salud": {"condiciones": [{"condicion": {"texto": "VIH", "sistema": "cie10", "codigo": "B20.1"}}]},
    },
}


def stored(record: Mapping[str, Any]) -> dict[str, Any]:
    """As the service keeps it: with ids, dates and sources."""
    return {
        model.about.wire: prepare_document(model, record[model.about.wire], None, NOW)
        for model in CATALOG
        if model.about.wire in record
    }


def summary_of(record: Mapping[str, Any], language: str = "es", door: Door = Door.B) -> Bundle:
    told = RecordToTell(1904221833, stored(record), door, language, BASE)
    return patient_summary(told, NOW, DOCUMENT).bundle


@st.composite
def any_record(draw: st.DrawFn) -> dict[str, Any]:
    """Some models of the whole record, each with some of its fields; of an empty list perhaps why it is empty."""
    wires = draw(st.sets(st.sampled_from(sorted(WHOLE)), max_size=len(WHOLE)))
    return {
        model.about.wire: _part(draw, model, WHOLE[model.about.wire]) for model in CATALOG if model.about.wire in wires
    }


def _part(draw: st.DrawFn, shape: type[Shape], value: Mapping[str, Any]) -> dict[str, Any]:
    kept: dict[str, Any] = {}
    together = draw(st.booleans())  # Prefix and phone, system and code go together.
    for field in fields_of(shape):
        if field.name not in value:
            continue
        pair = field.name in ("cod_telefono", "telefono", "sistema", "codigo")
        if field.required or (together if pair else draw(st.booleans())):
            inner = value[field.name]
            if field.shape and field.many:
                kept[field.name] = [_part(draw, field.shape, item) for item in inner]
            else:
                kept[field.name] = _part(draw, field.shape, inner) if field.shape else inner
    for field in fields_of(shape):
        if isinstance(field.shown, AbsenceField) and not kept.get(field.shown.list_field):
            kept |= draw(st.sampled_from([{}, {field.name: "ninguna_conocida"}, {field.name: "no_preguntado"}]))
    return kept
