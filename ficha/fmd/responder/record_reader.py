"""A record as one reader may see it, as texts in her language. Damaged parts are left out and counted."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import cache, lru_cache
from typing import Any

from ficha.core.crypto import Tampered, cipher_of
from ficha.core.log import log
from ficha.fmd.base import Document, Door
from ficha.fmd.catalog import CATALOG, Catalog
from ficha.fmd.consent import CONSENT, ConsentRules, visible_by_rules
from ficha.fmd.dates_and_amounts import date_text, days_ago
from ficha.fmd.entries import SealedEntry, open_document
from ficha.fmd.freshness import Level, days_since, level_after
from ficha.fmd.responder import phrases
from ficha.fmd.responder.relations import relation
from ficha.fmd.responder.view import DAMAGED, ConfirmedBy, Damaged, ShownText
from ficha.fmd.terms import class_of, folded, lookup
from ficha.fmd.translations import Choice, Translated, language_index

Item = Mapping[str, Any]
Documents = Mapping[str, Document | Damaged]


def opened_entries(record_id: int, key: bytes, entries: Iterable[SealedEntry]) -> dict[str, Any]:
    """Decrypted, by model. One that does not open is DAMAGED: the reader still gets the others."""
    documents: dict[str, Any] = {}
    cipher = cipher_of(key)
    for model, version, _, sealed in entries:
        try:
            documents[model] = open_document(cipher, record_id, model, version, sealed)
        except (Tampered, ValueError):
            log().error("entry.damaged", record_id=record_id, model=model)
            documents[model] = DAMAGED
    return documents


class RecordReader:
    """`visible` is what `consentimiento` lets this door see: nothing else of the record is ever shown. Never raises."""

    def __init__(
        self,
        documents: Documents,
        door: Door,
        today: date,
        language: str,
        saved: Mapping[str, datetime] | None = None,
        catalog: Catalog = CATALOG,
        *,
        on_paper: bool = False,
    ) -> None:
        self.catalog = catalog
        self._rules = ConsentRules.of(documents)
        self._has_rules = self._rules.has_any
        self.visible = visible_by_rules(documents, self._rules, door, catalog)
        self.door = door
        self.today = today
        # Paper is read for a year and more: it says days, where a screen says ages and weeks.
        self.on_paper = on_paper
        self.language = language
        self._language_index = language_index(language)
        self._saved = saved or {}
        self._fresh_days = _fresh_days(catalog)
        self._days: dict[str, int | None] = {}
        self._raw = documents
        self.consent_unreadable = CONSENT in documents and self._rules.damaged
        seen = [*self.visible, *filter(self._may_see, documents.keys() - self.visible.keys())]
        readable = [document for wire in seen if isinstance(document := documents[wire], dict)]
        # All names of fields, also of those of which nothing could be read.
        self._fields = set().union(*readable)
        has_damaged = len(readable) < len(seen)
        self._may_have_any = self._has_rules or has_damaged
        # The models that could not be opened, with their titles; only those that this reader would have seen.
        self.unreadable = {
            model.about.wire: self.translate(model.about.title)
            for model in (catalog if has_damaged else ())
            if model.about.wire in seen and not isinstance(documents[model.about.wire], dict)
        }

    def phrase(self, words: Translated, *, strong: bool = False) -> ShownText:
        """A phrase of ours as it is."""
        return _phrase(words, self._language_index, strong)

    def translate(self, words: Translated) -> str:
        return words[self._language_index]

    def knows(self, fields: frozenset[str]) -> bool:
        """False if nothing at all can be said of these fields: the record has none, or only such as this reader cannot
        tell from none."""
        return self._may_have_any or not fields.isdisjoint(self._fields)

    def document(self, wire: str) -> Item:
        return self.visible.get(wire, {})

    def items(self, wire: str, field: str) -> Sequence[Item]:
        if wire not in self.visible:
            return ()
        found = self.visible[wire].get(field)
        return found if isinstance(found, list) else ()

    def unreadable_count(self, wire: str, field: str) -> int:
        """How many items of a list are damaged. Zero where the owner hid single items: these may be among them."""
        if wire not in self._raw:
            return 0
        raw = self._raw[wire]
        value = raw.get(field) if isinstance(raw, dict) else None
        if value is None:
            return 0
        count = len([item for item in value if not isinstance(item, dict)]) if isinstance(value, list) else 1
        return count if count and not self._rules.names_facts_of(wire) and self._may_see(wire) else 0

    def owner_text(self, item: Item, name: str) -> ShownText | None:
        """A field in the owner's own words."""
        words = stripped_text(item, name)
        return ShownText(words, own=True) if words else None

    def term_text(self, term: object, model: str) -> ShownText | None:
        """A known code in the reader's language; otherwise the text as it was written."""
        return self.term_and_note(term, model)[0]

    def term_and_note(self, term: object, model: str) -> tuple[ShownText | None, ShownText | None]:
        """The term, and what the owner wrote for it if that says more than the code: a brand, a strength."""
        if not isinstance(term, dict):
            return None, None
        text, codigo = stripped_text(term, "texto"), stripped_text(term, "codigo")
        words = lookup(stripped_text(term, "sistema"), codigo, model) if codigo else None
        if words is None:
            text = text or codigo
            group = class_of(codigo) if stripped_text(term, "sistema") == "atc" else None
            return (ShownText(text, own=True) if text else None), ShownText(
                group[self._language_index]
            ) if group else None
        title = _phrase(words, self._language_index, False)
        if not text or text in words.es or text in words.en or text in words.pt:
            return title, None
        plain = folded(text)
        return title, None if any(plain in word for word in _folded_words(words)) else ShownText(text, own=True)

    def choice_of(self, kind: type[Choice], value: object) -> Choice | None:
        """None for a value that is not one of the list."""
        return _members(kind).get(value) if isinstance(value, str) else None

    def choice_text(self, kind: type[Choice], value: object) -> ShownText | None:
        """The words of a choice, in lower case, for the middle of a line."""
        found = self.choice_of(kind, value)
        return _choice_text(found.words, self._language_index) if found else None

    def relation_text(self, item: Item) -> ShownText | None:
        text = stripped_text(item, "relacion")
        words = relation(text)
        return self.phrase(words) if words else ShownText(text, own=True) if text else None

    def labelled_date(self, label: Translated, value: object) -> ShownText | None:
        day = date_text(value, self.language)
        return ShownText(f"{self.translate(label)} {day}") if day else None

    def labelled_text(self, label: Translated, item: Item, name: str) -> ShownText | None:
        words = stripped_text(item, name)
        return ShownText(f"{self.translate(label)} {words}") if words else None

    def confirmation(self, item: Item, wire: str) -> ConfirmedBy:
        """When the item was last confirmed, and by whom."""
        day, fuente = stripped_text(item, "confirmado_en"), stripped_text(item, "fuente")
        if day not in self._days:  # Most facts are confirmed on the same day.
            self._days[day] = days_since(day, self.today)
        known = fuente if fuente in phrases.SOURCES else ""
        return _confirmed(self._days[day], self._fresh_days[wire], known, self.language)

    def last_saved(self, wire: str) -> ConfirmedBy | None:
        """When the model was last saved, for what has no date of its own."""
        day = self.day_saved(wire)
        return None if day is None else _saved(max(0, (self.today - day).days), self.language)

    def day_saved(self, wire: str) -> date | None:
        moment = self._saved.get(wire)
        return None if moment is None else moment.date()

    def reserved_sentence(self, *wires: str) -> str | None:
        """That the owner reserved these models, or single facts of them, whether there is any data or not."""
        if not self._rules.doors:
            return None
        doors = [door for wire in wires if (door := self._rules.strictest_door(wire)) and not self.door.sees(door)]
        if not doors:
            return None
        is_private = all(door is Door.P for door in doors) or self.door is not Door.R
        return self.translate(phrases.RESERVED_PRIVATE if is_private else phrases.RESERVED)

    def opened_by_glass(self) -> tuple[str, ...]:
        """Titles of what the glass would open: models that are behind it, and fields of others."""
        if not self._has_rules:
            return _behind_glass(self.catalog, self._language_index)
        return _titles_behind_glass(self.catalog, self._language_index, self._rules)

    def _may_see(self, wire: str) -> bool:
        model = self.catalog.find(wire)
        return model is not None and self.door.sees(self._rules.door_of(wire) or model.about.door)


def _titles_behind_glass(catalog: Catalog, language: int, rules: ConsentRules) -> tuple[str, ...]:
    behind = [
        model.about.title[language].lower()
        for model in catalog
        if (rules.door_of(model.about.wire) or model.about.door) is Door.B
        or rules.has_facts_behind(model.about.wire, Door.B)
    ]
    personal = rules.door_of("personal") or Door.R
    return (*((phrases.IDENTITY[language].lower(),) if personal is Door.R else ()), *behind)


@cache
def _behind_glass(catalog: Catalog, language: int) -> tuple[str, ...]:
    """Where the owner decided nothing."""
    return _titles_behind_glass(catalog, language, ConsentRules({}))


@cache
def _members(kind: type[Choice]) -> Mapping[str, Choice]:
    return {member.value: member for member in kind}


@cache
def _fresh_days(catalog: Catalog) -> Mapping[str, int]:
    return {model.about.wire: model.about.fresh_days for model in catalog}


@cache
def _phrase(words: Translated, language: int, strong: bool) -> ShownText:
    """Of a phrase, a choice or a term of the catalogue: what somebody wrote is not kept here."""
    return ShownText(words[language], strong=strong)


@cache
def _choice_text(words: Translated, language: int) -> ShownText:
    return ShownText(_lower(words[language]))


@cache
def _folded_words(words: Translated) -> tuple[str, ...]:
    """Of a term of the catalogue: there are a few hundred."""
    return tuple(map(folded, words))


@lru_cache(maxsize=4096)
def _confirmed(days: int | None, fresh_days: int, fuente: str, language: str) -> ConfirmedBy:
    """Kept for all records: it knows only how many days ago and who, of nobody in particular."""
    index, level = language_index(language), level_after(days, fresh_days)
    if level is Level.GREEN:
        parts = [phrases.CONFIRMED_BY.get(fuente, phrases.CONFIRMED)[index]]
    else:
        parts = [phrases.SOURCES[fuente][index]] if fuente else []
    parts.append(days_ago(days, language) if days is not None else phrases.NO_DATE[index])
    if level is not Level.GREEN and days is not None:
        parts.append((phrases.CONFIRM if level is Level.AMBER else phrases.MAY_HAVE_CHANGED)[index])
    return ConfirmedBy(", ".join(parts), level)


@lru_cache(maxsize=4096)
def _saved(days: int, language: str) -> ConfirmedBy:
    """Kept like `_confirmed`."""
    return ConfirmedBy(phrases.SAVED[language_index(language)].format(days_ago(days, language)))


def stripped_text(item: Item, name: str) -> str:
    """A field as text without outer spaces; empty if it is anything else."""
    if name not in item:  # Of most fields there is nothing.
        return ""
    try:
        words: str = item[name].strip()
    except AttributeError:  # Of what JSON knows only texts have that.
        return ""
    return words


def present(*found: ShownText | None) -> tuple[ShownText, ...]:
    """The texts that are not None."""
    return tuple(filter(None, found))


def _lower(words: str) -> str:
    """Not of what is written with capitals everywhere: WhatsApp, O-."""
    rest = words.partition(" ")[0][1:]
    return words[:1].lower() + words[1:] if rest.islower() or not rest else words
