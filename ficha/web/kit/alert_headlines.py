"""What each reader is told of an alert, in every state: one table, from which the pages take their sentence and
docs/alert-states.md is made."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_progress import AlertState, ProgressKind, ProgressLine, alert_state
from ficha.fmd.dates_and_amounts import local_time_text
from ficha.fmd.translations import Translated
from ficha.web.kit.alert_sentences import SENTENCES, capital, contact_words
from ficha.web.kit.texts import page_texts


class Reader(StrEnum):
    """The contact is one who said that she cannot come, and reads what became of the others."""

    STRANGER = "stranger"
    CONTACT = "contact"
    FAMILY = "family"
    STAFF = "staff"


NO_PAGE = Translated("", "", "")
TOLD = page_texts("kit", "alert_headlines")
ENDED, FALSE_ALARM = TOLD["ended"], TOLD["false_alarm"]


def _call(told: Translated) -> Translated:
    """Of no use to anybody but who stands before the numbers."""
    return Translated(*(f"{said}{call}" for said, call in zip(told, TOLD["call_numbers"], strict=True)))


def _same(told: Translated, contact: Translated | None = None) -> dict[Reader, Translated]:
    return dict.fromkeys(Reader, told) | ({} if contact is None else {Reader.CONTACT: contact})


def _said(kind: ProgressKind) -> Translated:
    """As in the list below the headline, without the channel."""
    return Translated(*(words.replace(" {how}", "") for words in SENTENCES[kind]))


HEADLINES: Mapping[AlertState, Mapping[Reader, Translated]] = {
    AlertState.CANCELED: _same(_said(ProgressKind.CANCELED), FALSE_ALARM) | {Reader.FAMILY: FALSE_ALARM},
    AlertState.RESOLVED: _same(_said(ProgressKind.RESOLVED), ENDED),
    AlertState.COMING: _same(_said(ProgressKind.COMING)),
    AlertState.ACKNOWLEDGED: _same(_said(ProgressKind.ACKNOWLEDGED)) | {Reader.FAMILY: TOLD["goes"]},
    AlertState.WITHDREW: _same(TOLD["withdrew"], TOLD["withdrew_for_contact"]),
    AlertState.UNCLEAR: _same(_said(ProgressKind.UNCLEAR)),
    AlertState.READ: _same(_said(ProgressKind.READ)),
    AlertState.DELIVERED: _same(_said(ProgressKind.DELIVERED)),
    AlertState.STAFF_HAS: _same(_said(ProgressKind.STAFF_HAS)),
    AlertState.STAFF_SENT: _same(_said(ProgressKind.STAFF_SENT)),
    AlertState.HELD_BACK: {
        Reader.STRANGER: TOLD["held_back_for_stranger"],
        Reader.CONTACT: NO_PAGE,
        Reader.FAMILY: TOLD["held_back_for_family"],
        Reader.STAFF: TOLD["held_back_for_staff"],
    },
    AlertState.STALLED: _same(TOLD["stalled"], TOLD["stalled_for_contact"])
    | {Reader.STRANGER: _call(TOLD["stalled_for_stranger"]), Reader.STAFF: TOLD["stalled_for_staff"]},
    AlertState.ALERTING: {
        Reader.STRANGER: TOLD["alerting"],
        Reader.CONTACT: TOLD["alerting_for_contact"],
        Reader.FAMILY: TOLD["alerting_for_family"],
        Reader.STAFF: TOLD["alerting_for_staff"],
    },
    AlertState.ALERTING_STAFF: _same(TOLD["alerting_staff"]),
    AlertState.CANNOT_COME: _same(_said(ProgressKind.CANNOT_COME), TOLD["cannot_come_for_contact"]),
    AlertState.NOT_REACHED_YET: _same(TOLD["not_reached_yet"], TOLD["who_else"])
    | {Reader.STRANGER: _call(TOLD["not_reached_yet"])},
    AlertState.NEXT_STEP: _same(TOLD["next_step"], TOLD["who_else"]) | {Reader.STRANGER: TOLD["alerting"]},
    AlertState.NOBODY_COMES: _same(TOLD["nobody_comes"], TOLD["nobody_comes_for_contact"])
    | {Reader.STRANGER: _call(TOLD["nobody_comes"])},
    AlertState.NOBODY_ANSWERED: _same(TOLD["nobody_answered"], TOLD["nobody_answered_for_contact"])
    | {Reader.STRANGER: _call(TOLD["nobody_answered"])},
    AlertState.NOBODY_REACHED: _same(TOLD["nobody_reached"], TOLD["nobody_left"])
    | {Reader.STRANGER: _call(TOLD["nobody_reached"])},
}


def headline(reader: Reader, lines: Sequence[ProgressLine], language: Idioma, zone: str = "") -> str:
    """`zone` is that of the times that it tells. For a contact, `lines` are those of the others."""
    state, line = alert_state(lines)
    phrase = HEADLINES[state][reader].in_language(language)
    if line is None:
        return phrase
    at = minutes = ""
    if line.until is not None:
        left = (line.until - line.at).total_seconds() - line.seconds
        at, minutes = local_time_text(line.until, zone, language.value), str(max(1, -(-int(left) // 60)))
    who = contact_words(line.relation, line.name, language)
    if state is AlertState.ACKNOWLEDGED:
        # Who said on the pages of the family that somebody goes, where her name is not known.
        who = line.name or TOLD["somebody"].in_language(language)
    return capital(phrase.format(who=who, at=at, minutes=minutes))
