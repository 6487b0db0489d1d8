"""The platform's error answers as exceptions."""

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from ficha.channels.errors import Refused, RetryLater, RetryRule
from ficha.channels.whatsapp.error_codes import RETRY_RULES, KnownError, Remedy, error_by_status, known_error

# A header with a typing error must not stop us for a year.
LONGEST_WAIT = 24 * 3600.0


class WhatsAppError(Exception):
    """An error answer: the request was certainly not accepted. `title` and `details` may quote the request, so they are
    not part of the exception's text and are never logged."""

    def __init__(
        self,
        known: KnownError,
        *,
        status: int,
        code: int | None = None,
        subcode: int | None = None,
        title: str | None = None,
        details: str | None = None,
        trace_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(f"whatsapp: HTTP {status}" if code is None else f"whatsapp: HTTP {status}, code {code}")
        self.remedy: Remedy = known.remedy
        self.meaning = known.meaning
        self.status = status
        self.code = code
        self.subcode = subcode
        self.title = title
        self.details = details
        self.trace_id = trace_id
        self.retry_after = retry_after


class WhatsAppRetryLater(WhatsAppError, RetryLater):
    """It may succeed later without any change."""

    @property
    def rule(self) -> RetryRule:
        return RETRY_RULES[self.remedy]


class WhatsAppRefused(WhatsAppError, Refused):
    """As it is, it will not be accepted."""

    @property
    def is_about_our_credentials(self) -> bool:
        return self.remedy is Remedy.FIX_CREDENTIALS


def platform_error(status: int, error: Mapping[str, Any], headers: Mapping[str, str]) -> WhatsAppError:
    """The exception for an answer with this `error` object, in which anything may be missing."""
    code = _number(error.get("code"))
    known = None if code is None else known_error(code)
    if known is None:
        known = error_by_status(503 if error.get("is_transient") is True else status)
    data = error.get("error_data")
    details = data.get("details") if isinstance(data, dict) else data
    kind = WhatsAppRetryLater if known.remedy in RETRY_RULES else WhatsAppRefused
    return kind(
        known,
        status=status,
        code=code,
        subcode=_number(error.get("error_subcode")),
        title=_text(error.get("message")),
        details=_text(details),
        trace_id=_text(error.get("fbtrace_id")),
        retry_after=wait_of(headers),
    )


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds until we may try again, if the answer says so. Header names in lower case."""
    waits = [wait for wait in (_retry_after(headers), _regain_access(headers)) if wait is not None]
    return min(max(waits), LONGEST_WAIT) if waits else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    # A date is compared with the answer's own date, because our clock may differ.
    try:
        wait = parsedate_to_datetime(text) - parsedate_to_datetime(headers.get("date", ""))
    except (ValueError, TypeError, OverflowError):
        return None
    return max(0.0, wait.total_seconds())


def _regain_access(headers: Mapping[str, str]) -> float | None:
    """`{"<id>": [{"estimated_time_to_regain_access": 19}]}`, in minutes."""
    try:
        usage = json.loads(headers.get("x-business-use-case-usage", "null"))
    except (ValueError, RecursionError):
        return None
    lists = usage.values() if isinstance(usage, dict) else ()
    entries = [entry for each in lists if isinstance(each, list) for entry in each if isinstance(entry, dict)]
    minutes = [_number(entry.get("estimated_time_to_regain_access")) for entry in entries]
    longest = max((number for number in minutes if number), default=0)
    return min(longest * 60.0, LONGEST_WAIT) if 0 < longest < 10**9 else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None
