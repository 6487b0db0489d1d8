"""What a sticker says without a network: what a responder may see, and the most urgent of it when there is no room."""

from copy import deepcopy
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.fmd.catalog import CATALOG
from ficha.fmd.offline.packing import packed_length
from ficha.fmd.offline.summary import offline_summary
from tests.fmd.documents import TODAY, example_of, stored_form

RECORD = {
    model.about.wire: stored_form(model, example_of(model)) for model in CATALOG if model.about.wire != "consentimiento"
}

INSTRUCTIONS = RECORD["emergencia"]["instrucciones"]
PLAN = RECORD["salud"]["condiciones"][0]["plan"]
ADVICE = [
    "danafilaxia_autoinyector",
    "danticoagulante",
    "dhipoglucemia",
    "dconvulsion.llame_ya",
    "dmarcapasos_desfibrilador",
    "dbomba_insulina",
    "dautismo",
]
KINDS_OF_SIGNS = [
    "!{Alergia grave}",
    "!{Alergia grave}",
    "!{Toma anticoagulante}",
    "!{Usa insulina}",
    "!{Epilepsia}",
    "!{Dispositivo implantado}",
]


def text_of(documents: dict[str, Any], room: int = 10_000) -> str:
    return offline_summary(documents, "K7M2QX", TODAY).text(lambda text: packed_length(text) <= room)


def allergy(name: str, **more: Any) -> dict[str, Any]:
    return {"agente": {"texto": name}, "criticidad": "alta"} | more


def test_a_whole_record_becomes_a_few_lines() -> None:
    assert text_of(RECORD).split("\n") == [
        "K7M2QX20261115201205",
        "Ana Lucía Pérez Rojas",
        "!{Alergia grave}: {Maní (cacahuate)}",
        ":{Anafilaxia} · {Lleva autoinyector de adrenalina}: mochila",
        "!{Alergia grave}: {Penicilinas (clase)}",
        "!{Toma anticoagulante}",
        "!{Usa insulina}",
        "!{Epilepsia}",
        "!{Marcapasos}, {Bomba de insulina}",
        ":{Resonancia magnética: no hasta comprobar el modelo}",
        "p" + INSTRUCTIONS,
        "p" + PLAN,
        *ADVICE,
        "c+584125551111 María Rojas, madre",
        "m{Insulina glargina}, 18 U",
    ]


def test_an_empty_record_says_its_code_and_its_day() -> None:
    assert text_of({}) == "K7M2QX20261115\n"


def test_severe_allergies_that_no_sign_names_get_lines_of_their_own() -> None:
    names = [f"Fruta {number}" for number in range(9)]
    lines = text_of({"alergiasa": {"alergias": [allergy(name) for name in names]}}).split("\n")
    assert lines[2] == "!{Alergia grave}: Fruta 0, Fruta 1, Fruta 2, Fruta 3, Fruta 4, Fruta 5, +3"
    assert lines[3:] == ["aFruta 6", "aFruta 7", "aFruta 8", "danafilaxia"]


def test_contacts_come_in_the_order_of_calling() -> None:
    people = [("Tercera", None), ("Segunda", 2), ("Primera", 1)]
    contacts = [
        {"nombre": name, "relacion": "tía", "telefono_e164": f"+5841255500{place}", "prioridad": order}
        for place, (name, order) in enumerate(people)
    ]
    lines = text_of({"emergencia": {"contactos": contacts}}).split("\n")[2:]
    assert [line.split()[1] for line in lines] == ["Primera,", "Segunda,", "Tercera,"]


def test_a_dose_is_whole_or_not_there() -> None:
    medicine = {"medicamento": {"texto": "Jarabe"}, "critico": True, "dosis": "5 ml " * 10}
    assert text_of({"medicacion": {"medicamentos": [medicine]}}).split("\n")[2:] == ["mJarabe"]


def test_medicines_that_ended_or_may_be_interrupted_are_not_told() -> None:
    over = {"medicamento": {"texto": "Vieja"}, "critico": True, "hasta": "2020"}
    light = {"medicamento": {"texto": "Leve"}}
    assert text_of({"medicacion": {"medicamentos": [over, light]}}).split("\n")[2:] == []


def test_damaged_documents_are_passed_over() -> None:
    broken = {"personal": {"nombres": 5}, "emergencia": {"contactos": [3, {"telefono_e164": 4}]}, "medicacion": "x"}
    assert text_of(broken) == "K7M2QX20261115\n"


@pytest.mark.slow
def test_without_room_the_least_urgent_goes_first_and_the_kinds_of_signs_never_go() -> None:
    record = deepcopy(RECORD)
    record["emergencia"]["contactos"] += [
        {"nombre": name, "relacion": "vecina", "telefono_e164": f"+58412555777{place}"}
        for place, name in enumerate(("Rosa", "Elsa"))
    ]
    whole = left = text_of(record).split("\n")
    gone: list[str] = []
    for room in range(packed_length("\n".join(whole)), 0, -1):
        lines = text_of(record, room).split("\n")
        assert packed_length("\n".join(lines)) <= room or lines == [*whole[:2], *KINDS_OF_SIGNS, "~"]
        assert ("~" in lines) == (lines != whole)
        gone += [line for line in left if line not in lines]
        left = lines
    assert gone == [
        "p" + PLAN,
        "c+584125557771 Elsa, vecina",
        "c+584125557770 Rosa, vecina",
        "m{Insulina glargina}, 18 U",
        *reversed(ADVICE),
        "p" + INSTRUCTIONS,
        "c+584125551111 María Rojas, madre",
        "!{Marcapasos}, {Bomba de insulina}",
        ":{Resonancia magnética: no hasta comprobar el modelo}",
        "!{Alergia grave}: {Penicilinas (clase)}",
        "!{Alergia grave}: {Maní (cacahuate)}",
        ":{Anafilaxia} · {Lleva autoinyector de adrenalina}: mochila",
    ]
    assert left == [*whole[:2], *KINDS_OF_SIGNS, "~"]


# --- Consent: a record of marked words, rules at random, and a rule of our own about which words may be seen. ---

KINDS = ("alergiasa", "alergiasm", "medicacion", "emergencia")
IDS = [f"hecho00{number}" for number in range(8)]
DOORS = st.sampled_from(["R", "R", "B", "P", "r", "", None, 7])
facts = st.lists(
    st.tuples(st.sampled_from(KINDS), st.sampled_from(IDS) | st.none(), st.booleans()),
    max_size=10,
    unique_by=lambda fact: fact[:2] if fact[1] else object(),
)
keys = st.sampled_from([*KINDS, "personal", "salud", *(f"{kind}/{fact}" for kind in KINDS for fact in IDS)])
consents = st.one_of(
    st.none(),
    st.dictionaries(keys, DOORS, max_size=8).map(lambda rules: {"visibilidad": rules}),
    st.sampled_from(["roto", 5, [], {"visibilidad": "roto"}, {"visibilidad": []}]),
)


def may_see(consent: Any, kind: str, fact: str | None = None) -> bool:
    """All of these models are open unless the owner says otherwise; a decision that makes no sense closes."""
    if consent is None:
        return True
    rules = consent.get("visibilidad") if isinstance(consent, dict) else None
    if not isinstance(rules, dict):
        return False
    if fact is None and any(key.startswith(f"{kind}/") for key in rules) and kind != "personal":
        return False
    for key in (f"{kind}/{fact}", kind):
        if key in rules:
            return bool(rules[key] == "R")
    return True


def marked_record(
    chosen: list[tuple[str, str | None, bool]], consent: Any
) -> tuple[dict[str, Any], set[str], set[str]]:
    """A record, the words in it that the sticker must show, and all words in it."""
    record: dict[str, Any] = {
        "personal": {
            "nombres": "visto0x",
            "apellidos": "visto1x",
            "documento_numero": "oculto0x",
            "correo": "oculto1x@ejemplo.com",
        },
        "poliza": {"polizas": [{"aseguradora": "oculto2x"}]},
        "alergiasa": {"alergias": []},
        "alergiasm": {"alergias": []},
        "medicacion": {"medicamentos": []},
        "emergencia": {"contactos": [], "instrucciones": "plan3x"},
    }
    shown = {"visto0x", "visto1x"} if may_see(consent, "personal") else set()
    for place, (kind, fact, urgent) in enumerate(chosen, 2):
        word = f"visto{place}x"
        item: dict[str, Any] = {"id": fact} if fact else {}
        if kind == "emergencia":
            number = {"telefono_e164": f"+58412{place:07}"} if urgent else {}
            record[kind]["contactos"].append(item | {"nombre": word, "correo": "oculto4x", **number})
        elif kind == "medicacion":
            record[kind]["medicamentos"].append(
                item | {"medicamento": {"texto": word}, "critico": urgent, "motivo": "oculto5x"}
            )
        else:
            agent = "agente" if kind == "alergiasa" else "medicamento"
            level = "alta" if urgent else "baja"
            record[kind]["alergias"].append(item | {agent: {"texto": word}, "criticidad": level, "notas": "oculto6x"})
        if urgent and may_see(consent, kind, fact):
            shown.add(word)
    if consent is not None:
        record["consentimiento"] = consent
    return record, shown, {f"visto{place}x" for place in range(len(chosen) + 2)}


@pytest.mark.slow
@settings(max_examples=400)
@given(facts, consents)
def test_a_sticker_tells_what_the_owner_shows_to_responders_and_nothing_else(
    chosen: list[tuple[str, str | None, bool]], consent: Any
) -> None:
    record, shown, marked = marked_record(chosen, consent)
    text = text_of(record)
    assert {word for word in marked if word in text} == shown
    assert "oculto" not in text
    assert ("plan3x" in text) is may_see(consent, "emergencia", "")
