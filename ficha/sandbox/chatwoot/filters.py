"""Filters: a list of conditions that a contact or a conversation meets or does not."""

import operator
from collections.abc import Callable
from datetime import datetime
from typing import Any

from ficha.sandbox.chatwoot.errors import text_error
from ficha.sandbox.chatwoot.records import Contact, Conversation

# What is there and what is asked for, both as texts in small letters.
Operator = Callable[[list[str], list[str]], bool]

CONTACT_KEYS = (
    "name",
    "phone_number",
    "email",
    "identifier",
    "country_code",
    "city",
    "company_name",
    "labels",
    "created_at",
    "last_activity_at",
    "blocked",
)
CONVERSATION_KEYS = ("status", "assignee_id", "team_id", "inbox_id", "labels", "created_at", "last_activity_at")


def _any(test: Callable[[str, str], bool]) -> Operator:
    return lambda values, wanted: any(test(value, text) for value in values for text in wanted)


def _none(test: Callable[[str, str], bool]) -> Operator:
    return lambda values, wanted: not any(test(value, text) for value in values for text in wanted)


OPERATORS: dict[Any, Operator] = {
    "equal_to": _any(operator.eq),
    "not_equal_to": _none(operator.eq),
    "contains": _any(operator.contains),
    "does_not_contain": _none(operator.contains),
    "starts_with": _any(str.startswith),
    "is_greater_than": _any(operator.gt),
    "is_less_than": _any(operator.lt),
    "is_present": lambda values, _wanted: bool(values),
    "is_not_present": lambda values, _wanted: not values,
}


def matches_filter(given: Any, thing: Contact | Conversation) -> bool:
    """`query_operator` joins a condition to the next one. Raises the platform's error for what it does not know."""
    conditions = given if isinstance(given, list) else []
    result, joined = True, "and"
    for condition in conditions:
        met = _is_met(condition, thing)
        result = (result or met) if joined == "or" else (result and met)
        joined = str(condition.get("query_operator") or "and").lower()
    return result


def _is_met(condition: Any, thing: Contact | Conversation) -> bool:
    key = condition.get("attribute_key") if isinstance(condition, dict) else None
    value = _value(thing, str(key))
    wanted = condition.get("values") or []
    wanted = [str(each).lower() for each in (wanted if isinstance(wanted, list) else [wanted])]
    values = [str(each).lower() for each in (value if isinstance(value, list) else [] if value is None else [value])]
    name = condition.get("filter_operator")
    if name not in OPERATORS:
        raise text_error(422, f"Invalid operator. The allowed operators for {key} are [{', '.join(OPERATORS)}].")
    return OPERATORS[name](values, wanted)


def _value(thing: Contact | Conversation, key: str) -> Any:
    known = CONTACT_KEYS if isinstance(thing, Contact) else CONVERSATION_KEYS
    if key in thing.custom_attributes:
        return thing.custom_attributes[key]
    if key not in known:
        names = ", ".join(known)
        raise text_error(
            422, f"Invalid attribute key - [{key}]. The key should be one of [{names}] or a custom attribute."
        )
    if key in ("country_code", "city", "company_name"):
        return thing.additional_attributes.get(key)
    value = thing.inbox.id if key == "inbox_id" and isinstance(thing, Conversation) else getattr(thing, key)
    return value.date().isoformat() if isinstance(value, datetime) else value
