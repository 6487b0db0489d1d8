"""What an administrator changed, as a sentence: who did what to which, and each value before and after. Pure: a row of
the log and the names of accounts in, words out."""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from ficha.accounts.accounts import Idioma
from ficha.administration.admin_changes import AdminChange
from ficha.administration.plans import title_of
from ficha.fmd.dates_and_amounts import zoned_text
from ficha.fmd.rules.advice import all_advice
from ficha.fmd.rules.signs import all_signs
from ficha.fmd.rules.withdrawn_rules import RuleKind
from ficha.web.kit.language import Phrases, Translate, translator
from ficha.web.kit.texts import page_texts

PHRASES, SHARED = page_texts("console", "changes"), page_texts("kit", "sections")

ACCOUNT = re.compile(r"account:([0-9]{1,18})")
# What forms of the console ask for has its words there.
OF_FORMS: Mapping[str, Phrases] = {
    "service": page_texts("console", "services"),
    "navigation_button": page_texts("console", "buttons"),
    "project": page_texts("console", "projects"),
    "subscription": page_texts("console", "subscriptions"),
}
# Of their targets, which are numbers of accounts.
OF_ACCOUNT = ("subscription",)
# Rows of a roster, which its own page tells.
LISTS = ("told", "ignored_columns")
Names = Mapping[int, str]


def accounts_named(actors: Iterable[str]) -> set[int]:
    return {int(number) for actor in actors for number in ACCOUNT.findall(actor)}


def accounts_in(changes: Sequence[AdminChange]) -> set[int]:
    """Whose names the sentences need."""
    found = accounts_named(f"{change.actor} {change.target}" for change in changes)
    return found | {int(each.target) for each in changes if each.kind in OF_ACCOUNT and each.target.isdigit()}


class ReaderWords(NamedTuple):
    """For whom it is said: the words of the language, and the zone of the times."""

    t: Translate
    language: Idioma
    zone: str


def change_sentence(language: Idioma, change: AdminChange, names: Names, zone: str) -> str:
    """A kind or an action that has no words yet is named as it is stored."""
    t = translator(language, PHRASES, SHARED)
    reader = ReaderWords(t, language, zone)
    key, target = f"did_{change.kind}_{change.action}", _target(reader, change, names)
    who = person_words(t, change.actor, names)
    if key in PHRASES:
        said = t(key, who=who, target=target)
    else:
        said = t("did_something", who=who, action=change.action, kind=change.kind, target=target)
    said, details = said[:1].upper() + said[1:], _details(reader, change)
    return f"{said}: {details}." if details else f"{said}."


def _details(reader: ReaderWords, change: AdminChange) -> str:
    """Each value that is not the same afterwards; of something new or gone, what it has or had."""
    before, after = change.before, change.after
    names = [name for name in {**before, **after} if before.get(name) != after.get(name) and name not in LISTS]
    return "; ".join(_difference(reader, change.kind, name, before, after) for name in names)


def _difference(reader: ReaderWords, kind: str, name: str, before: Mapping[str, Any], after: Mapping[str, Any]) -> str:
    label = _label(reader, kind, name)
    old, new = (_value(reader, kind, name, values.get(name)) for values in (before, after))
    if name in before and name in after:
        return reader.t("from_to", label=label, old=old, new=new)
    return f"{label}, {new if name in after else old}"


def _label(reader: ReaderWords, kind: str, name: str) -> str:
    known = OF_FORMS.get(kind, {}).get(f"field_{name}")
    words = known.in_language(reader.language) if known else _words(reader.t, f"value_{name}", name)
    return words[:1].lower() + words[1:]


def _value(reader: ReaderWords, kind: str, name: str, value: Any) -> str:
    if value in (None, "", []):
        return reader.t("nothing")
    if isinstance(value, list):
        return ", ".join(_value(reader, kind, name, each) for each in value)
    if isinstance(value, bool):
        return reader.t("yes" if value else "no").lower()
    if isinstance(value, int):
        return str(value)
    return _known_value(reader, kind, name, str(value))


def _known_value(reader: ReaderWords, kind: str, name: str, value: str) -> str:
    """Roles, plans and states have words of their own; what somebody typed is quoted."""
    if name in ("plan", "asked_plan"):
        return reader.t("quoted", text=title_of(value).in_language(reader.language))
    if name in ("role", "roles"):
        return _words(reader.t, f"role_{value}", value)
    if name == "state":
        known = OF_FORMS.get(kind, {}).get(f"state_{value}")
        return known.in_language(reader.language) if known else _words(reader.t, f"state_{value}", value)
    if name.endswith("_at"):
        return zoned_text(datetime.fromisoformat(value), reader.zone, reader.language)
    return reader.t("quoted", text=value)


def _words(t: Translate, key: str, otherwise: str) -> str:
    return t(key) if key in PHRASES else otherwise


def _target(reader: ReaderWords, change: AdminChange, names: Names) -> str:
    """Who is meant, if it is an account; what a rule says; else its number or its name, as it was given."""
    if change.kind == RuleKind.SIGN and change.target in all_signs():
        return reader.t("quoted", text=all_signs()[change.target].in_language(reader.language))
    if change.kind == RuleKind.ADVICE and change.target in all_advice():
        return reader.t("quoted", text=all_advice()[change.target].title.in_language(reader.language))
    if change.kind in OF_ACCOUNT and change.target.isdigit():
        return person_words(reader.t, f"account:{change.target}", names)
    institution, _, account = change.target.rpartition("/")
    if ACCOUNT.fullmatch(account):
        person = person_words(reader.t, account, names)
        return reader.t("person_at", person=person, place=institution) if institution else person
    return change.target


def person_words(t: Translate, actor: str, names: Names) -> str:
    """Her name with her number, which alone is left of an account that is gone; of others what they are called."""
    account = ACCOUNT.fullmatch(actor)
    if account is None:
        return _words(t, f"actor_{actor}", actor)
    number = int(account[1])
    return t("person", name=names[number], number=number) if names.get(number) else t("account_gone", number=number)
