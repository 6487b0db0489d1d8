"""Reads what a notification tells about our account, its numbers and templates, and about calls."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ficha.channels.messages import AccountUpdate, IncomingCall, NotificationItem, OtherItem, TemplateUpdate
from ficha.channels.whatsapp.incoming_items import DASHBOARD_NUMBER_ID, LATEST, NotificationContext, time_of
from ficha.channels.whatsapp.json_checks import Malformed

TEMPLATE_STATUS = "message_template_status_update"
ABOUT_TEMPLATES = ("message_template_quality_update", "message_template_components_update", "template_category_update")
ABOUT_NUMBERS = ("phone_number_quality_update", "phone_number_name_update")
ABOUT_ACCOUNT = (
    "account_alerts",
    "account_review_update",
    "account_update",
    "business_capability_update",
    "business_status_update",
    "security",
)
FROM_A_PERSON = "USER_INITIATED"


def read_account_change(
    field: str, value: Mapping[str, Any], account: str | None, time: Any
) -> Sequence[NotificationItem]:
    """Empty for what we do not know how to read."""
    at = _moment(time)
    if field == "calls":
        return _calls(value)
    template = _text(value, "message_template_name"), _text(value, "message_template_language")
    if field == TEMPLATE_STATUS and all(template) and _text(value, "event"):
        return [TemplateUpdate(template[0], template[1], _text(value, "event").upper(), at, account)]
    if field in ABOUT_TEMPLATES and all(template):
        return [AccountUpdate(f"template:{template[0]}:{template[1]}:{field}", value, at, account)]
    if field in ABOUT_NUMBERS:
        digits = "".join(letter for letter in _text(value, "display_phone_number") if letter.isdigit())
        return [AccountUpdate(f"number:{digits}:{field}", value, at, account)] if digits else []
    return [AccountUpdate(f"account:{field}", value, at, account)] if field in ABOUT_ACCOUNT else []


def _calls(value: Mapping[str, Any]) -> list[NotificationItem]:
    calls = value.get("calls")
    context = NotificationContext.of({**value, "messages": calls})
    return [_call(call, context) for call in calls] if isinstance(calls, list) else []


def _call(call: Any, context: NotificationContext) -> NotificationItem:
    """Its beginning and its end; what we called ourselves is kept, and nothing else."""
    if not isinstance(call, dict) or call.get("direction", FROM_A_PERSON) != FROM_A_PERSON or not _text(call, "from"):
        return OtherItem("calls", call)
    try:
        return IncomingCall(
            _text(call, "id"),
            context.number_id,
            context.author(call),
            time_of(call),
            is_test=context.phone_number_id == DASHBOARD_NUMBER_ID,
        )
    except Malformed:
        return OtherItem("calls", call)


def _moment(value: Any) -> datetime | None:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value < LATEST:
        return None
    return datetime.fromtimestamp(value, UTC)


def _text(item: Mapping[str, Any], name: str) -> str:
    value = item.get(name)
    return value if isinstance(value, str) else ""
