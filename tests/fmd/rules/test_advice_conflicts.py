"""Whatever lines of advice a record brings together, no two of them contradict each other; and each line's words say
what its acts say."""

import re
from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from itertools import chain, combinations
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.fmd.responder import phrases
from ficha.fmd.rules.advice import Advice, GivenAdvice, advice_for, all_advice, all_conflicts, resolved
from ficha.fmd.rules.advice_acts import Act, contradict, contradictions, implied
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.rule_files import acts_table, advice_table, conflict_table, sign_table
from ficha.fmd.rules.signs import found_signs
from ficha.fmd.translations import Translated
from tests.fmd.documents import TODAY
from tests.fmd.rules.test_cases import CASES, LANGUAGES

# Those that a record can bring; conflicts bring their variants.
LINES = [one.id for one in all_advice().values() if one.id == one.line and not one.is_former]
# Conflicts that a medicine or an allergy without a line can bring.
OF_RECORDS = [conflict.id for conflict in all_conflicts() if conflict.conditions]

Documents = dict[str, Any]


def contradictions_among(lines: Iterable[Advice]) -> list[str]:
    """Between two lines, and within one."""
    found = []
    for one, other in chain(combinations(tuple(lines), 2), ((line, line) for line in lines)):
        found += [f"{one.id}: {act} / {other.id}: {against}" for act, against in contradictions(one.acts, other.acts)]
    return found


def subsets(of: Sequence[str]) -> Iterator[frozenset[str]]:
    return (frozenset(some) for count in range(len(of) + 1) for some in combinations(of, count))


def test_no_two_lines_contradict_each_other() -> None:
    for met in subsets(OF_RECORDS):
        for pair in combinations(LINES, 2):
            assert contradictions_among(resolved(pair, met)) == []


@pytest.mark.parametrize(
    "met", [frozenset(), frozenset(OF_RECORDS)], ids=["lines alone", "medicines and allergies too"]
)
def test_no_two_of_three_lines_contradict_each_other(met: frozenset[str]) -> None:
    for three in combinations(LINES, 3):
        assert contradictions_among(resolved(three, met)) == []


@given(st.lists(st.sampled_from(LINES), unique=True, max_size=12), st.sets(st.sampled_from(OF_RECORDS)), st.randoms())
def test_nor_do_any_of_many_in_any_order(lines: list[str], met: set[str], random: Any) -> None:
    told = resolved(tuple(lines), frozenset(met))
    assert contradictions_among(told) == []
    shuffled = random.sample(lines, len(lines))
    assert {one.id for one in resolved(tuple(shuffled), frozenset(met))} == {one.id for one in told}


# --- Records ---


def with_medicine(code: str) -> Documents:
    return {"medicacion": {"medicamentos": [{"medicamento": {"texto": code, "sistema": "atc", "codigo": code}}]}}


def medicines_of_conflicts() -> Iterator[str]:
    for row in conflict_table()["conflicts"]:
        for condition in row["with"].get("any", ()):
            yield from condition.get("atc", ())


def with_medicine_kept(code: str) -> Documents:
    documents = with_medicine(code)
    documents["medicacion"]["medicamentos"][0]["guardado_en"] = KEPT_IN
    return documents


def with_allergy(code: str, sistema: str = "atc") -> Documents:
    term = {"texto": code, "sistema": sistema, "codigo": code} if sistema else {"texto": code}
    return {"alergiasm": {"alergias": [{"medicamento": term, "criticidad": "alta"}]}}


KEPT_IN = "bolsillo izquierdo"
# The medicines that a line or a sign points at, without those that are given whatever somebody is allergic to.
RESCUES = sorted(
    {
        code
        for row in (*advice_table()["advice"], *sign_table()["rules"])
        for code in ((row.get("rescue") or {}).get("atc") or row.get("rescue") or ())
    }
    - advice_table()["given_all_the_same"].keys()
)

# What each sign is shown for, every labelled case, and the medicines without a sign that conflicts name.
RECORDS: list[Documents] = [
    *(next(case["documents"] for case in rule["cases"] if case["says"]) for rule in sign_table()["rules"]),
    *(case["documents"] for case in CASES.values()),
    *map(with_medicine, medicines_of_conflicts()),
    *map(with_medicine_kept, RESCUES),
    *map(with_allergy, RESCUES),
]


def both(one: Any, other: Any) -> Any:
    """A record with the facts of two."""
    if isinstance(one, dict) and isinstance(other, dict):
        return {name: both(one.get(name), other.get(name)) for name in {**one, **other}}
    if isinstance(one, list) and isinstance(other, list):
        return [*one, *other]
    return deepcopy(one if other is None else other)


def given_for(documents: Documents) -> list[GivenAdvice]:
    """As for the page."""
    record = RecordForRules(documents, TODAY)
    return advice_for(record, found_signs(record).all)


def test_no_record_with_the_facts_of_two_is_told_what_contradicts_itself() -> None:
    for one, other in combinations(RECORDS, 2):
        record = both(one, other)
        told = given_for(record)
        assert contradictions_among([given.advice for given in told]) == [], record
        allergies = [one["medicamento"].get("codigo") for one in record.get("alergiasm", {}).get("alergias", ())]
        # The allergy to a rescue medicine that a record of RECORDS has, beside the one kept that another has.
        assert not [given for given in told if given.where and _is_barred(given, allergies, record)], record


def _is_barred(given: GivenAdvice, allergies: Sequence[str | None], record: Documents) -> bool:
    kept = [one["medicamento"].get("codigo") for one in record["medicacion"]["medicamentos"] if "guardado_en" in one]
    groups = given.advice.rescue.groups if given.advice.rescue else ()
    pointed_at = [code for code in kept if code and code.startswith(groups)]
    return bool(pointed_at) and set(pointed_at) <= set(allergies) - advice_table()["given_all_the_same"].keys()


def test_who_points_at_a_medicine_demands_that_it_be_given() -> None:
    """So that whatever forbids it, contradicts the line."""
    for line in all_advice().values():
        demanded = {each.act for each in line.acts if each.is_demand}
        assert line.rescue is None or line.rescue.act in demanded, line.id
        forbidden = {each.act for each in line.acts if not each.is_demand}
        assert line.rescue is None or line.rescue.act not in forbidden, line.id


# Records in which a line points at a kept medicine, unless something bars it.
ASTHMA, EPILEPSY, DIABETES, ADDISON, ANGINA = (
    {"salud": {"condiciones": [{"condicion": {"texto": code, "sistema": "snomed", "codigo": code}}]}}
    for code in ("195967001", "84757009", "46635009", "363732003", "194828000")
)
NEEDS = {"R03": ASTHMA, "N05": EPILEPSY, "H04": DIABETES, "H02": ADDISON, "C01": ANGINA}
POINTED_AT = [code for code in RESCUES if code[:3] in NEEDS and len(code) == 7]


def places_told(documents: Documents) -> list[str]:
    """Where the page says that a medicine is: in a sign or in advice."""
    record = RecordForRules(documents, TODAY)
    signs = found_signs(record).all
    told = [sign.detail.es for sign in signs if sign.detail]
    told += [given.rescue.es for given in advice_for(record, signs) if given.rescue]
    return [words for words in told if KEPT_IN in words]


@pytest.mark.parametrize("code", POINTED_AT)
def test_nobody_points_at_a_medicine_that_the_person_is_allergic_to(code: str) -> None:
    needs = both(NEEDS[code[:3]], with_medicine_kept(code))
    assert places_told(needs)
    name = RecordForRules(needs, TODAY).medicines[0].name
    allergies = [with_allergy(code[:length]) for length in (3, 4, 5, 7)]
    allergies += [with_allergy(word, "") for word in name or ()]
    for alike in advice_table()["allergic_alike"]:
        if code.startswith(tuple(alike["atc"])):
            allergies += [with_allergy(one) for one in alike["atc"]]
            allergies += [with_allergy(one, "snomed") for one in alike["snomed"]]
    for allergy in allergies:
        assert places_told(both(needs, allergy)) == [], allergy
    assert places_told(both(needs, with_allergy("J01C")))


def test_tablets_of_hydrocortisone_are_not_pointed_at_as_an_injection() -> None:
    def told(**more: str) -> bool:
        kept = both(ADDISON, with_medicine_kept("H02AB09"))
        kept["medicacion"]["medicamentos"][0].update(more)
        return any(given.rescue for given in given_for(kept))

    assert told() and told(via="intramuscular")
    assert not any(told(via=way) for way in ("oral", "Vía oral", "VO", "por la boca", "by mouth"))


def test_adrenaline_is_pointed_at_whatever_somebody_is_allergic_to() -> None:
    needs = both(with_allergy("J01C"), with_medicine_kept("C01CA24"))
    assert places_told(both(needs, with_allergy("C01CA24")))


@pytest.mark.parametrize("code", tuple(medicines_of_conflicts()))
def test_nitroglycerin_is_never_advised_to_whoever_takes_sildenafil_or_its_kin(code: str) -> None:
    angina = {"salud": {"condiciones": [{"condicion": {"texto": "a", "sistema": "snomed", "codigo": "194828000"}}]}}
    asked = [act for given in given_for(both(angina, with_medicine(code))) for act in given.advice.acts]
    assert {act.is_demand for act in asked if act.act == "give_nitroglycerin"} == {False}


def test_a_bleeding_disorder_forbids_injections_to_professionals_only_and_never_adrenaline() -> None:
    (forbidden,) = (act for act in all_advice()["sangrado"].acts if act.act == "inject_into_muscle")
    assert not forbidden.is_for_anybody
    adrenaline = [act for act in all_advice()["anafilaxia_autoinyector"].acts if act.act == "inject_adrenaline"]
    assert adrenaline and "inject_into_muscle" in implied("inject_adrenaline")
    assert not any(contradict(forbidden, act) for act in adrenaline)


# --- The check can fail ---


def act(words: str) -> Act:
    """`demand sit_up awake`: an act and its conditions."""
    kind, name, *when = words.split()
    return Act(name, kind == "demand", frozenset(when), True)


@pytest.mark.parametrize(
    ("one", "other", "is_found"),
    [
        ("demand cpr", "forbid cpr", True),
        ("demand cpr not_breathing", "forbid cpr", True),
        ("demand cpr not_breathing", "forbid cpr awake", False),
        ("demand cpr", "forbid lie_on_back late_pregnancy", True),
        ("demand cpr not_breathing", "forbid lie_on_back late_pregnancy breathing", False),
        ("demand sit_up short_of_breath", "demand lie_on_side vomiting", True),
        ("demand sit_up short_of_breath", "demand lie_on_side breathing_well", False),
        ("demand lie_on_side", "demand lie_on_left_side", False),
        ("demand raise_legs", "demand lie_on_left_side", True),
        ("demand give_sugar_by_mouth low_sugar", "forbid give_by_mouth", True),
        ("demand give_sugar_by_mouth can_swallow", "forbid give_by_mouth not_awake", False),
        ("demand inhaler_first", "demand adrenaline_first", True),
        ("forbid cpr", "forbid cpr", False),
        ("demand cpr not_breathing", "demand cpr not_breathing", False),
        ("demand cpr not_breathing", "demand cpr not_breathing device_alarm", True),
    ],
)
def test_planted_contradictions_are_found(one: str, other: str, is_found: bool) -> None:
    assert contradict(act(one), act(other)) == contradict(act(other), act(one)) == is_found


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("anafilaxia", "embarazo"),
        ("anafilaxia_autoinyector", "preeclampsia"),
        ("anafilaxia_autoinyector", "asma"),
        ("dolor_de_pecho", "anticoagulante"),
        ("dolor_de_pecho", "sangrado"),
        ("laringectomia", "traqueostomia"),
    ],
)
def test_without_the_table_lines_would_contradict_each_other(one: str, other: str) -> None:
    assert contradictions_among([all_advice()[one], all_advice()[other]])
    assert not contradictions_among(resolved((one, other)))


# --- The tables ---


def test_acts_and_conditions_are_of_the_list() -> None:
    table = acts_table()
    for one in all_advice().values():
        assert one.acts, one.id
        for each in one.acts:
            assert each.act in table["acts"] and each.when <= set(table["conditions"]), (one.id, each)
    named = chain(table["implies"], *table["implies"].values(), *table["excluding_acts"], table["always_declared"])
    assert {*named, *table["same_everywhere"]} <= table["acts"].keys()
    assert {*chain(*table["excluding_conditions"]), *table["said_conditions"]} <= set(table["conditions"])


def test_each_conflict_changes_lines_that_exist_and_says_why() -> None:
    for conflict in all_conflicts():
        assert conflict.why and conflict.sources and conflict.decided
        assert conflict.advice <= set(LINES)
        assert conflict.demands | conflict.forbids <= acts_table()["acts"].keys()
        for line, new in conflict.becomes.items():
            assert new is None or (new != line and all_advice()[new].line == all_advice()[line].line)
    reached = {new for conflict in all_conflicts() for new in conflict.becomes.values()}
    assert {one.id for one in all_advice().values() if one.id != one.line} == reached - {None}


def test_a_source_has_an_address_and_a_day_or_neither() -> None:
    rows = chain(*(one.sources for one in all_advice().values()), *(one.sources for one in all_conflicts()))
    for source in rows:
        assert bool(source.url) == bool(source.read)
        assert not source.url or (source.url.startswith("http") and re.fullmatch(r"\d{4}-\d\d-\d\d", source.read))


# --- Words and acts ---


def words_for(line: Advice, language: str, *, is_for_anybody: bool) -> str:
    if not is_for_anybody:
        return line.staff.in_language(language) if line.staff else ""
    texts = [line.title, line.do, line.dont, *([line.rescue.words] if line.rescue else [])]
    return " ".join(text.in_language(language) for text in texts)


def names(act_name: str, language: str, words: str) -> bool:
    return begins_one(acts_table()["acts"][act_name][language], words)


def begins_one(beginnings: Iterable[str], words: str) -> bool:
    """Whether the words contain one of these beginnings."""
    return re.search(rf"(?<!\w)(?:{'|'.join(map(re.escape, beginnings))})", words, re.IGNORECASE) is not None


@pytest.mark.parametrize("line", tuple(all_advice().values()), ids=lambda line: line.id)
@pytest.mark.parametrize("language", LANGUAGES)
def test_words_name_the_acts_and_acts_are_declared(line: Advice, language: str) -> None:
    for each in line.acts:
        words = words_for(line, language, is_for_anybody=each.is_for_anybody)
        assert names(each.act, language, words), each
    for is_for_anybody in (True, False):
        words = words_for(line, language, is_for_anybody=is_for_anybody)
        declared = [each for each in line.acts if each.is_for_anybody == is_for_anybody]
        known = {name for each in declared for name in (implied(each.act) if each.is_demand else {each.act})}
        assert [
            one for one in acts_table()["always_declared"] if names(one, language, words) and one not in known
        ] == []


# What a stranger does with the whole person: when it is not done must be read where it is demanded.
POSTURES = frozenset(("lie_down", "sit_up", "cpr"))


@pytest.mark.parametrize("line", tuple(all_advice().values()), ids=lambda line: line.id)
@pytest.mark.parametrize("language", LANGUAGES)
def test_words_say_when_a_posture_or_cpr_is_not_demanded(line: Advice, language: str) -> None:
    said = acts_table()["said_conditions"]
    for each in line.acts:
        if each.is_demand and not implied(each.act).isdisjoint(POSTURES):
            words = words_for(line, language, is_for_anybody=each.is_for_anybody)
            for condition in each.when & said.keys():
                assert begins_one(said[condition][language], words), f"{each}: {condition} is not said"


# How Spanish and Portuguese would speak of a woman or of a man: "ponerla", "acuéstelo", "sentada".
GENDERED = re.compile(
    r"\b\w+(?:[aei]r|á|ê|í)-?l[ao]s?\b|\b(?:póngal|acuéstel|llámel|déjel|siéntel|deite-)[ao]\b|\b(?:acostad|sentad"
    r"|deitad|quiet|acordad|confus|confundid|decaíd|abatid|sozinh|eret|erguid|diabétic|trasplantad|transplantad"
    r"|inmunosuprimid|imunossuprimid)[ao]\b|\bdoadora?\b",
    re.IGNORECASE,
)
# What is pressed, opened or known is a thing, and so is the injection.
THINGS = {"presionarlo", "retirarlo", "apagarlo", "pincharlo", "abrirlo", "abri-lo", "mojarlo", "ponerlo", "darlo"}
THINGS |= {"desconectarlo", "desconectá-lo", "saberlo", "determinarlo", "decirlo", "póngala"}
PHRASES = [words for words in vars(phrases).values() if isinstance(words, Translated)]
SIGNS = [Translated(**line["words"]) for rule in sign_table()["rules"] for line in rule["lines"]]


@pytest.mark.parametrize("line", tuple(all_advice().values()), ids=lambda line: line.id)
@pytest.mark.parametrize("language", ["es", "pt"])
def test_no_line_knows_whether_the_person_is_a_woman(line: Advice, language: str) -> None:
    words = " ".join(words_for(line, language, is_for_anybody=reader) for reader in (True, False))
    assert set(GENDERED.findall(words)) <= THINGS
    assert GENDERED.findall("ponerla deixá-la acuéstelo sentada") == ["ponerla", "deixá-la", "acuéstelo", "sentada"]


@pytest.mark.parametrize("words", [*PHRASES, *SIGNS], ids=lambda words: words.es)
def test_nor_does_a_sign_or_the_page(words: Translated) -> None:
    assert set(GENDERED.findall(f"{words.es} {words.pt}")) <= THINGS
