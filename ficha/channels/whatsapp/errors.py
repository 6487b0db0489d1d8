"""What the platform answers when it does not do what it was asked."""

import json
import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any

from ficha.channels.errors import Refused, RetryLater
from ficha.channels.whatsapp.error_codes import PASSING, Code, Retry, by_status, code_of

# A header with a typing error must not silence us for a year.
LONGEST_WAIT = 24 * 3600.0


class WhatsAppError(Exception):
    """A refusal in the platform's own words: certain, the request was not accepted. Title and details are for staff;
    they may quote the request, so they are no part of the exception's text and go to no log."""

    def __init__(
        self,
        verdict: Code,
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
        self.retry: Retry = verdict.retry
        self.meaning = verdict.meaning
        self.status = status
        self.code = code
        self.subcode = subcode
        self.title = title
        self.details = details
        self.trace_id = trace_id
        self.retry_after = retry_after


class WhatsAppRetryLater(WhatsAppError, RetryLater):
    """It will come right by itself."""


class WhatsAppRefused(WhatsAppError, Refused):
    """As it is, it will never be accepted."""


def platform_error(status: int, error: Mapping[str, Any], headers: Mapping[str, str]) -> WhatsAppError:
    """From the `error` object of an answer, which may be empty or lack anything."""
    code = _number(error.get("code"))
    known = None if code is None else code_of(code)
    if known is None and error.get("is_transient") is True:
        known = by_status(503)
    verdict = known or by_status(status)
    data = error.get("error_data")
    details = data.get("details") if isinstance(data, dict) else data
    kind = WhatsAppRetryLater if verdict.retry in PASSING else WhatsAppRefused
    return kind(
        verdict,
        status=status,
        code=code,
        subcode=_number(error.get("error_subcode")),
        title=_text(error.get("message")),
        details=_text(details),
        trace_id=_text(error.get("fbtrace_id")),
        retry_after=wait_of(headers),
    )


def wait_of(headers: Mapping[str, str]) -> float | None:
    """Seconds until we may come back, if the answer says so. Header names in lower case."""
    waits = [wait for wait in (_retry_after(headers), _regain_access(headers)) if wait is not None]
    return min(max(waits), LONGEST_WAIT) if waits else None


def _retry_after(headers: Mapping[str, str]) -> float | None:
    text = headers.get("retry-after", "").strip()
    if re.fullmatch(r"[0-9]{1,9}", text):
        return float(text)
    # A date is held against the answer's own date: two clocks never agree.
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
