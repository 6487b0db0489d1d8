"""One rule about who sees what, and records to try it on: random, with words planted in them, each its own.

The rule is written here a second time, from the words of the models' table and not from the code, so that a mistake in
one shows against the other.
"""

import json
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any, NamedTuple

from hypothesis import strategies as st

from ficha.fmd.signs import stop_signs
from ficha.fmd.terms import all_terms
from tests.fmd.writing import TODAY

# --- The rule. R: whoever scans the sticker. B: after breaking the glass, and whoever was let in. P: the owner. ---

DOORS = {
    "R": "personal alergiasa alergiasm medicacion salud cardiologico cuerpo emergencia consideracion representante",
    "B": "vacuna estudiante personalsermed poliza",
    "P": "consentimiento preferencia modulo",
}
MODEL_DOORS = {model: door for door, models in DOORS.items() for model in models.split()}
FIELD_DOORS = {
    **{f"personal/{name}": "B" for name in ("documento_numero", "direccion", "cod_telefono", "telefono", "correo")},
    "representante/documento": "B",
    # Wishes about treatment are shown, with their legal status.
    **{f"consentimiento/{name}": "R" for name in ("voluntad_anticipada", "rechaza_transfusion", "donante_organos")},
}


class Place(NamedTuple):
    """Where something stands: a field of a model and, in a list, which of its facts."""

    model: str
    field: str
    fact: int | None = None


# What the owner said: a door for a model, or for a single fact.
Consent = dict[str | Place, str]


def door_of(place: Place, consent: Consent) -> str:
    """The owner's word about the fact itself, then her word about the model, then the table's. What the table keeps
    back within a model stays back when she opens the model."""
    if place.fact is not None and place in consent:
        return consent[place]
    own = FIELD_DOORS.get(f"{place.model}/{place.field}")
    said = consent.get(place.model)
    if own and said:
        return max(own, said, key="RBP".index)
    return own or said or MODEL_DOORS[place.model]


def may_read(door: str, place: Place, consent: Consent) -> bool:
    return "RBP".index(door_of(place, consent)) <= "RBP".index(door)


# --- Records of planted words. ---

TEXTS = {
    "personal": "nombres apellidos documento_numero direccion/calle direccion/ciudad",
    "cuerpo": "senas_particulares",
    "emergencia": "instrucciones hospital_preferido",
    "cardiologico": "cardiologo",
    "consentimiento": "voluntad_anticipada/resumen voluntad_anticipada/lugar",
    "representante": "nombre documento relacion",
    "estudiante": "institucion grado seccion matricula turno transporte",
}
FACTS = {
    "alergiasa/alergias": "agente/texto reacciones/0/texto notas",
    "alergiasm/alergias": "medicamento/texto reacciones/0/texto notas",
    "medicacion/medicamentos": "medicamento/texto dosis frecuencia motivo",
    "salud/condiciones": "condicion/texto plan",
    "salud/cirugias": "texto",
    "cardiologico/dispositivos": "fabricante modelo",
    "cardiologico/antecedentes": "texto",
    "cuerpo/implantes": "texto",
    "vacuna/vacunas": "vacuna/texto lote lugar",
    "emergencia/contactos": "nombre relacion",
    "consideracion/consideraciones": "descripcion como_ayudar",
    "estudiante/autorizados_retirar": "nombre relacion documento",
    "personalsermed/medicos": "nombre especialidad institucion registro",
    "poliza/polizas": "aseguradora numero plan titular",
}
# What a fact has beside its words.
BESIDE: dict[str, dict[str, Any]] = {
    "emergencia/contactos": {"cod_telefono": "+58", "telefono": "4125551111"},
    "consideracion/consideraciones": {"tipo": "otra"},
    "cardiologico/dispositivos": {"tipo": "otro"},
}
# Facts without words of their own, and what the page and the sticker make of them. Some say the same.
FLAGS: list[tuple[str, str, Any, str]] = [
    ("cardiologico", "anticoagulado", True, "Anticoagulado"),
    ("salud", "embarazo", {"estado": "embarazada"}, "Embarazada"),
    ("consentimiento", "rechaza_transfusion", True, "Rechaza transfusiones"),
]
TELLING: list[tuple[str, dict[str, Any], str]] = [
    ("alergiasa/alergias", {"criticidad": "alta"}, "Alergia grave"),
    ("alergiasm/alergias", {"criticidad": "alta"}, "Alergia grave"),
    ("medicacion/medicamentos", {"medicamento": {"sistema": "atc", "codigo": "B01AF02"}}, "Anticoagulado"),
    ("medicacion/medicamentos", {"medicamento": {"sistema": "atc", "codigo": "A10AE04"}}, "Usa insulina"),
    ("salud/condiciones", {"condicion": {"sistema": "snomed", "codigo": "84757009"}}, "Epilepsia"),
    ("consideracion/consideraciones", {"tipo": "epilepsia"}, "Epilepsia"),
    ("consideracion/consideraciones", {"tipo": "no_verbal"}, "No habla"),
    ("cardiologico/dispositivos", {"tipo": "marcapasos"}, "Marcapasos"),
]
SIGNS = {sign for _, _, sign in TELLING} | {sign for *_, sign in FLAGS}
CODED = {"agente/texto", "medicamento/texto", "condicion/texto", "vacuna/texto", "texto"}
CAMPOS = ("alergiasa/agente", "medicacion/medicamento", "salud/condicion", "salud/cirugias", "vacuna/vacuna")


def told(text: Any, words: Iterable[str]) -> set[str]:
    text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return {word for word in words if word in text}


@dataclass
class Planted:
    documents: dict[str, Any] = field(default_factory=dict)
    # Each word once. Signs are words that several facts may cause, so they have several places.
    words: dict[str, Place] = field(default_factory=dict)
    signs: dict[str, list[Place]] = field(default_factory=dict)
    # Words that a sticker must carry when a responder may read them, for as long as there is room.
    urgent: set[str] = field(default_factory=set)
    _numbers: Iterator[int] = field(default_factory=lambda: count(100))

    def plant(self, document: dict[str, Any], path: str, place: Place) -> str:
        """A new word at `path`. A coded thing keeps its code: then the word is the catalogue's."""
        *steps, last = path.split("/")
        inside: Any = document
        for step in steps:
            inside = inside.setdefault(step, [{}] if step == "reacciones" else {}) if step != "0" else inside[0]
        word = f"zq{next(self._numbers)}x"
        if "codigo" in inside:
            word = spoken(inside["sistema"], inside["codigo"], place.model)
        inside[last] = word
        if word not in SIGNS:  # Some other fact may say that too, as a sign.
            self.words[word] = place
        return word


@cache
def spoken(sistema: str, codigo: str, model: str) -> str:
    found = {
        term.words.es for term in all_terms() if (term.sistema, term.codigo, term.modelo) == (sistema, codigo, model)
    }
    [word] = found
    return word


@cache
def plain_terms(model: str, campo: str) -> list[tuple[str, str]]:
    """Codes whose words are part of no other's, and of no sign looked for here: they name one fact."""
    words = [*(term.words.es for term in all_terms()), *SIGNS]
    return [
        (term.sistema, term.codigo)
        for term in all_terms()
        if (term.modelo, term.campo) == (model, campo)
        and sum(term.words.es.lower() in other.lower() for other in words) == 1
        and len(term.words.es) > 9
    ]


def full_record() -> Planted:
    """A word in every place there is."""
    planted = Planted()
    for model in TEXTS:
        _add_texts(planted, model)
    for where in FACTS:
        _add_fact(planted, where, BESIDE.get(where, {}))
    return planted


@st.composite
def records(draw: st.DrawFn) -> Planted:
    planted = Planted()
    for model in draw(st.lists(st.sampled_from(sorted(TEXTS)), unique=True, max_size=6)):
        _add_texts(planted, model)
    for model, name, value, sign in draw(st.lists(st.sampled_from(FLAGS), unique_by=str, max_size=3)):
        planted.documents.setdefault(model, {})[name] = deepcopy(value)
        planted.signs.setdefault(sign, []).append(Place(model, name))
    taken: set[str] = set()
    for where in draw(st.lists(st.sampled_from(sorted(FACTS)), max_size=12)):
        _add_fact(planted, where, _beside(draw, where, taken))
    return planted


def _beside(draw: st.DrawFn, where: str, taken: set[str]) -> dict[str, Any]:
    """What stands with the words: a code, or what makes a stop sign of it."""
    model, name = where.split("/")
    item: dict[str, Any] = deepcopy(BESIDE.get(where, {}))
    telling = [one for one in TELLING if one[0] == where and repr(one) not in taken]
    kind = draw(st.sampled_from(["plain", "coded", "telling"]))
    first = FACTS[where].split()[0]
    if kind == "telling" and telling:
        chosen = draw(st.sampled_from(telling))
        if "codigo" in repr(chosen):  # A coded word stands for one fact, or nobody knows whose it was.
            taken.add(repr(chosen))
        item |= deepcopy(chosen[1])
    elif kind == "coded" and first in CODED:
        campo = name if first == "texto" else first.partition("/")[0]
        free = [term for term in plain_terms(model, campo) if str(term) not in taken]
        term = draw(st.sampled_from(free))
        taken.add(str(term))
        coded = {"sistema": term[0], "codigo": term[1]}
        item |= coded if first == "texto" else {first.partition("/")[0]: coded}
    if where == "medicacion/medicamentos":
        item["critico"] = draw(st.booleans())
    return item


def _add_texts(planted: Planted, model: str) -> None:
    document = planted.documents.setdefault(model, {})
    for path in TEXTS[model].split():
        word = planted.plant(document, path, Place(model, path.partition("/")[0]))
        if path in ("nombres", "apellidos"):
            planted.urgent.add(word)


def _add_fact(planted: Planted, where: str, beside: dict[str, Any]) -> None:
    model, name = where.split("/")
    items = planted.documents.setdefault(model, {}).setdefault(name, [])
    place = Place(model, name, len(items))
    item = deepcopy(beside)
    words = [planted.plant(item, path, place) for path in FACTS[where].split()]
    if where == "emergencia/contactos" or item.get("critico") or item.get("criticidad") == "alta":
        planted.urgent.add(words[0])
    items.append(item)
    # Which facts cause which sign has tests of its own: here it only matters that a hidden one does not.
    for sign in told([one.text.es for one in stop_signs({model: {name: [item]}}, TODAY)], SIGNS):
        planted.signs.setdefault(sign, []).append(place)


@st.composite
def records_with_consent(draw: st.DrawFn) -> tuple[Planted, Consent]:
    """A word about about half of what there is, and now and then about what there is not."""
    planted = draw(records())
    models = st.sampled_from(sorted(planted.documents) or sorted(MODEL_DOORS)) | st.sampled_from(sorted(MODEL_DOORS))
    facts = sorted({place for place in planted.words.values() if place.fact is not None})
    keys = models | st.sampled_from(facts) if facts else models
    return planted, draw(st.dictionaries(keys, st.sampled_from("RBP"), max_size=10))
