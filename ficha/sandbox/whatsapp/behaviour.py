"""How the platform behaves: timing, limits and failures, which can be changed while it runs."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

StatusPlan = Literal["normal", "read_only", "reordered", "duplicates", "none"]


@dataclass(frozen=True)
class Behaviour:
    """How the platform behaves; `PUT /_sandbox/behaviour` changes it while it runs."""

    # Statuses: seconds after acceptance, as the wall clock counts them.
    statuses: StatusPlan = "normal"
    sent_seconds: float = 0.05
    delivered_seconds: float = 0.15
    read_seconds: float = 0.3
    auto_read: bool = False
    # Outside the window: a failed status later (as seen), or HTTP 400 at once (as the error table allows).
    window_refuses_at_once: bool = False
    window_hours: float = 24
    # What becomes of messages to these numbers or user ids: a failed status with that code, or an error at once.
    fails: Mapping[str, int] = field(default_factory=dict)
    refuses: Mapping[str, int] = field(default_factory=dict)
    # Who may be written to; None is everybody. A test number of the platform knows five at most.
    allowed: tuple[str, ...] | None = None
    # Limits. None switches one off.
    per_second: int | None = 80
    pair_burst: int | None = 45
    pair_seconds: float = 6
    management_per_hour: int | None = 5000
    # 4 and 130429 are 400 in the platform's table and 429 in its OpenAPI document: both were seen.
    limit_status: Literal[400, 429] = 400
    # Notifications.
    with_user_ids: bool = True
    contacts_in_failed: bool = False
    webhook_retries: tuple[float, ...] = (0, 0.5, 1, 2, 4, 8, 15, 30, 60, 120, 300, 600)
    webhook_seconds: float = 10
    webhook_copies: int = 1
    batch_seconds: float = 0
    wrong_signature: bool = False
    # Templates made through the API are reviewed this fast; None leaves them pending.
    review_seconds: float | None = 0.2
