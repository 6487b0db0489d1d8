"""What a sticker says without a network: what a responder may see, and the most urgent of it when there is no room."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG
from ficha.fmd.offline.lines import CLAIMS
from ficha.fmd.offline.packing import packed_length
from ficha.fmd.offline.summary import offline_summary
from ficha.fmd.responder.build_view import responder_view
from tests.fmd.documents import NOW, TODAY, example_of, stored_form

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
ASTHMA = {"texto": "Asma", "sistema": "snomed", "codigo": "195967001"}


def text_of(documents: dict[str, Any], room: int = 10_000) -> str:
    return offline_summary(documents, "K7M2QX", TODAY).text(lambda text: packed_length(text) <= room)


def allergy(name: str, **more: Any) -> dict[str, Any]:
    return {"agente": {"texto": name}, "criticidad": "alta"} | more


def test_a_whole_record_becomes_a_few_lines() -> None:
    lines = text_of(RECORD).split("\n")
    # Judged or not: that is the rules' business.
    facts = sorted(line[1:] for line in lines if line[0] in "js")
    assert facts == ["{Apendicectomía laparoscópica}", "{Fibrilación auricular}", "{Prótesis dental}"]
    assert [line for line in lines if line[0] not in "js"] == [
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
        "c+584125551111 María Rojas, madre",
        "a{Penicilinas (clase)}: {Urticaria (ronchas)} · A los seis años, en el hospital.",
        "a{Maní (cacahuate)}: El autoinyector está en la mochila.",
        "m{Insulina glargina}, 18 U",
        "p" + INSTRUCTIONS,
        *ADVICE,
        "p{Autismo}: Hablar despacio y mostrarle lo que se va a hacer.",
        "p{Autismo}: Le asustan las sirenas y que la toquen sin avisar.",
        "p{Epilepsia}: " + PLAN,
        "@VE",
    ]


def test_an_empty_record_says_its_code_and_its_day_and_that_nothing_is_recorded() -> None:
    assert text_of({}) == "K7M2QX20261115\n\n=n"


def test_severe_allergies_that_no_sign_names_get_lines_of_their_own() -> None:
    names = [f"Fruta {number}" for number in range(9)]
    lines = text_of({"alergiasa": {"alergias": [allergy(name) for name in names]}}).split("\n")
    assert lines[2] == "!{Alergia grave}: Fruta 0, Fruta 1, Fruta 2, Fruta 3, Fruta 4, Fruta 5, +3"
    assert lines[3:] == ["aFruta 6", "aFruta 7", "aFruta 8", "danafilaxia"]


def test_an_anaphylaxis_in_somebodys_own_words_is_told() -> None:
    """No code and no severity: the sign says that nobody knows, and the words say what happened."""
    peanut = {"agente": {"texto": "Maní"}, "reacciones": [{"texto": "anafilaxia"}], "notas": "Casi muere en 2020."}
    lines = text_of({"alergiasa": {"alergias": [peanut]}}).split("\n")[2:]
    assert lines == [
        "!{Alergia de gravedad desconocida}: Maní",
        "uManí: anafilaxia · Casi muere en 2020.",
        "danafilaxia",
    ]


def test_a_due_date_is_told_and_no_week_that_is_over_soon() -> None:
    pregnant = {"salud": {"embarazo": {"estado": "embarazada", "fecha_probable_parto": "2027-06-01"}}}
    assert ":{parto hacia el} {@20270601}" in text_of(pregnant).split("\n")


def test_what_no_rule_has_judged_is_told_before_what_needs_no_sign() -> None:
    conditions = [{"condicion": {"texto": "Enfermedad rara de la abuela"}}, {"condicion": ASTHMA}]
    lines = text_of({"salud": {"condiciones": conditions}}).split("\n")[2:]
    assert lines == ["jEnfermedad rara de la abuela", "s{Asma}", "dasma", "=u"]


def test_a_name_that_a_sign_would_cut_is_whole_or_not_there() -> None:
    long = "Reacción a la anestesia en la infancia, estudiada después por dos médicos, que no la confirmaron"
    record = {"salud": {"condiciones": [{"condicion": {"texto": long}}]}}
    assert f"j{long}" in text_of(record).split("\n")
    assert text_of(record, 130).split("\n")[2:] == ["=u", "~1"]


@pytest.mark.parametrize(
    ("consent", "line"),
    [
        ({"tipo": "no_reanimar"}, "w{No reanimar} · {Preferencia declarada}"),
        ({"tipo": "limitar", "documento_id": "doc_1"}, "w{Limitar tratamientos} · {Con documento firmado}"),
        ({"tipo": "otra", "lugar": "Notaría"}, "w{Voluntad anticipada} · {Preferencia declarada}"),
    ],
)
def test_a_directive_says_its_kind_and_what_it_is_worth(consent: dict[str, str], line: str) -> None:
    lines = text_of({"consentimiento": {"voluntad_anticipada": consent}}).split("\n")
    assert line in lines and lines.index(line) < lines.index("dvoluntad")


def test_how_to_help_says_for_which_need() -> None:
    needs = [
        {"tipo": "autismo", "como_ayudar": "Hablar despacio.", "descripcion": "Le asustan las sirenas."},
        {"tipo": "movilidad"},
    ]
    record = {"consideracion": {"consideraciones": needs}, "emergencia": {"instrucciones": "Avisen al colegio."}}
    lines = text_of(record).split("\n")
    assert lines[2:-1] == [
        "s{Movilidad}",
        "pAvisen al colegio.",
        "p{Autismo}: Hablar despacio.",
        "p{Autismo}: Le asustan las sirenas.",
        "dautismo",
    ]


NO_SIGNS: dict[str, tuple[dict[str, Any], str]] = {
    "all of it judged": ({"salud": {"condiciones": [{"condicion": ASTHMA}]}}, "=j"),
    "not judged": ({"salud": {"condiciones": [{"condicion": {"texto": "Algo raro"}}]}}, "=u"),
    "reserved": ({"consentimiento": {"visibilidad": {"alergiasm": "P"}}}, "=r"),
    "nothing recorded": ({"personal": {"nombres": "Ana"}}, "=n"),
    "what may be seen cannot be read": ({"consentimiento": "roto"}, ""),
    "an allergy of unknown severity": ({"alergiasa": {"alergias": [{"agente": {"texto": "Polen"}}]}}, ""),
}


@pytest.mark.parametrize("case", NO_SIGNS.values(), ids=NO_SIGNS)
@pytest.mark.parametrize("room", [0, 10_000])
def test_only_a_record_that_was_judged_may_say_that_there_is_nothing_serious(
    case: tuple[dict[str, Any], str], room: int
) -> None:
    record, claim = case
    claims = [line for line in text_of(record, room).split("\n") if line.startswith("=")]
    assert claims == ([claim] if claim else [])
    why = responder_view(record, Door.R, NOW, "es").no_signs
    assert not claim or claim == f"={CLAIMS[why]}"


def test_contacts_come_in_the_order_of_calling() -> None:
    people = [("Tercera", None), ("Segunda", 2), ("Primera", 1)]
    contacts = [
        {"nombre": name, "relacion": "tía", "telefono_e164": f"+5841255500{place}", "prioridad": order}
        for place, (name, order) in enumerate(people)
    ]
    lines = text_of({"emergencia": {"contactos": contacts}}).split("\n")
    assert [line.split()[1] for line in lines if line.startswith("c")] == ["Primera,", "Segunda,", "Tercera,"]


def test_a_dose_is_whole_or_not_there() -> None:
    dose = "5 ml si pesa menos de 20 kg, 10 ml si pesa más, nunca los dos"
    medicine = {"medicamento": {"texto": "Jarabe"}, "critico": True, "dosis": dose}
    record = {"medicacion": {"medicamentos": [medicine]}}
    assert f"mJarabe, {dose}" in text_of(record).split("\n")
    assert text_of(record, 150).split("\n")[2:] == ["jJarabe", "mJarabe", "=u", "~1"]


def test_medicines_that_ended_are_not_told_and_those_that_may_be_interrupted_only_if_not_judged() -> None:
    over = {"medicamento": {"texto": "Vieja"}, "critico": True, "hasta": "2020"}
    light = {"medicamento": {"texto": "Leve"}}
    assert text_of({"medicacion": {"medicamentos": [over, light]}}).split("\n")[2:] == ["jLeve", "=u"]


def test_damaged_documents_are_passed_over_and_nothing_is_claimed_of_them() -> None:
    broken = {"personal": {"nombres": 5}, "emergencia": {"contactos": [3, {"telefono_e164": 4}]}, "medicacion": "x"}
    assert text_of(broken) == "K7M2QX20261115\n\n=r"


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
            note = f"nota de {word}" if urgent else "oculto6x"
            record[kind]["alergias"].append(item | {agent: {"texto": word}, "criticidad": level, "notas": note})
        # What has no code is told although it is not urgent: no rule has judged it.
        if (urgent or kind != "emergencia") and may_see(consent, kind, fact):
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
