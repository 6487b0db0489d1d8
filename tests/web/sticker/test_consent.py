"""For any consent, the page shows what the owner lets be seen, all of it and nothing else."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.accounts.accounts import Idioma
from ficha.fmd.base import Door
from tests.fmd.test_documents import json_values
from tests.fmd.writing import example_of, model
from tests.web.sticker.one_rule import FIELD_DOORS, MODEL_DOORS
from tests.web.sticker.rendering import page

# What the page has no place for, wherever the door is: addresses of contacts, and what is private by nature.
NEVER = {"emergencia/contactos/correo", "preferencia/zona_horaria"}


class Leaf(NamedTuple):
    """A word planted in a record: in which field, and in which fact of a list."""

    word: str
    path: str
    fact: str | None


def _text(wire: str, *names: str) -> list[tuple[str, ...]]:
    return [(wire, *name.split("/")) for name in names]


# Where free text can stand: a word is planted in each. `*` is the single fact of a list.
PLACES = [
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


def _planted() -> tuple[dict[str, Any], list[Leaf]]:
    record: dict[str, Any] = {wire: example_of(model(wire)) for wire in MODEL_DOORS}
    leaves = []
    for number, (wire, *steps) in enumerate(PLACES):
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
        if steps[-1] == "texto":  # Without its code, or the catalogue's word would stand in its place.
            inside.pop("sistema", None)
            inside.pop("codigo", None)
        leaves.append(Leaf(word, "/".join([wire, *(step for step in steps if step != "*")]), fact))
    record["consentimiento"].pop("visibilidad")
    return record, leaves


RECORD, LEAVES = _planted()
KEYS = [*MODEL_DOORS, *{f"{leaf.path.partition('/')[0]}/{leaf.fact}" for leaf in LEAVES if leaf.fact}]


def allowed(leaf: Leaf, rules: dict[str, Any], door: str) -> bool:
    wire, name = leaf.path.split("/")[:2]

    def chosen(key: str) -> str | None:
        return None if key not in rules else rules[key] if rules[key] in ("R", "B", "P") else "P"

    own, field = chosen(wire), FIELD_DOORS.get(f"{wire}/{name}")
    at = max(field, own or "A", key="ARBP".index) if field else own or MODEL_DOORS[wire]
    if leaf.fact:
        at = chosen(f"{wire}/{leaf.fact}") or at
    return "RBP".index(at) <= "RBP".index(door)


def unexpected(html: str, rules: dict[str, Any], door: str) -> Iterator[Leaf]:
    for leaf in LEAVES:
        is_expected = leaf.path not in NEVER and allowed(leaf, rules, door)
        if (leaf.word in html) != is_expected:
            yield leaf


def test_the_defaults() -> None:
    for door in (Door.R, Door.B):
        assert list(unexpected(page(RECORD, door=door), {}, door.value)) == []


def test_enough_is_planted() -> None:
    assert len(LEAVES) > 55
    hidden = [leaf for leaf in LEAVES if not allowed(leaf, {}, "R")]
    assert 15 < len(hidden) < len(LEAVES) - 20


@settings(max_examples=120, deadline=None)
@given(
    st.dictionaries(st.sampled_from(KEYS), st.sampled_from(["R", "B", "P"]) | json_values, max_size=14),
    st.sampled_from([Door.R, Door.B]),
    st.sampled_from(list(Idioma)),
)
def test_any_consent_is_obeyed(rules: dict[str, Any], door: Door, language: Idioma) -> None:
    record = RECORD | {"consentimiento": RECORD["consentimiento"] | {"visibilidad": rules}}
    assert list(unexpected(page(record, language.value, door), rules, door.value)) == []


@settings(max_examples=60, deadline=None)
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
