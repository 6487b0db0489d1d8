"""For any consent, the page shows what the owner lets be seen, all of it and nothing else."""

from collections.abc import Iterator
from typing import Any, NamedTuple

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.accounts.accounts import Idioma
from ficha.fmd.base import Door
from tests.fmd.documents import example_of, model_named
from tests.fmd.test_documents import json_values
from tests.web.sticker.rendering import page
from tests.web.sticker.visibility_rule import FIELD_DOORS, MODEL_DOORS

# What the page never shows, whatever the door: the mail addresses of contacts, and what is private by nature.
NEVER = {"emergencia/contactos/correo", "preferencia/zona_horaria"}


class MarkedText(NamedTuple):
    """A word that occurs once in the record, its field, and its fact if it is in a list."""

    word: str
    path: str
    fact: str | None


def _text(wire: str, *names: str) -> list[tuple[str, ...]]:
    return [(wire, *name.split("/")) for name in names]


# All fields with free text: each gets a word of its own. `*` is the single fact of a list.
TEXT_FIELDS = [
    *_text("personal", "nombres", "apellidos", "documento_numero", "correo", "direccion/calle", "direccion/ciudad",
           "direccion/estado", "direccion/codigo_postal"),
    *_text("alergiasa", "alergias/*/agente/texto", "alergias/*/reacciones/*/texto", "alergias/*/notas"),
    *_text("alergiasm", "alergias/*/medicamento/texto", "alergias/*/reacciones/*/texto", "alergias/*/notas"),
    *_text("medicacion", *(f"medicamentos/*/{name}" for name in
                           ("medicamento/texto", "dosis", "via", "frecuencia", "motivo"))),
    *_text("salud", "condiciones/*/condicion/texto", "condiciones/*/plan", "cirugias/*/texto"),
    *_text("cardiologico", "dispositivos/*/fabricante", "dispositivos/*/modelo", "antecedentes/*/texto",
           "presion_habitual", "cardiologo"),
    *_text("cuerpo", "implantes/*/texto", "protesis/*/texto", "senas_particulares"),
    *_text("vacuna", "vacunas/*/vacuna/texto", "vacunas/*/lote", "vacunas/*/lugar"),
    *_text("emergencia", "contactos/*/nombre", "contactos/*/relacion", "contactos/*/correo", "instrucciones",
           "hospital_preferido"),
    *_text("consideracion", "consideraciones/*/descripcion", "consideraciones/*/como_ayudar"),
    *_text("consentimiento", "voluntad_anticipada/resumen", "voluntad_anticipada/lugar"),
    *_text("representante", "nombre", "documento", "relacion", "correo"),
    *_text("estudiante", "institucion", "grado", "seccion", "matricula", "turno", "transporte",
           "autorizados_retirar/*/nombre", "autorizados_retirar/*/relacion", "autorizados_retirar/*/documento"),
    *_text("personalsermed", *(f"medicos/*/{name}" for name in ("nombre", "especialidad", "institucion", "registro"))),
    *_text("poliza", *(f"polizas/*/{name}" for name in ("aseguradora", "numero", "plan", "titular"))),
    *_text("preferencia", "zona_horaria"),
]  # fmt: skip


def _marked_record() -> tuple[dict[str, Any], list[MarkedText]]:
    record: dict[str, Any] = {wire: example_of(model_named(wire)) for wire in MODEL_DOORS}
    texts = []
    for number, (wire, *steps) in enumerate(TEXT_FIELDS):
        word, inside, fact = f"zq{number:03}x", record[wire], None
        for step in steps[:-1]:
            if step == "*":
                inside = inside[0]
                if fact is None:
                    fact = f"{wire[:4]}{number:04}"[:8] if "id" not in inside else inside["id"]
                    inside["id"] = fact
            else:
                inside = inside[step]
        inside[steps[-1]] = word
        if steps[-1] == "texto":  # Without its code, or the page would show the word of the catalogue instead.
            inside.pop("sistema", None)
            inside.pop("codigo", None)
        texts.append(MarkedText(word, "/".join([wire, *(step for step in steps if step != "*")]), fact))
    record["consentimiento"].pop("visibilidad")
    return record, texts


RECORD, TEXTS = _marked_record()
KEYS = [*MODEL_DOORS, *{f"{text.path.partition('/')[0]}/{text.fact}" for text in TEXTS if text.fact}]


def allowed(text: MarkedText, rules: dict[str, Any], door: str) -> bool:
    wire, name = text.path.split("/")[:2]

    def chosen(key: str) -> str | None:
        return None if key not in rules else rules[key] if rules[key] in ("R", "B", "P") else "P"

    own, field = chosen(wire), FIELD_DOORS.get(f"{wire}/{name}")
    at = max(field, own or "A", key="ARBP".index) if field else own or MODEL_DOORS[wire]
    if text.fact:
        at = chosen(f"{wire}/{text.fact}") or at
    return "RBP".index(at) <= "RBP".index(door)


def unexpected(html: str, rules: dict[str, Any], door: str) -> Iterator[MarkedText]:
    for text in TEXTS:
        is_expected = text.path not in NEVER and allowed(text, rules, door)
        if (text.word in html) != is_expected:
            yield text


def test_the_defaults() -> None:
    for door in (Door.R, Door.B):
        assert list(unexpected(page(RECORD, door=door), {}, door.value)) == []


def test_enough_texts_are_marked() -> None:
    assert len(TEXTS) > 55
    hidden = [text for text in TEXTS if not allowed(text, {}, "R")]
    assert 15 < len(hidden) < len(TEXTS) - 20


@pytest.mark.slow
@settings(max_examples=120)
@given(
    st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["R", "B", "P"]) | json_values, max_size=14),
    st.sampled_from([Door.R, Door.B]),
    st.sampled_from(list(Idioma)),
)
def test_any_consent_is_obeyed(rules: dict[str, Any], door: Door, language: Idioma) -> None:
    record = RECORD | {"consentimiento": RECORD["consentimiento"] | {"visibilidad": rules}}
    assert list(unexpected(page(record, language.value, door), rules, door.value)) == []


@settings(max_examples=60)
@given(st.sets(st.sampled_from(sorted(MODEL_DOORS)), max_size=6), st.sampled_from([Door.R, Door.B]))
def test_what_is_hidden_leaves_no_trace(hidden: set[str], door: Door) -> None:
    """A page of a record with hidden models is, byte for byte, that of a record without them."""
    rules = {"visibilidad": dict.fromkeys(sorted(hidden), "P")}
    consent = RECORD["consentimiento"] | rules
    without = {wire: document for wire, document in RECORD.items() if wire not in hidden}
    if "consentimiento" in hidden:
        without["consentimiento"] = rules
    else:
        without["consentimiento"] = consent
    assert page(RECORD | {"consentimiento": consent}, door=door) == page(without, door=door)
