"""Builds the responder's view of a record: what she may see, in her language, the most urgent first."""

from collections.abc import Callable, Mapping
from datetime import date, datetime
from functools import cache

from ficha.fmd.base import Door
from ficha.fmd.catalog import CATALOG, Catalog
from ficha.fmd.models.health import TipoConsideracion
from ficha.fmd.responder import phrases
from ficha.fmd.responder.allergies import allergies
from ficha.fmd.responder.body import body
from ficha.fmd.responder.break_glass_sections import identity, school, vaccines
from ficha.fmd.responder.conditions import conditions, is_over
from ficha.fmd.responder.contacts import contact_sentences, contacts
from ficha.fmd.responder.devices import devices
from ficha.fmd.responder.emergency_numbers import EmergencyCall, emergency_call
from ficha.fmd.responder.generic import generic_sections, names_in
from ficha.fmd.responder.medicines import medicines
from ficha.fmd.responder.people import people
from ficha.fmd.responder.person import likely_country, person_summary, spoken_languages
from ficha.fmd.responder.phrases import language_name
from ficha.fmd.responder.record_reader import Documents, Item, RecordReader, present
from ficha.fmd.responder.view import (
    AdviceLine,
    FactLine,
    NoSigns,
    PersonSummary,
    ResponderView,
    Section,
    ShownText,
    StopSign,
)
from ficha.fmd.responder.wishes import wishes
from ficha.fmd.rules.advice import Advice, GivenAdvice, advice_for
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.signs import FoundSigns, Sign, found_signs
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules
from ficha.fmd.translations import language_index

# In the order in which they are read, with the fields that each looks at, of any model.
SECTIONS: tuple[tuple[Callable[[RecordReader], Section], frozenset[str]], ...] = (
    (medicines, names_in("medicamentos ausencia anticoagulado")),
    (allergies, names_in("alergias ausencia")),
    (
        conditions,
        names_in("condiciones ausencia antecedentes via_aerea_dificil hipertermia_maligna embarazo presion_habitual"),
    ),
    (devices, names_in("dispositivos implantes protesis cirugias")),
    (wishes, names_in("voluntad_anticipada rechaza_transfusion donante_organos")),
    (people, names_in("polizas nombre medicos cardiologo hospital_preferido")),
    (body, names_in("grupo_sanguineo peso_kg estatura_cm usa_lentes usa_audifonos senas_particulares")),
    (vaccines, names_in("vacunas")),
    (identity, names_in("documento_numero direccion telefono telefono_e164 correo")),
    (school, names_in("institucion grado seccion turno matricula transporte autorizados_retirar")),
)

# The models whose facts the rules judge.
CLINICAL = ("alergiasa", "alergiasm", "medicacion", "salud", "cardiologico", "cuerpo", "consideracion")
# Shown even when empty, to say why. Every other section is shown only if it has something.
ALWAYS_SHOWN = frozenset({"medicines", "allergies", "conditions"})
# Left out without a word when empty.
OPTIONAL = frozenset({"devices", "vaccines", "identity", "school"})


def responder_view(
    documents: Documents,
    door: Door,
    now: datetime,
    language: str,
    *,
    written_in: str = "",
    where: str = "",
    deployed_in: str = "",
    saved: Mapping[str, datetime] | None = None,
    catalog: Catalog = CATALOG,
    withdrawn: WithdrawnRules = NONE_WITHDRAWN,
    on_paper: bool = False,
) -> ResponderView:
    """What the page shows at `door` (R, or B after the glass was broken).

    `documents` are all documents of the record, `consentimiento` among them, as they were decrypted; one that could
    not be is `DAMAGED`. `written_in` is the language of the owner's account, where known. `where` is the responder's
    country, where known, and `deployed_in` that of the service. `saved` says when each model was last saved.
    `withdrawn` is what administrators let nobody see for now. `on_paper` leaves out what is true only for some weeks.
    """
    record = RecordReader(documents, door, now.date(), language, saved, catalog, on_paper=on_paper)
    if record.consent_unreadable:
        return _without_consent(language, emergency_call(where, "", deployed_in))
    call = emergency_call(where, likely_country(record), deployed_in)
    own_language = _own_language(record, written_in)
    index = language_index(language)
    findings = RecordForRules(record.visible, record.today, on_paper=on_paper)
    found = found_signs(findings, withdrawn)
    sections = [part(record) if record.knows(fields) else _empty(part, language) for part, fields in SECTIONS]
    shown, missing = _shown_and_missing(sections)
    others = generic_sections(record)
    own_language_name = language_name(own_language)
    shown_contacts = contacts(record)
    return ResponderView(
        language=language,
        who=person_summary(record),
        signs=tuple([_stop_sign(sign, index) for sign in found.shown]),
        more_signs=tuple([words[index] for sign in found.rest for words in sign.short]),
        unknown_allergies=_stop_sign(found.unknown, index) if found.unknown else None,
        unjudged=tuple([words[index] for words in found.unjudged]),
        no_signs=why_no_signs(record, found),
        advice=tuple([_given_advice(one, index) for one in advice_for(findings, found.all, withdrawn)]),
        to_do=_to_do(record),
        emergency=(call.number,),
        is_number_known=call.is_known,
        is_number_of_phone=call.is_of_phone,
        opened_by_glass=record.opened_by_glass() if door is Door.R else (),
        contacts=shown_contacts,
        contact_sentences=contact_sentences(record, shown_contacts),
        sections=(*shown, *[part for part in others if part.lines or part.sentences]),
        written_in=own_language,
        written_in_name=record.translate(own_language_name) if own_language_name else "",
        unreadable=tuple(record.unreadable.values()),
        missing=missing,
    )


@cache
def _empty(part: Callable[[RecordReader], Section], language: str) -> Section:
    """The section of somebody of whom nothing is known: for each language it is always the same."""
    return part(RecordReader({}, Door.R, date.max, language))


def _without_consent(language: str, call: EmergencyCall) -> ResponderView:
    """It is not known what the owner hid, so nothing is shown, and nothing is called "not recorded" either."""
    return ResponderView(
        language, PersonSummary(), (), (), (call.number,), contacts=(), contact_sentences=(), sections=(),
        consent_unreadable=True, is_number_known=call.is_known, is_number_of_phone=call.is_of_phone,
    )  # fmt: skip


def _own_language(record: RecordReader, written_in: str) -> str:
    """Of the owner's own words. Empty where not known: her account's language is none of those that she speaks."""
    spoken = spoken_languages(record)
    if not written_in:
        return spoken[0] if spoken else ""
    plain = written_in.partition("-")[0].lower()
    return written_in if not spoken or plain in {tag.partition("-")[0].lower() for tag in spoken} else ""


def _stop_sign(sign: Sign, language: int) -> StopSign:
    return StopSign(sign.text[language], sign.detail[language] if sign.detail else "")


def why_no_signs(record: RecordReader, found: FoundSigns) -> NoSigns:
    """What may be said if there is no sign: nobody claims more than what is recorded and seen was judged to show."""
    if found.unjudged:
        return NoSigns.NOT_JUDGED
    if record.unreadable or record.reserved_sentence(*CLINICAL):
        return NoSigns.RESERVED
    if not any(record.document(wire) for wire in CLINICAL):
        return NoSigns.NOTHING_RECORDED
    return NoSigns.WRITTEN if found.is_written else NoSigns.JUDGED


def _given_advice(given: GivenAdvice, language: int) -> AdviceLine:
    line = _advice(given.advice, language)
    return line._replace(rescue=given.rescue[language]) if given.rescue else line


@cache
def _advice(advice: Advice, language: int) -> AdviceLine:
    staff = advice.staff[language] if advice.staff else ""
    return AdviceLine(advice.title[language], advice.do[language], advice.dont[language], staff)


def _to_do(record: RecordReader) -> tuple[FactLine, ...]:
    """The owner's instructions, how to help with a special need, and the plan for each condition."""
    lines: list[FactLine] = []
    instructions = record.owner_text(record.document("emergencia"), "instrucciones")
    if instructions:
        lines.append(FactLine(ShownText(""), (), (instructions,), record.last_saved("emergencia")))
    lines += filter(None, [_need(record, item) for item in record.items("consideracion", "consideraciones")])
    for item in record.items("salud", "condiciones"):
        plan = record.owner_text(item, "plan")
        if plan and not is_over(item):
            title = record.term_text(item.get("condicion"), "salud") or ShownText("")
            lines.append(FactLine(title, (), (plan,), record.confirmation(item, "salud")))
    return tuple(lines)


def _need(record: RecordReader, item: Item) -> FactLine | None:
    """How to help. The name of a need alone instructs nothing: signs, advice, or the line of what no rule has judged
    tell of it; help to move is the only one that none of them does."""
    kind = record.choice_of(TipoConsideracion, item.get("tipo"))
    notes = present(record.owner_text(item, "como_ayudar"), record.owner_text(item, "descripcion"))
    if kind and not notes:
        if kind is not TipoConsideracion.MOVILIDAD:
            return None
        title = phrases.HELP_TO_MOVE
    else:
        title = kind.words if kind and kind is not TipoConsideracion.OTRA else phrases.OTHER_NEED
    return FactLine(record.phrase(title), (), notes, record.confirmation(item, "consideracion"))


def _shown_and_missing(sections: list[Section]) -> tuple[list[Section], tuple[str, ...]]:
    """Those that are shown, and titles of empty ones, for one sentence instead of a heading for each."""
    shown, missing = [], []
    for part in sections:
        if part.lines or part.sentences or part.key in ALWAYS_SHOWN:
            shown.append(part)
        elif part.key not in OPTIONAL:
            missing.append(part.title.lower())
    return shown, tuple(missing)
