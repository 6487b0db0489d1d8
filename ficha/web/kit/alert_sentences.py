"""The progress of an alert as sentences in the reader's language: "La madre leyó el aviso · hace 40 s". Each says what
a step shows, and no more: nobody "was alerted" before a provider said that the alert was delivered.

And what the family and whoever is with the person wrote to each other, as lines: "La madre: «Ya salgo» · hace 40 s". No
line has a number of either side: one that was left is called by a button on the pages of contacts.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_progress import ProgressKind, ProgressLine
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.relay_lines import LineKind, RelayLine
from ficha.emergencies.steps import ContactName
from ficha.fmd.responder.relations import relation, to_whom, with_article
from ficha.web.kit.texts import page_texts

SENTENCES = page_texts("kit", "alert_progress")
WORDS = page_texts("kit", "alert_words")
SOMEBODY, SECONDS, MINUTES = WORDS["somebody"], WORDS["seconds"], WORDS["minutes"]
GOES = page_texts("kit", "alert_headlines")["goes"]
CHANNEL_WORDS = {channel.name: channel.words for channel in CHANNELS}


def progress_sentences(lines: Sequence[ProgressLine], language: Idioma) -> tuple[str, ...]:
    """Without what only the headline says: when an alert that is held back leaves."""
    return tuple(_sentence(line, language) for line in lines if line.kind in SENTENCES)


def _sentence(line: ProgressLine, language: Idioma) -> str:
    how = CHANNEL_WORDS[line.channel].in_language(language) if line.channel in CHANNEL_WORDS else ""
    return f"{capital(_filled(line, language, how))} · {how_long_ago(line.seconds, language)}"


def family_sentences(
    lines: Sequence[ProgressLine], language: Idioma, when: Callable[[datetime], str]
) -> tuple[str, ...]:
    """For those who know the names: who was told, always by which way, and at what time."""
    return tuple(_family_sentence(line, language, when) for line in lines if line.kind in SENTENCES)


def _family_sentence(line: ProgressLine, language: Idioma, when: Callable[[datetime], str]) -> str:
    if line.kind is ProgressKind.ACKNOWLEDGED and line.name:
        return f"{when(line.at)} · {GOES.in_language(language).format(who=line.name)}"
    how = CHANNEL_WORDS[line.channel].in_language(language) if line.channel in CHANNEL_WORDS else ""
    said = _filled(line, language, how, f" ({line.name})" if line.relation and line.name else "")
    return f"{when(line.at)} · {capital(said)}" + (f" · {how}" if how and how not in said else "")


def how_long_ago(seconds: int, language: Idioma) -> str:
    age = SECONDS if seconds < 90 else MINUTES
    return age.in_language(language).format(n=seconds if age is SECONDS else seconds // 60)


def _filled(line: ProgressLine, language: Idioma, how: str, name: str = "") -> str:
    """`name` stands behind the relation, for those who know it."""
    who, to = contact_words(line.relation, line.name, language), _to(line.relation, line.name, language)
    filled = SENTENCES[line.kind].in_language(language).format(who=who + name, to=to + name, how=how)
    return " ".join(filled.split())


def contact_words(written: str, name: str, language: Idioma) -> str:
    """ "la madre"; else what was written, else the name, else "un contacto"."""
    known = relation(written) if written else None
    return (with_article(known).in_language(language) if known else written or name) or SOMEBODY.in_language(language)


def _to(written: str, name: str, language: Idioma) -> str:
    known = relation(written) if written else None
    if known:
        return to_whom(known).in_language(language)
    preposition = WORDS["to"].in_language(language)
    return f"{preposition} {written or name or SOMEBODY.in_language(language)}"


def capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]


# Of a long conversation, the end: on the sticker's page, which comes in one round trip, and on that of a contact.
NEWEST, NEWEST_FOR_CONTACT = 5, 20
RELAY = page_texts("kit", "relay")
LINE, LEFT_PHONE, YOU, STRANGER = RELAY["line"], RELAY["left_phone"], RELAY["you"], RELAY["stranger"]


def said_at_sticker(
    lines: Sequence[RelayLine], shown: Mapping[str, tuple[str, str]], language: Idioma, now: datetime
) -> tuple[str, ...]:
    """For whoever is with the person: contacts by their relation, as far as the owner shows them to strangers."""

    def who(contact_id: str | None) -> str:
        if contact_id is None:
            return YOU.in_language(language)
        return contact_words(*shown.get(contact_id, ("", "")), language)

    return _sentences(lines[-NEWEST:], who, language, now)


def said_to_contact(
    lines: Sequence[RelayLine], own_id: str, others: Mapping[str, ContactName], language: Idioma, now: datetime
) -> tuple[str, ...]:
    def who(contact_id: str | None) -> str:
        if contact_id is None:
            return STRANGER.in_language(language)
        if contact_id == own_id:
            return YOU.in_language(language)
        name = others.get(contact_id, ContactName("", ""))
        return contact_words(name.relacion, name.nombre, language)

    return _sentences(lines[-NEWEST_FOR_CONTACT:], who, language, now)


def said_to_family(
    lines: Sequence[RelayLine],
    names: Mapping[str, tuple[str, str]],
    language: Idioma,
    when: Callable[[datetime], str],
) -> tuple[str, ...]:
    """All of it, in order, with the names of the contacts."""

    def who(contact_id: str | None) -> str:
        if contact_id is None:
            return STRANGER.in_language(language)
        relation, name = names.get(contact_id, ("", ""))
        words = contact_words(relation, name, language)
        return f"{words} ({name})" if relation and name else words

    return tuple(f"{when(line.at)} · {_said(line, who, language)}" for line in lines)


def _sentences(
    lines: Sequence[RelayLine], who: Callable[[str | None], str], language: Idioma, now: datetime
) -> tuple[str, ...]:
    sentences = []
    for line in lines:
        seconds = max(0, int((now - line.at).total_seconds()))
        sentences.append(f"{_said(line, who, language)} · {how_long_ago(seconds, language)}")
    return tuple(sentences)


def _said(line: RelayLine, who: Callable[[str | None], str], language: Idioma) -> str:
    phrase = LEFT_PHONE if line.kind is LineKind.PHONE else LINE
    return capital(phrase.in_language(language).format(who=who(line.contact_id), words=line.words))
