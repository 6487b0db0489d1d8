"""What a responder sees of a record: what changes the treatment first, and never what the owner hid."""

from datetime import timedelta
from typing import Any

import pytest

from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG
from ficha.fmd.freshness import Level
from ficha.fmd.responder import phrases
from ficha.fmd.responder.build_view import SECTIONS, responder_view
from ficha.fmd.responder.emergency_numbers import ANYWHERE
from ficha.fmd.responder.person import person_summary
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.responder.view import DAMAGED, FactLine, ResponderView, Section
from tests.fmd.documents import NOW, TODAY, example_of, stored_form
from tests.web.sticker.records import full_record

LANGUAGES = ("es", "en", "pt")


def view(documents: dict[str, Any], language: str = "es", door: Door = Door.R, **known: Any) -> ResponderView:
    return responder_view(documents, door, NOW, language, **known)


def part(seen: ResponderView, key: str) -> Section:
    (found,) = [section for section in seen.sections if section.key == key]
    return found


def titles(section: Section) -> list[str]:
    return [line.title.words for line in section.lines]


def details(line: FactLine) -> list[str]:
    return [text.words for text in line.details]


def medicine(name: str, **more: Any) -> dict[str, Any]:
    return {"medicamento": {"texto": name}, **more}


def test_who_she_is() -> None:
    who = view({"personal": example_of(next(iter(CATALOG)))}).who
    assert (who.name, who.given, who.photo_id) == ("Ana Lucía Pérez Rojas", "Ana", "foto_7Kq2ZpX9")
    assert who.traits == ("14 años", "femenino")
    assert who.languages == "español, inglés"
    assert view({"personal": example_of(next(iter(CATALOG)))}, "en").who.traits == ("14 years old", "female")


def test_the_sections_keep_their_order() -> None:
    documents = {model.about.wire: example_of(model) for model in CATALOG}
    documents["consentimiento"]["visibilidad"] = {}
    keys = ["medicines", "allergies", "conditions", "devices", "wishes", "people", "body"]
    assert [section.key for section in view(documents).sections] == keys
    assert [section.key for section in view(documents, door=Door.B).sections] == [
        *keys, "vaccines", "identity", "school",
    ]  # fmt: skip


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_coded_fact_is_said_in_the_readers_language_and_free_text_stays(language: str) -> None:
    documents = {
        "medicacion": {
            "medicamentos": [
                {"medicamento": {"texto": "Insulina glargina", "sistema": "atc", "codigo": "A10AE04"}, "dosis": "18 U"},
                medicine("Gotas de la abuela"),
            ]
        }
    }
    coded, free = part(view(documents, language), "medicines").lines
    said = {"es": "Insulina glargina", "en": "Insulin glargine", "pt": "Insulina glargina"}
    assert (coded.title.words, coded.title.own) == (said[language], False)
    assert (coded.details[0].words, coded.details[0].own) == ("18 U", True)
    assert (free.title.words, free.title.own) == ("Gotas de la abuela", True)


def test_what_was_written_beside_a_code_is_kept_when_it_says_more() -> None:
    brand = {"texto": "Lantus SoloStar", "sistema": "atc", "codigo": "A10AE04"}
    (line,) = part(view({"medicacion": {"medicamentos": [{"medicamento": brand}]}}, "en"), "medicines").lines
    assert line.title.words == "Insulin glargine"
    assert [(text.words, text.own) for text in line.details] == [("Lantus SoloStar", True)]


def test_medicines_that_must_not_stop_come_first_and_finished_ones_last() -> None:
    listed = [medicine("Vieja", hasta="2026-01"), medicine("Otra"), medicine("Vital", critico=True)]
    lines = part(view({"medicacion": {"medicamentos": listed}}), "medicines").lines
    assert [line.title.words for line in lines] == ["Vital", "Otra", "Vieja"]
    assert lines[0].details[0] == (phrases.KEEP_TAKING.es, False, True)
    assert details(lines[2]) == ["terminó en 01/2026"]


def test_an_anticoagulant_is_told_by_its_flag_unless_the_list_names_it() -> None:
    flag = {"cardiologico": {"anticoagulado": True}}
    assert titles(part(view(flag), "medicines")) == ["Toma anticoagulante"]
    warfarin = {"medicamento": {"texto": "Warfarina", "sistema": "atc", "codigo": "B01AA03"}}
    assert titles(part(view(flag | {"medicacion": {"medicamentos": [warfarin]}}), "medicines")) == ["Warfarina"]


NONE, UNASKED, NOTHING = "ninguna_conocida", "no_preguntado", None


@pytest.mark.parametrize(
    ("medicines", "others", "says"),
    [
        (NONE, NONE, ["Ninguna conocida."]),
        (UNASKED, UNASKED, ["No se ha preguntado."]),
        (NOTHING, NOTHING, ["Sin registrar."]),
        (NONE, UNASKED, ["A medicinas: ninguna conocida.", "A alimentos y otras: no se ha preguntado."]),
        (NOTHING, NONE, ["A medicinas: sin registrar.", "A alimentos y otras: ninguna conocida."]),
    ],
)
def test_none_known_not_asked_and_not_recorded_are_different_sentences(
    medicines: str | None, others: str | None, says: list[str]
) -> None:
    given = {"alergiasm": medicines, "alergiasa": others}
    documents = {wire: {"ausencia": absence} for wire, absence in given.items() if absence}
    assert list(part(view(documents), "allergies").sentences) == says


def test_each_sentence_differs_in_each_language() -> None:
    for language in LANGUAGES:
        said = [getattr(words, language) for words in (phrases.NONE_KNOWN, phrases.NOT_ASKED, phrases.NOT_RECORDED)]
        assert len(set(said)) == 3


def test_one_list_of_allergies_does_not_speak_for_the_other() -> None:
    documents = {"alergiasm": {"alergias": [{"medicamento": {"texto": "Penicilina"}}]}}
    allergies = part(view(documents), "allergies")
    assert titles(allergies) == ["Penicilina"]
    assert allergies.sentences == ("A alimentos y otras: sin registrar.",)


def test_severe_allergies_come_first() -> None:
    documents = {
        "alergiasm": {"alergias": [{"medicamento": {"texto": "Aspirina"}, "criticidad": "baja"}]},
        "alergiasa": {"alergias": [{"agente": {"texto": "Maní"}, "criticidad": "alta", "autoinyector": True}]},
    }
    first, second = part(view(documents), "allergies").lines
    assert (first.title.words, details(first)[0], first.details[0].strong) == ("Maní", "grave: puede ser mortal", True)
    assert second.title.words == "Aspirina"


@pytest.mark.parametrize("answer", [{}, {"criticidad": "desconocida"}, {"criticidad": "baja", "autoinyector": True}])
def test_an_allergy_of_which_nobody_knows_is_said_to_be_so_and_comes_before_the_harmless(
    answer: dict[str, Any],
) -> None:
    documents = {
        "alergiasm": {"alergias": [{"medicamento": {"texto": "Aspirina"}, "criticidad": "baja"}]},
        "alergiasa": {"alergias": [{"agente": {"texto": "Maní"}, **answer}]},
    }
    seen = view(documents)
    first, second = part(seen, "allergies").lines
    assert (first.title.words, details(first)[0], first.details[0].strong) == ("Maní", "no se sabe si es grave", True)
    assert second.title.words == "Aspirina"
    assert seen.unknown_allergies and seen.unknown_allergies.text == "Alergia de gravedad desconocida: Maní"


@pytest.mark.parametrize("answer", [{}, {"criticidad": "desconocida"}, {"criticidad": "baja"}])
def test_a_reaction_that_kills_is_not_called_harmless_or_doubtful(answer: dict[str, Any]) -> None:
    reaction = {"texto": "Agranulocitosis", "sistema": "snomed", "codigo": "17182001"}
    dipyrone = {"medicamento": {"texto": "Dipirona", "sistema": "atc", "codigo": "N02BB02"}, "reacciones": [reaction]}
    seen = view({"alergiasm": {"alergias": [dipyrone | answer]}})
    [line] = part(seen, "allergies").lines
    assert details(line) == ["Agranulocitosis"]
    assert seen.signs[0].text.startswith("Alergia grave")


def test_what_to_do_is_said_in_the_owners_words() -> None:
    documents = {
        "emergencia": {"instrucciones": "No la sujeten."},
        "consideracion": {"consideraciones": [{"tipo": "autismo", "como_ayudar": "Despacio."}, {"tipo": "sordera"}]},
        "salud": {
            "condiciones": [
                {"condicion": {"texto": "Epilepsia", "sistema": "snomed", "codigo": "84757009"}, "plan": "Midazolam."},
                {"condicion": {"texto": "Asma"}, "estado": "resuelta", "plan": "Inhalador."},
            ]
        },
    }
    seen = view(documents, "en")
    assert [(line.title.words, [note.words for note in line.notes]) for line in seen.to_do] == [
        ("", ["No la sujeten."]),
        ("Autism", ["Despacio."]),
        ("Epilepsy", ["Midazolam."]),
    ]
    assert all(note.own for line in seen.to_do for note in line.notes)
    assert [note.words for line in part(seen, "conditions").lines for note in line.notes] == ["Inhalador."]


def contact(name: str, prefix: str = "+58", number: str = "4125551111", **more: Any) -> dict[str, Any]:
    return {"nombre": name, "relacion": "madre", "cod_telefono": prefix, "telefono": number, **more}


def test_contacts_are_called_in_the_owners_order() -> None:
    listed = [contact("Sin orden"), contact("Dos", prioridad=2), contact("Uno", prioridad=1, puede_decidir=True)]
    seen = view({"emergencia": stored_form("emergencia", {"contactos": listed})})
    assert [one.name for one in seen.contacts] == ["Uno", "Dos", "Sin orden"]
    first = seen.contacts[0]
    assert first.number == ("+58 412-5551111", "+584125551111", "")
    assert first.notes == ("puede decidir por la persona",)


def test_a_contact_of_another_language_says_so_and_a_common_relation_is_said_in_the_readers() -> None:
    seen = view({"emergencia": {"contactos": [contact("Eva", idioma="es-VE"), contact("Ed", relacion="jefe")]}}, "en")
    assert [(one.relation, one.notes) for one in seen.contacts] == [
        (("mother", False, False), ("speaks Spanish",)),
        (("jefe", True, False), ()),
    ]


@pytest.mark.parametrize(
    ("documents", "known", "numbers"),
    [
        ({}, {}, ("112",)),
        ({}, {"where": "BR"}, ("192",)),
        ({"emergencia": {"contactos": [contact("A", "+57", "3001234567")]}}, {}, ("123",)),
        ({"emergencia": {"contactos": [contact("A", "+57", "3001234567")]}}, {"where": "ES"}, ("112",)),
        ({"representante": {"nombre": "A", "cod_telefono": "+55", "telefono": "11987654321"}}, {}, ("192",)),
        ({"personal": {"direccion": {"pais": "PE"}}}, {"door": Door.B}, ("106",)),
    ],
)
def test_the_emergency_number_is_the_countrys(
    documents: dict[str, Any], known: dict[str, Any], numbers: tuple[str, ...]
) -> None:
    assert view(documents, **known).emergency == numbers


def test_a_hidden_address_does_not_choose_the_number() -> None:
    documents = {"personal": {"direccion": {"pais": "PE"}, "cod_telefono": "+51", "telefono": "912345678"}}
    assert view(documents).emergency == (ANYWHERE,)
    hidden = {"emergencia": {"contactos": [contact("A")]}, "consentimiento": {"visibilidad": {"emergencia": "B"}}}
    assert view(hidden).emergency == (ANYWHERE,)
    assert view(hidden, door=Door.B).emergency == ("911",)


def test_how_old_and_how_sure_a_fact_is_stands_in_words() -> None:
    def confirmed(days: int | None, **more: Any) -> Any:
        day = {} if days is None else {"confirmado_en": (TODAY - timedelta(days=days)).isoformat()}
        (line,) = part(view({"medicacion": {"medicamentos": [medicine("A", **day, **more)]}}), "medicines").lines
        return line.confirmed

    assert confirmed(12, fuente="medico") == ("✓ confirmado por su médico, hace 12 días", Level.GREEN)
    assert confirmed(120) == ("hace 3 meses, por confirmar", Level.AMBER)
    assert confirmed(400, fuente="titular") == ("la persona, hace 13 meses, puede haber cambiado", Level.RED)
    assert confirmed(None) == ("sin fecha", Level.RED)


def test_what_has_no_date_of_its_own_says_when_it_was_saved() -> None:
    saved = {"cuerpo": NOW - timedelta(days=5)}
    (line,) = part(view({"cuerpo": {"grupo_sanguineo": "O-"}}, saved=saved), "body").lines
    assert line.confirmed == ("guardado hace 5 días", None)


@pytest.mark.parametrize(("language", "said"), [("es", "O negativo (O−)"), ("en", "O negative (O−)")])
def test_the_blood_group_is_spelt_out_and_not_for_transfusion(language: str, said: str) -> None:
    (line,) = part(view({"cuerpo": {"grupo_sanguineo": "O-"}}, language), "body").lines
    assert line.title.words == said
    assert line.details == ((getattr(phrases.NOT_FOR_TRANSFUSION, language), False, True),)


def test_a_birth_long_past_is_not_announced() -> None:
    pregnancy = {"estado": "embarazada", "fecha_probable_parto": "2026-01-10"}
    (line,) = part(view({"salud": {"embarazo": pregnancy}}), "conditions").lines
    assert details(line) == ["embarazada", "fecha probable de parto 10/01/2026", "fecha ya pasada"]


def test_a_due_date_of_which_nobody_wrote_more_is_shown_as_it_is() -> None:
    (line,) = part(view({"salud": {"embarazo": {"fecha_probable_parto": "2027-02-01"}}}), "conditions").lines
    assert (line.title.words, details(line)) == ("Embarazo", ["28 semanas (parto hacia el 01/02/2027)"])
    assert part(view({"salud": {"embarazo": {}}}), "conditions").lines == ()


def test_paper_says_days_and_not_weeks_and_no_childs_size() -> None:
    """It is read for a year and more."""
    record: dict[str, Any] = {
        "personal": {"fecha_nacimiento": "2011-05-03"},
        "cuerpo": {"peso_kg": 40},
        "salud": {"embarazo": {"estado": "embarazada", "fecha_probable_parto": "2027-02-01"}},
    }
    seen = view(record, "en", on_paper=True)
    assert (seen.signs[0].text, seen.signs[0].detail) == ("Pregnant", "due around 1 Feb 2027")
    assert details(part(seen, "conditions").lines[0]) == ["pregnant", "due 1 Feb 2027"]
    assert seen.who.traits == ("born May 2011",)
    assert "body" not in [section.key for section in seen.sections]
    grown = view(record | {"personal": {"fecha_nacimiento": "1990"}}, "en", on_paper=True)
    assert grown.who.traits == ("born 1990",) and part(grown, "body").lines


def test_an_almost_empty_record_says_what_is_missing_once() -> None:
    seen = view({"personal": {"nombres": "Luis", "apellidos": "Pérez"}})
    assert [(section.key, section.sentences) for section in seen.sections] == [
        ("medicines", ("Sin registrar.",)),
        ("allergies", ("Sin registrar.",)),
        ("conditions", ("Sin registrar.",)),
    ]
    assert seen.missing == ("preferencias de tratamiento", "seguro, representante, médicos", "grupo sanguíneo y cuerpo")
    assert (seen.signs, seen.to_do, seen.contacts) == ((), (), ())
    assert seen.contact_sentences == ("Sin contactos registrados.",)


def given_name(documents: dict[str, Any]) -> str:
    return person_summary(RecordReader(documents, Door.R, TODAY, "es")).given


def test_only_the_first_name_goes_with_a_typed_code() -> None:
    personal = {"personal": {"nombres": "Ana Lucía", "apellidos": "Pérez"}}
    assert given_name(personal) == "Ana"
    assert given_name(personal | {"consentimiento": {"visibilidad": {"personal": "B"}}}) == ""
    assert given_name({"personal": DAMAGED}) == given_name({}) == ""


def test_the_language_of_the_owners_words() -> None:
    documents = {"personal": {"idiomas": ["pt-BR", "es"]}}
    assert (view(documents).written_in, view(documents).written_in_name) == ("pt-BR", "portugués")
    assert (view({}, written_in="en").written_in, view({}).written_in) == ("en", "")


@pytest.mark.parametrize(("section", "fields"), SECTIONS)
def test_a_section_looks_only_at_the_fields_that_it_names(section: Any, fields: frozenset[str]) -> None:
    """Where there is none of them, the empty section stands for it, which is worked out once for all."""
    others = {
        name: {field: value for field, value in document.items() if field not in fields}
        for name, document in full_record().items()
    }
    for door in (Door.R, Door.B):
        record = RecordReader(others, door, TODAY, "pt", dict.fromkeys(others, NOW))
        assert not record.knows(fields)
        assert section(record) == section(RecordReader({}, Door.R, TODAY, "pt"))
