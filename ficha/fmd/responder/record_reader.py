"""A record as one reader may see it. Whatever is damaged is passed over and counted, and never raises."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any

from ficha.fmd.base import Document, Door
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import CONSENT, Rules, visible
from ficha.fmd.freshness import Level, freshness
from ficha.fmd.responder import phrases
from ficha.fmd.responder.dates_and_amounts import ago, day_said, place_of
from ficha.fmd.responder.languages import relation
from ficha.fmd.responder.view import Confirmed, Damaged, Text
from ficha.fmd.spelling import folded
from ficha.fmd.terms import lookup
from ficha.fmd.translations import Choice, Translated

Item = Mapping[str, Any]
Documents = Mapping[str, Document | Damaged]


class Reading:
    """`seen` is what `consentimiento` opens at this door: nothing else of the record is ever shown."""

    def __init__(
        self,
        documents: Documents,
        door: Door,
        today: date,
        language: str,
        saved: Mapping[str, datetime] | None = None,
    ) -> None:
        self.seen = visible(documents, door)
        self.door = door
        self.today = today
        self.language = language
        self._place = place_of(language)
        self._saved = saved or {}
        self._confirmed: dict[tuple[str, str, str], Confirmed] = {}
        self._raw = documents
        self._rules = Rules.of(documents)
        self.consent_unreadable = CONSENT in documents and self._rules.damaged
        # The models that could not be opened, with their titles; only those that this reader would have seen.
        self.unreadable = {
            model.about.wire: self.say(model.about.title)
            for model in CATALOG
            if self._is_damaged(model.about.wire) and self._opens(model.about.wire)
        }

    def say(self, words: Translated) -> str:
        return words[self._place]

    def document(self, wire: str) -> Item:
        return self.seen.get(wire, {})

    def items(self, wire: str, field: str) -> Sequence[Item]:
        found = self.document(wire).get(field)
        return found if isinstance(found, list) else ()

    def lost_items(self, wire: str, field: str) -> int:
        """How many items are no items at all. Where the owner hid single ones, they may be those: not counted."""
        raw = self._raw.get(wire)
        value = raw.get(field) if isinstance(raw, Mapping) else None
        if value is None or self._rules.names_facts_of(wire) or not self._opens(wire):
            return 0
        return sum(not isinstance(item, Mapping) for item in value) if isinstance(value, list) else 1

    def own(self, item: Item, name: str) -> Text | None:
        words = written(item, name)
        return Text(words, own=True) if words else None

    def coded(self, term: object, model: str) -> Text | None:
        """A known code in the reader's language; otherwise the text as it was written."""
        return self.named(term, model)[0]

    def named(self, term: object, model: str) -> tuple[Text | None, Text | None]:
        """The same, and what the owner wrote beside a code when it says more than the code: a brand, a strength."""
        if not isinstance(term, Mapping):
            return None, None
        text, codigo = written(term, "texto"), written(term, "codigo")
        words = lookup(written(term, "sistema"), codigo, model) if codigo else None
        if words is None:
            text = text or codigo
            return (Text(text, own=True) if text else None), None
        title = Text(words[self._place])
        if not text or text in words:
            return title, None
        plain = folded(text)
        return title, None if any(plain in folded(word) for word in words) else Text(text, own=True)

    def choice(self, kind: type[Choice], value: object) -> Choice | None:
        """None if the stored value is none of them: an old or damaged entry."""
        return next((member for member in kind if member == value), None)

    def chosen(self, kind: type[Choice], value: object) -> Text | None:
        """Its words, in lower case: they stand among others."""
        found = self.choice(kind, value)
        return Text(_lower(self.say(found.words))) if found else None

    def relation(self, item: Item) -> Text | None:
        text = written(item, "relacion")
        words = relation(text)
        return Text(self.say(words)) if words else Text(text, own=True) if text else None

    def since(self, words: Translated, value: object) -> Text | None:
        day = day_said(value, self.language)
        return Text(f"{self.say(words)} {day}") if day else None

    def confirmed(self, item: Item, wire: str) -> Confirmed:
        """How long ago somebody held it to be true, and who."""
        key = (wire, written(item, "confirmado_en"), written(item, "fuente"))
        found = self._confirmed.get(key)
        if found is None:  # Whoever confirms a record confirms many facts on the same day.
            found = self._confirmed[key] = self._confirmation(*key)
        return found

    def _confirmation(self, wire: str, day: str, fuente: str) -> Confirmed:
        model = CATALOG.find(wire)
        assert model
        found = freshness(day, model.about.fresh_days, self.today)
        source = phrases.SOURCES.get(fuente)
        parts = [self.say(source)] if source else []
        parts.append(ago(found.days, self.language) if found.days is not None else self.say(phrases.NO_DATE))
        if found.level is not Level.GREEN and found.days is not None:
            parts.append(self.say(phrases.CONFIRM if found.level is Level.AMBER else phrases.MAY_HAVE_CHANGED))
        return Confirmed(", ".join(parts), found.level)

    def saved(self, wire: str) -> Confirmed | None:
        """When the model was last saved, for what carries no date of its own."""
        moment = self._saved.get(wire)
        if moment is None:
            return None
        days = max(0, (self.today - moment.date()).days)
        return Confirmed(self.say(phrases.SAVED).format(ago(days, self.language)))

    def _is_damaged(self, wire: str) -> bool:
        return wire in self._raw and not isinstance(self._raw[wire], Mapping)

    def _opens(self, wire: str) -> bool:
        model = CATALOG.find(wire)
        assert model
        return self.door.opens(self._rules.door_of(wire) or model.about.door)


def written(item: Item, name: str) -> str:
    value = item.get(name)
    return value.strip() if isinstance(value, str) else ""


def texts(*found: Text | None) -> tuple[Text, ...]:
    """Those that there are."""
    return tuple(text for text in found if text)


def _lower(words: str) -> str:
    return words[:1].lower() + words[1:]
