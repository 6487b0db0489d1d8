"""What the family and whoever is with the person wrote to each other, as lines: "La madre: «Ya salgo» · hace 40 s".

No line has a number of either side: one that was left is called by a button on the pages of contacts."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from ficha.accounts.accounts import Idioma
from ficha.emergencies.relay_lines import LineKind, RelayLine
from ficha.emergencies.steps import ContactName
from ficha.web.kit.alert_sentences import capital, contact_words, how_long_ago
from ficha.web.kit.texts import page_texts

# Of a long conversation, the end: on the sticker's page, which comes in one round trip, and on that of a contact.
NEWEST, NEWEST_FOR_CONTACT = 5, 20
WORDS = page_texts("kit", "relay")
LINE, LEFT_PHONE, YOU, STRANGER = WORDS["line"], WORDS["left_phone"], WORDS["you"], WORDS["stranger"]


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


def _sentences(
    lines: Sequence[RelayLine], who: Callable[[str | None], str], language: Idioma, now: datetime
) -> tuple[str, ...]:
    sentences = []
    for line in lines:
        phrase = LEFT_PHONE if line.kind is LineKind.PHONE else LINE
        said = phrase.in_language(language).format(who=who(line.contact_id), words=line.words)
        seconds = max(0, int((now - line.at).total_seconds()))
        sentences.append(f"{capital(said)} · {how_long_ago(seconds, language)}")
    return tuple(sentences)
