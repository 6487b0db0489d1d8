"""The facts of a record as HTML, built without a template, which took three times as long.

Every value of a record goes through `safe`; the tests fill every field with markup to check it.
"""

from collections.abc import Iterable, Sequence
from functools import cache, lru_cache
from types import SimpleNamespace

from ficha.core.text_types import safe
from ficha.fmd.freshness import Level
from ficha.fmd.responder.view import (
    AdviceLine,
    ConfirmedBy,
    ContactToCall,
    FactLine,
    Number,
    ResponderView,
    Section,
    ShownText,
    StopSign,
)

# Marks for confirmed and not confirmed. Amber and red look the same, because red is for stop signs; their words differ.
MARKS = {Level.GREEN: ' class="g"', Level.AMBER: ' class="a"', Level.RED: ' class="a"', None: ""}

# Names that one line holds of what no rule has judged.
MAX_UNJUDGED = 8


class RecordMarkup:
    """The parts of the responder page that show a record. `t` are the texts of its language."""

    def __init__(self, view: ResponderView, t: SimpleNamespace) -> None:
        self._view = view
        self._t = t
        # The owner's own words are marked with their language if it is not the page's, and the page names it.
        is_foreign = bool(view.written_in) and view.written_in.partition("-")[0].lower() != view.language
        self._lang = f' lang="{safe(view.written_in)}"' if is_foreign else ""
        self._language = view.written_in_name if is_foreign else ""
        self._has_own = False

    def signs(self) -> str:
        """Known signs first, then allergies of unknown severity, then what no rule has judged. That there is nothing
        serious is said only if there is none of these."""
        view, t = self._view, self._t
        if view.consent_unreadable:
            return ""
        rows = "".join(map(_sign, view.signs))
        if view.more_signs:
            names = safe(", ".join(view.more_signs))
            rows += f'<li class="also">{t.more_signs.format(count=len(view.more_signs), names=names)}</li>\n'
        if view.unknown_allergies:
            rows += _sign(view.unknown_allergies)
        unjudged = (
            f'<p class="unjudged">{t.unjudged.format(names=_listed(view.unjudged))}</p>\n' if view.unjudged else ""
        )
        if not rows:
            return unjudged or f'<p class="none">{getattr(t, f"no_signs_{view.no_signs}")}</p>\n'
        head = f'<section class="stop" aria-labelledby="stop"><h2 id="stop">{t.stop}</h2>\n'
        return f"{head}<ul>\n{rows}</ul></section>\n{unjudged}"

    def to_do(self) -> str:
        """Only what the owner wrote, with a sentence that says so."""
        if not self._view.to_do:
            return ""
        rows = []
        for title, _, notes, confirmed, _ in self._view.to_do:
            name = f"<b>{safe(title.words)}.</b> " if title.words else ""
            rows.append(f"<p>{name}{' '.join(map(self._quoted, notes))} {_confirmation(confirmed)}</p>\n")
        whose = self._t.own_words_in.format(language=safe(self._language)) if self._language else self._t.own_words
        title_ = f'<h2 id="do">{self._t.to_do}</h2>'
        rows.append(f"<p><small>{whose}</small></p>")
        return f'<section class="do" aria-labelledby="do">{title_}\n{"".join(rows)}</section>\n'

    def advice(self) -> str:
        """General first aid, apart from what the owner wrote."""
        if not self._view.advice:
            return ""
        rows = [_advice(line, self._t.dont, self._t.staff) for line in self._view.advice]
        first = f"<p><small>{self._t.own_plan_first}</small></p>\n" if self._view.to_do else ""
        head = f'<section class="do" aria-labelledby="advice"><h2 id="advice">{self._t.advice}</h2>\n'
        return f"{head}{first}{''.join(rows)}</section>\n"

    def contacts(self) -> str:
        contacts = "".join(map(self._contact, self._view.contacts))
        return contacts + _paragraphs(self._view.contact_sentences)

    def _contact(self, contact: ContactToCall) -> str:
        name, relation, number, notes, confirmed = contact
        who = f"{safe(name)}, {self._text(relation)}" if relation else safe(name)
        below = (
            f"<small>{safe(' · '.join(notes))}</small>{_confirmation(confirmed)}" if notes else _confirmation(confirmed)
        )
        if number is None:
            return f"<p><span>{who}</span>{below}</p>\n"
        label = f"<span>{self._t.call_whom} {who}</span><span>{safe(number.shown)}</span>"
        return f'<a href="tel:{safe(number.dial)}">{label}{below}</a>\n'

    def sections(self) -> str:
        return "".join(map(self._section, self._view.sections))

    def italics(self) -> str:
        """What italics mean, if there were any. The template calls this after all other parts."""
        if not self._has_own:
            return ""
        return str(self._t.italics_in.format(language=self._language) if self._language else self._t.italics)

    def _section(self, section: Section) -> str:
        key, title, lines, sentences = section
        facts = f"<dl>\n{''.join(map(self._line, lines))}</dl>\n" if lines else ""
        below = _paragraphs(sentences) if sentences else ""
        head = f'<section class="part" aria-labelledby="{key}"><h2 id="{key}">{safe(title)}</h2>'
        return f"{head}\n{facts}{below}</section>\n"

    def _line(self, line: FactLine) -> str:
        title, details, notes, confirmed, number = line
        rows = f"<dd>{' · '.join(map(self._text, details))}</dd>" if details else ""
        for note in notes:
            rows += f"<dd>{self._quoted(note)}</dd>"
        if number:
            rows += f"<dd>{_number(number)}</dd>"
        return f"<div><dt>{self._text(title)} {_confirmation(confirmed)}</dt>{rows}</div>\n"

    def _text(self, text: ShownText) -> str:
        """In italics if the owner wrote it, in bold if it is `strong`."""
        words, own, strong = safe(text.words), text.own, text.strong
        if own:
            self._has_own = True
            return f"<i{self._lang}>{words}</i>"
        return f"<b>{words}</b>" if strong else words

    def _quoted(self, note: ShownText) -> str:
        self._has_own = True
        return f"<q{self._lang}>{safe(note.words)}</q>"


def _sign(sign: StopSign) -> str:
    text, detail = sign
    return f"<li>{safe(text)}{f'<small>{safe(detail)}</small>' if detail else ''}</li>\n"


def _listed(names: Sequence[str]) -> str:
    """The first of them, and how many more there are: all stand in their sections."""
    more = f" +{len(names) - MAX_UNJUDGED}" if len(names) > MAX_UNJUDGED else ""
    return safe(", ".join(names[:MAX_UNJUDGED])) + more


def _advice(line: AdviceLine, no: str, for_staff: str) -> str:
    if not line.rescue:
        return "".join(_advice_around_rescue(line, no, for_staff))
    before, after = _advice_around_rescue(line._replace(rescue=""), no, for_staff)
    return f"{before} {safe(line.rescue)}{after}"


@cache
def _advice_around_rescue(line: AdviceLine, no: str, for_staff: str) -> tuple[str, str]:
    """Of our own texts, so they are few; the place of a medicine is the owner's."""
    title, do, dont, staff, _ = line
    below = f" <b>{for_staff}</b> {safe(staff)}" if staff else ""
    return f"<p><b>{safe(title)}.</b> {safe(do)}", f" <b>{no}</b> {safe(dont)}{below}</p>\n"


def _paragraphs(sentences: Iterable[str]) -> str:
    return "".join([f"<p>{safe(sentence)}</p>\n" for sentence in sentences])


@lru_cache(maxsize=4096)  # How long ago, and who: of nobody in particular.
def _confirmation(confirmed: ConfirmedBy | None) -> str:
    return f"<small{MARKS[confirmed.level]}>{safe(confirmed.words)}</small>" if confirmed else ""


def _number(number: Number) -> str:
    shown = safe(f"{number.label} {number.shown}" if number.label else number.shown)
    return f'<a href="tel:{safe(number.dial)}">{shown}</a>' if number.dial else shown
