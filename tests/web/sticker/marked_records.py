"""Records to test the visibility rule with: each text in them is a word that occurs nowhere else."""

import json
from collections.abc import Iterable, Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from functools import cache
from itertools import count
from typing import Any

from hypothesis import strategies as st

from ficha.fmd.terms import all_terms
from tests.fmd.documents import TODAY, stop_signs
from tests.web.sticker.visibility_rule import MODEL_DOORS, Consent, PlaceOfFact

# The texts of each model, and the texts of each list of facts.
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
# What a fact needs besides its texts.
OTHER_FIELDS: dict[str, dict[str, Any]] = {
    "emergencia/contactos": {"cod_telefono": "+58", "telefono": "4125551111"},
    "consideracion/consideraciones": {"tipo": "otra"},
    "cardiologico/dispositivos": {"tipo": "otro"},
}
# Facts without texts, and the sign that the page and the sticker show for them. Some have the same sign.
FLAGS: list[tuple[str, str, Any, str]] = [
    ("cardiologico", "anticoagulado", True, "Toma anticoagulante"),
    ("salud", "embarazo", {"estado": "embarazada"}, "Embarazada"),
    ("consentimiento", "rechaza_transfusion", True, "Rechaza transfusiones"),
]
FACTS_WITH_SIGNS: list[tuple[str, dict[str, Any], str]] = [
    ("alergiasa/alergias", {"criticidad": "alta"}, "Alergia grave"),
    ("alergiasm/alergias", {"criticidad": "alta"}, "Alergia grave"),
    ("medicacion/medicamentos", {"medicamento": {"sistema": "atc", "codigo": "B01AF02"}}, "Toma anticoagulante"),
    ("medicacion/medicamentos", {"medicamento": {"sistema": "atc", "codigo": "A10AE04"}}, "Usa insulina"),
    ("salud/condiciones", {"condicion": {"sistema": "snomed", "codigo": "84757009"}}, "Epilepsia"),
    ("consideracion/consideraciones", {"tipo": "epilepsia"}, "Epilepsia"),
    ("consideracion/consideraciones", {"tipo": "no_verbal"}, "No habla"),
    ("cardiologico/dispositivos", {"tipo": "marcapasos"}, "Marcapasos"),
]
SIGNS = {sign for _, _, sign in FACTS_WITH_SIGNS} | {sign for *_, sign in FLAGS}
CODED = {"agente/texto", "medicamento/texto", "condicion/texto", "vacuna/texto", "texto"}
CAMPOS = ("alergiasa/agente", "medicacion/medicamento", "salud/condicion", "salud/cirugias", "vacuna/vacuna")


def words_found(text: Any, words: Iterable[str]) -> set[str]:
    text = text if isinstance(text, str) else json.dumps(text, ensure_ascii=False)
    return {word for word in words if word in text}


@dataclass
class MarkedRecord:
    documents: dict[str, Any] = field(default_factory=dict)
    # Each word is in one place. Several facts may cause the same sign, so a sign has several places.
    words: dict[str, PlaceOfFact] = field(default_factory=dict)
    signs: dict[str, list[PlaceOfFact]] = field(default_factory=dict)
    # Words that a sticker must hold if a responder may read them, as long as there is space.
    urgent: set[str] = field(default_factory=set)
    _numbers: Iterator[int] = field(default_factory=lambda: count(100))

    def add_word(self, document: dict[str, Any], path: str, place: PlaceOfFact) -> str:
        """Puts a new word at `path`; where there is a code, the word of the catalogue for it."""
        *steps, last = path.split("/")
        inside: Any = document
        for step in steps:
            inside = inside.setdefault(step, [{}] if step == "reacciones" else {}) if step != "0" else inside[0]
        word = f"zq{next(self._numbers)}x"
        if "codigo" in inside:
            word = catalogue_word(inside["sistema"], inside["codigo"], place.model)
        inside[last] = word
        if word not in SIGNS:  # Another fact may show the same word, as a sign.
            self.words[word] = place
        return word


@cache
def catalogue_word(sistema: str, codigo: str, model: str) -> str:
    found = {
        term.words.es for term in all_terms() if (term.sistema, term.codigo, term.modelo) == (sistema, codigo, model)
    }
    [word] = found
    return word


@cache
def plain_terms(model: str, campo: str) -> list[tuple[str, str]]:
    """Codes whose words are not part of any other words nor of a sign, so that finding them means one fact."""
    words = [*(term.words.es for term in all_terms()), *SIGNS]
    return [
        (term.sistema, term.codigo)
        for term in all_terms()
        if (term.modelo, term.campo) == (model, campo)
        and sum(term.words.es.lower() in other.lower() for other in words) == 1
        and len(term.words.es) > 9
    ]


def full_record() -> MarkedRecord:
    """A word in every text of every model."""
    record = MarkedRecord()
    for model in TEXTS:
        _add_texts(record, model)
    for where in FACTS:
        _add_fact(record, where, OTHER_FIELDS.get(where, {}))
    return record


@st.composite
def records(draw: st.DrawFn) -> MarkedRecord:
    record = MarkedRecord()
    for model in draw(st.lists(st.sampled_from(sorted(TEXTS)), unique=True, max_size=6)):
        _add_texts(record, model)
    for model, name, value, sign in draw(st.lists(st.sampled_from(FLAGS), unique_by=str, max_size=3)):
        record.documents.setdefault(model, {})[name] = deepcopy(value)
        record.signs.setdefault(sign, []).append(PlaceOfFact(model, name))
    taken: set[str] = set()
    for where in draw(st.lists(st.sampled_from(sorted(FACTS)), max_size=12)):
        _add_fact(record, where, _other_fields(draw, where, taken))
    return record


def _other_fields(draw: st.DrawFn, where: str, taken: set[str]) -> dict[str, Any]:
    """What a fact has besides its texts: a code, or what causes a stop sign."""
    model, name = where.split("/")
    item: dict[str, Any] = deepcopy(OTHER_FIELDS.get(where, {}))
    with_sign = [one for one in FACTS_WITH_SIGNS if one[0] == where and repr(one) not in taken]
    kind = draw(st.sampled_from(["plain", "coded", "with sign"]))
    first = FACTS[where].split()[0]
    if kind == "with sign" and with_sign:
        chosen = draw(st.sampled_from(with_sign))
        if "codigo" in repr(chosen):  # Used once, or it would not be known which fact showed it.
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


def _add_texts(record: MarkedRecord, model: str) -> None:
    document = record.documents.setdefault(model, {})
    for path in TEXTS[model].split():
        word = record.add_word(document, path, PlaceOfFact(model, path.partition("/")[0]))
        if path in ("nombres", "apellidos"):
            record.urgent.add(word)


def _add_fact(record: MarkedRecord, where: str, other_fields: dict[str, Any]) -> None:
    model, name = where.split("/")
    items = record.documents.setdefault(model, {}).setdefault(name, [])
    place = PlaceOfFact(model, name, len(items))
    item = deepcopy(other_fields)
    words = [record.add_word(item, path, place) for path in FACTS[where].split()]
    if where == "emergencia/contactos" or item.get("critico") or item.get("criticidad") == "alta":
        record.urgent.add(words[0])
    items.append(item)
    # Other tests check which facts cause which sign; here it only matters that hidden ones cause none.
    for sign in words_found([one.text.es for one in stop_signs({model: {name: [item]}}, TODAY)], SIGNS):
        record.signs.setdefault(sign, []).append(place)


@st.composite
def records_with_consent(draw: st.DrawFn) -> tuple[MarkedRecord, Consent]:
    """With the owner's decisions about some models and facts, and sometimes about models that are not there."""
    record = draw(records())
    models = st.sampled_from(sorted(record.documents) or sorted(MODEL_DOORS)) | st.sampled_from(sorted(MODEL_DOORS))
    facts = sorted({place for place in record.words.values() if place.fact is not None})
    keys = models | st.sampled_from(facts) if facts else models
    return record, draw(st.dictionaries(keys, st.sampled_from("RBP"), max_size=10))
