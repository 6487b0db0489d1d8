"""What a sticker says when there is no room for all of it: the most urgent, as much as fits, and how much more."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.fmd.offline.lines import MORE
from ficha.fmd.offline.packing import fits, packed_length
from ficha.fmd.offline.summary import SHORT_HELP, OfflineSummary, offline_summary
from tests.fmd.documents import TODAY
from tests.fmd.offline.test_summary import RECORD
from tests.web.sticker.records import full_record

# What the link leaves of a QR's letters.
ROOM = 537
# The kinds in the order in which they are kept: see decision 12. Contacts after the first come before what is left, and
# how to help after the advice where it takes many words.
ORDER = "!caujsmwpdPCo"

words = st.text("abcdeñ áx,.", min_size=1, max_size=90).filter(str.strip)
CODED = [
    {"sistema": "snomed", "codigo": "195967001"},
    {"sistema": "snomed", "codigo": "84757009"},
    {"sistema": "snomed", "codigo": "46635009"},
    {"sistema": "cie10", "codigo": "K35.8"},
    {},
]
terms = st.builds(lambda code, text: {"texto": text, **code}, st.sampled_from(CODED), words)
allergies = st.fixed_dictionaries(
    {"agente": terms},
    optional={
        "criticidad": st.sampled_from(["alta", "baja", "desconocida"]),
        "reacciones": st.lists(terms, max_size=2),
        "notas": words,
        "autoinyector": st.booleans(),
    },
)
conditions = st.fixed_dictionaries({"condicion": terms}, optional={"plan": words, "estado": st.just("resuelta")})
medicines = st.fixed_dictionaries({"medicamento": terms}, optional={"critico": st.booleans(), "dosis": words})
needs = st.fixed_dictionaries(
    {"tipo": st.sampled_from(["autismo", "sordera", "movilidad", "otra"])},
    optional={"como_ayudar": words, "descripcion": words},
)
contacts = st.fixed_dictionaries(
    {"nombre": words, "telefono_e164": st.sampled_from(["+584125551111", "+5511987654321"])}
)
wishes = st.fixed_dictionaries({}, optional={"tipo": st.sampled_from(["todo", "limitar"]), "documento_id": words})
records = st.fixed_dictionaries(
    {},
    optional={
        "alergiasa": st.fixed_dictionaries({"alergias": st.lists(allergies, max_size=9)}),
        "salud": st.fixed_dictionaries({"condiciones": st.lists(conditions, max_size=6)}),
        "medicacion": st.fixed_dictionaries({"medicamentos": st.lists(medicines, max_size=4)}),
        "consideracion": st.fixed_dictionaries({"consideraciones": st.lists(needs, max_size=3)}),
        "emergencia": st.fixed_dictionaries(
            {"contactos": st.lists(contacts, max_size=3)}, optional={"instrucciones": words}
        ),
        "consentimiento": st.fixed_dictionaries({"voluntad_anticipada": wishes}),
    },
)


def summary_of(documents: dict[str, Any]) -> OfflineSummary:
    return offline_summary(documents, "K7M2QX", TODAY)


def left_out(text: str) -> int:
    last = text.rpartition("\n")[2]
    return int(last.removeprefix(MORE)) if last.startswith(MORE) else 0


def kinds_of(summary: OfflineSummary) -> list[str]:
    """In capitals those that wait."""
    wholes = [line.whole for line in summary.by_urgency]
    contacts = [whole for whole in wholes if whole[0] == "c"]
    waits = {*contacts[1:], *(whole for whole in wholes if whole[0] == "p" and len(whole) > SHORT_HELP)}
    return [whole[0].upper() if whole in waits else whole[0] for whole in wholes]


@pytest.mark.slow
@settings(max_examples=300)
@given(records, st.integers(100, ROOM))
def test_the_order_is_kept_and_the_room_is_used(documents: dict[str, Any], room: int) -> None:
    summary = summary_of(documents)
    places = [ORDER.index(kind) for kind in kinds_of(summary)]
    assert places == sorted(places)
    text = summary.text(lambda text: fits(text, room))
    rows = "\n" + text + "\n"
    is_whole = [f"\n{line.whole}\n" in rows for line in summary.by_urgency]
    assert left_out(text) == is_whole.count(False)
    said = [line.least for line in summary.by_urgency]
    for place, line in enumerate(summary.by_urgency):
        if not is_whole[place]:
            # Beside what was kept of those before it, there was no room for this one.
            one_more = [*said[:place], line.whole, *said[place + 1 :]]
            left = sum(form != one.whole for form, one in zip(one_more, summary.by_urgency, strict=True))
            joined = "\n".join(
                [summary.head, *filter(None, one_more), *summary.always, *[f"{MORE}{left}"] * bool(left)]
            )
            assert not fits(joined, room)
        said[place] = next((form for form in (line.whole, line.short) if form and f"\n{form}\n" in rows), line.least)
    if any(said[place] != line.least for place, line in enumerate(summary.by_urgency)):
        assert packed_length(text) <= room


def test_a_full_record_fills_the_room_and_counts_what_is_left() -> None:
    summary = summary_of(full_record())
    text = summary.text(lambda text: fits(text, ROOM))
    assert ROOM - 12 <= packed_length(text) <= ROOM
    rows = "\n" + text + "\n"
    missing = [line for line in summary.by_urgency if f"\n{line.whole}\n" not in rows]
    assert left_out(text) == len(missing) > 10
    assert "\nuPicadura de hormiga roja: se le hincha el pie\n" in rows and "\nj{" in rows


def test_the_kinds_of_signs_never_go() -> None:
    summary = summary_of(RECORD)
    least = summary.text(lambda _: False).split("\n")
    assert [line for line in least if line.startswith("!")] == [
        "!{Alergia grave}",
        "!{Alergia grave}",
        "!{Toma anticoagulante}",
        "!{Usa insulina}",
        "!{Epilepsia}",
        "!{Dispositivo implantado}",
    ]
    # Three signs are whole by their kind alone.
    assert least[-1] == f"{MORE}{len(summary.by_urgency) - 3}"
    assert summary.text(lambda _: True).split("\n")[-1] == "@VE"


def test_a_long_instruction_takes_the_place_of_no_advice_and_no_directive() -> None:
    """Both are short, and say what to do."""
    long = {
        "salud": {"condiciones": [{"condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"}}]},
        "emergencia": {"instrucciones": "Avísenle a mi hermana Rosa, que vive a dos cuadras del mercado viejo."},
        "consentimiento": {"voluntad_anticipada": {"tipo": "no_reanimar"}},
    }
    summary = summary_of(long)
    whole = packed_length(summary.text(lambda _: True))
    rows = summary.text(lambda text: packed_length(text) < whole).split("\n")
    assert [row[0] for row in rows if row.startswith(("w", "d", "p", "~"))] == ["w", "d", "d", "~"]
