"""Parts of a record's log that its owner can ask for, and which entries deserve a second look."""

from enum import StrEnum

from sqlalchemy import ColumnElement, and_, or_

from ficha.audit.chain import AuditEntry


class LogPart(StrEnum):
    ALL = "todo"
    OTHERS = "otros"
    STRANGERS = "extranos"
    CHANGES = "cambios"
    ALARMS = "alarmas"


# What changes the record, or who may open it.
CHANGES = (
    "record.changed",
    "record.handed_over",
    "handover.accepted",
    "access.kept",
    "access.offered",
    "access.granted",
    "access.withdrawn",
    "code.claimed",
    "code.lost",
    "code.retired",
    "code.new_tag",
    "code.issued",
)
_IS_STRANGER = or_(AuditEntry.actor.in_(("tag", "typed", "public")), AuditEntry.actor.startswith("glass:"))


def condition(part: LogPart, mine: str) -> tuple[ColumnElement[bool], ...]:
    """`mine` is the reader as an actor of the log."""
    return {
        LogPart.ALL: (),
        LogPart.OTHERS: (AuditEntry.actor != mine,),
        LogPart.STRANGERS: (_IS_STRANGER,),
        LogPart.CHANGES: (AuditEntry.action.in_(CHANGES),),
        LogPart.ALARMS: (
            or_(
                AuditEntry.actor.startswith("glass:"),
                AuditEntry.via == "staff",
                and_(AuditEntry.actor != mine, AuditEntry.action.in_((*CHANGES, "record.exported"))),
            ),
        ),
    }[part]


def is_alarm(entry: AuditEntry, mine: str) -> bool:
    """As the condition says: reserved facts were opened, staff looked, or somebody else changed or took something.
    A scan of a sticker is none: that is what it is for."""
    by_other = entry.actor != mine and entry.action in (*CHANGES, "record.exported")
    return entry.actor.startswith("glass:") or entry.via == "staff" or by_other
