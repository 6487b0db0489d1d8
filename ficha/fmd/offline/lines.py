"""The kinds of lines that a sticker holds, and what of a record each kind says.

A text that somebody wrote is whole or not there: cut, it could say the contrary.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

from ficha.fmd.models.choices import TipoVoluntad
from ficha.fmd.models.health import TipoConsideracion
from ficha.fmd.offline.wording import escaped, with_references
from ficha.fmd.responder import phrases
from ficha.fmd.responder.emergency_numbers import BY_COUNTRY
from ficha.fmd.responder.generic import generic_sections
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.responder.view import NoSigns
from ficha.fmd.rules.advice import advice_for
from ficha.fmd.rules.record_for_rules import MAX_NAME, Finding, RecordForRules, as_written, name_of
from ficha.fmd.rules.sign_conditions import phrase, severe_findings, severe_reactions, unknown_findings
from ficha.fmd.rules.signs import MAX_NAMES, FoundSigns, Sign
from ficha.fmd.rules.withdrawn_rules import WithdrawnRules
from ficha.fmd.translations import Choice, Translated

# The first letter of a line says what it is. A viewer leaves out lines that it does not know.
STOP, DETAIL, ALLERGY, MEDICINE, CONTACT, PLAN, ADVICE, OTHER, MORE = "!:amcpdo~"
UNKNOWN_ALLERGY, UNJUDGED, CONDITION, DIRECTIVE, CLAIM, COUNTRY = "ujsw=@"

# What may be said where there is no stop sign. A sticker without this line claims nothing.
CLAIMS: Mapping[NoSigns, str] = {
    NoSigns.JUDGED: "j",
    NoSigns.WRITTEN: "w",
    NoSigns.NOT_JUDGED: "u",
    NoSigns.RESERVED: "r",
    NoSigns.NOTHING_RECORDED: "n",
}
MAX_CONTACT = 40
BETWEEN = " · "
REACTIONS = "reacciones"


@dataclass(frozen=True)
class SummaryLine:
    """`short` is said where the whole does not fit, and `least` where nothing else does: of a stop sign its kind, of
    other lines nothing."""

    whole: str
    short: str = ""
    least: str = ""

    @property
    def forms(self) -> list[str]:
        """To be tried, the longest first."""
        return [form for form in (self.whole, self.short) if form and form != self.least]


def claim_without_signs(found: FoundSigns, why: NoSigns | None) -> list[str]:
    """Stop signs need no claim; nor is one made where `why` is not known."""
    return [] if found.all or why is None else [CLAIM + CLAIMS[why]]


def country(code: str) -> list[str]:
    """Whose emergency number is shown where the phone does not say in which country it is."""
    return [COUNTRY + code.upper()] if code.upper() in BY_COUNTRY else []


def stops(found: FoundSigns) -> Iterator[SummaryLine]:
    """With the line of allergies of unknown severity, which comes last."""
    for sign in found.all:
        detail = f"\n{DETAIL}{with_references(sign.detail)}" if sign.detail else ""
        kind, text = STOP + with_references(sign.label), STOP + with_references(sign.text)
        yield SummaryLine(text + detail, short=text if detail and text != kind else "", least=kind)


def advice(record: RecordForRules, found: FoundSigns, withdrawn: WithdrawnRules) -> Iterator[SummaryLine]:
    """The viewer has the words of each: the line is its name, and where the medicine is that helps."""
    for given in advice_for(record, found.all, withdrawn):
        name = ADVICE + given.advice.id
        yield SummaryLine(f"{name}|{with_references(given.where)}", short=name) if given.where else SummaryLine(name)


def allergies(record: RecordForRules, found: FoundSigns) -> Iterator[SummaryLine]:
    """Severe ones, then those of unknown severity: what the stop signs do not say of them."""
    severe, unknown = _medicines_first(severe_findings(record)), _medicines_first(unknown_findings(record))
    has_one_each = len(severe) == sum(sign.rule == "alergia" for sign in (*found.shown, *found.rest))
    yield from _allergies(ALLERGY, severe, len(severe) if has_one_each else MAX_NAMES)
    yield from _allergies(UNKNOWN_ALLERGY, unknown, MAX_NAMES)


def unjudged(record: RecordForRules, found: FoundSigns) -> Iterator[SummaryLine]:
    """Facts that no rule has judged."""
    by_name = {one.name: one for one in (*record.conditions, *record.medicines, *record.allergies)}
    for name in found.unjudged:
        yield _named(UNJUDGED, _whole(name, by_name.get(name)))


def conditions(record: RecordForRules, found: FoundSigns) -> Iterator[SummaryLine]:
    """Those that no sign and no line of unjudged facts names, and special needs of which nothing more is written."""
    by_name = {one.name: one for one in record.conditions if one.name and one.name not in found.unjudged}
    for name, finding in by_name.items():
        if not any(_names(sign, name) for sign in found.all):
            yield _named(CONDITION, _whole(name, finding))
    for item in record.items("consideracion/consideraciones"):
        kind = _choice(TipoConsideracion, item.get("tipo"))
        is_told = kind and (kind.words in found.unjudged or any(_names(sign, kind.words) for sign in found.all))
        if kind and not is_told and not _texts(item, "como_ayudar", "descripcion"):
            yield _named(CONDITION, kind.words)


def critical_medicines(record: RecordForRules) -> Iterator[SummaryLine]:
    """Those that must not be interrupted. Where there is no room for the dose, the name alone."""
    for finding in record.medicines:
        if finding.item.get("critico") is True and finding.name:
            name = _named(MEDICINE, _whole(finding.name, finding)).whole
            doses = [escaped(dose) for dose in _texts(finding.item, "dosis")]
            yield SummaryLine(", ".join([name, *doses]), short=name if doses else "")


def how_to_help(record: RecordForRules) -> Iterator[SummaryLine]:
    """What the owner wrote for an emergency: in general, for each special need, and for each condition."""
    for text in _texts(record.value("emergencia"), "instrucciones"):
        yield SummaryLine(PLAN + escaped(text))
    for item in record.items("consideracion/consideraciones"):
        kind = _choice(TipoConsideracion, item.get("tipo"))
        title = phrases.OTHER_NEED if kind is None or kind is TipoConsideracion.OTRA else kind.words
        for text in _texts(item, "como_ayudar", "descripcion"):
            yield SummaryLine(f"{PLAN}{with_references(title)}: {escaped(text)}")
    for finding in record.conditions:
        for text in _texts(finding.item, "plan"):
            name = f"{with_references(_whole(finding.name, finding))}: " if finding.name else ""
            yield SummaryLine(f"{PLAN}{name}{escaped(text)}")


def directive(record: RecordForRules) -> Iterator[SummaryLine]:
    """Its kind and what it is worth: a signed document, or a wish that was stated."""
    found = record.value("consentimiento/voluntad_anticipada")
    if not isinstance(found, dict) or not any(_texts(found, "tipo", "documento_id", "resumen")):
        return
    kind = _choice(TipoVoluntad, found.get("tipo"))
    title = phrases.DIRECTIVE if kind is None or kind is TipoVoluntad.OTRA else kind.words
    worth = phrase("signed" if any(_texts(found, "documento_id")) else "stated")
    yield SummaryLine(f"{DIRECTIVE}{with_references(title)}{BETWEEN}{with_references(worth)}")


def others(reader: RecordReader) -> Iterator[SummaryLine]:
    """The facts of models that have no lines of their own, in Spanish."""
    for part in generic_sections(reader):
        for line in part.lines:
            words = BETWEEN.join(text.words for text in line.details)
            title = f"{part.title}: {line.title.words}"
            yield SummaryLine(OTHER + escaped(f"{title}: {words}" if words else title))


def contacts(record: RecordForRules) -> Iterator[SummaryLine]:
    """By `prioridad`; those without one last."""
    people = list(record.items("emergencia/contactos"))
    numbered = [person for person in people if isinstance(person.get("prioridad"), int)]
    rest = [person for person in people if not isinstance(person.get("prioridad"), int)]
    for person in chain(sorted(numbered, key=lambda one: int(one["prioridad"])), rest):
        number = person.get("telefono_e164")
        if isinstance(number, str):
            words = ", ".join(cut(word, MAX_CONTACT) for word in _texts(person, "nombre", "relacion"))
            yield SummaryLine(f"{CONTACT}{number} {escaped(words)}")


def cut(text: str, most: int) -> str:
    return text if len(text) <= most else text[: most - 1] + "…"


def _medicines_first(found: Iterable[Finding]) -> list[Finding]:
    """In the order in which a sign for all of them names them."""
    return sorted(found, key=lambda finding: finding.model != "alergiasm")


def _allergies(kind: str, found: Iterable[Finding], named: int) -> Iterator[SummaryLine]:
    """`named` is how many of their names the signs hold: of those only what else is written."""
    names = list(dict.fromkeys(filter(None, [one.name for one in found])))
    for finding in found:
        if finding.name is None:
            continue
        name = _named(kind, _whole(finding.name, finding)).whole
        more = [*map(with_references, _other_reactions(finding)), *map(escaped, _texts(finding.item, "notas"))]
        is_named = names.index(finding.name) < named
        if more:
            yield SummaryLine(f"{name}: {BETWEEN.join(more)}", short="" if is_named else name)
        elif not is_named:
            yield SummaryLine(name)


def _other_reactions(finding: Finding) -> list[Translated]:
    """Those that the detail of a sign does not name."""
    reactions = finding.item.get(REACTIONS)
    found = [one for one in reactions if isinstance(one, dict)] if isinstance(reactions, list) else []
    told = severe_reactions(finding)
    return [name for one in found if (name := name_of(one, finding.model)) and name not in told]


def _names(sign: Sign, name: Translated) -> bool:
    """Whether the sign says that name, and not only a longer one."""
    return re.search(rf"(^|: |, | · ){re.escape(name.es)}($|, | · )", sign.text.es) is not None


def _named(kind: str, name: Translated) -> SummaryLine:
    return SummaryLine(kind + with_references(name))


def _whole(name: Translated, finding: Finding | None) -> Translated:
    """The name as it was written, where it was cut for a sign."""
    if finding is None or len(name.es) < MAX_NAME:
        return name
    text = finding.term.get("texto")
    is_cut = isinstance(text, str) and name == as_written(text)
    return (as_written(text, len(text)) or name) if is_cut and isinstance(text, str) else name


def _texts(item: Any, *fields: str) -> list[str]:
    """The fields in which something is written, without outer spaces."""
    found = [item.get(field) for field in fields] if isinstance(item, dict) else []
    return [text for one in found if isinstance(one, str) and (text := one.strip())]


def _choice(kind: type[Choice], value: object) -> Choice | None:
    return next((member for member in kind if member.value == value), None)
