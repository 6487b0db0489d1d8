"""Who looked, and who changed what: the record's log, or a part of it, by the log that the API reads. An entry is a
sentence: "A stranger opened it on Tuesday at 14:22, after scanning the helmet sticker", in the zone of the person whose
record it is; a place is told only where one was stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from itertools import groupby

from sqlalchemy import ColumnElement, and_, func, or_, select
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account, Idioma
from ficha.audit.chain import AuditEntry
from ficha.audit.log import entries_of
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency_access import WATCHED
from ficha.fmd.access import OpenFmd
from ficha.fmd.break_glass import BreakGlass, identity_of
from ficha.fmd.catalog import CATALOG
from ficha.fmd.dates_and_amounts import moment_text, zone_text
from ficha.fmd.record_codes import sticker_name
from ficha.http.cursors import NO_END, next_cursor, row_before
from ficha.http.dependencies import CurrentCaller, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.institutions.institution import Institution
from ficha.notices.notices import SCANNED_ENDED
from ficha.products.product import Product
from ficha.products.scans import scanned_code
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.time_zones import zone_for

SENTENCES = page_texts("portal", "log")
PHRASES = page_texts("portal", "who_looked")

# By the action in the log: the sentence that tells it.
ACTIONS = {
    "record.read": "read",
    "record.exists": "read",
    "record.listed": "listed",
    "record.named": "named",
    "record.previewed": "previewed",
    "record.changed": "changed",
    "record.created": "created",
    "record.accepted": "accepted",
    "record.exported": "exported",
    "record.summary": "summary",
    "import.proposed": "import_proposed",
    "import.accepted": "import_accepted",
    "import.refused": "import_refused",
    "record.handed_over": "handed_over",
    "handover.accepted": "handover_accepted",
    "access.kept": "kept",
    "record.erased": "erased",
    "log.read": "log_read",
    "history.read": "history_read",
    "access.offered": "offered",
    "access.granted": "granted",
    "access.withdrawn": "withdrawn",
    "code.claimed": "claimed",
    "code.confirmed": "claimed",
    "code.lost": "lost",
    "code.retired": "retired",
    "code.new_tag": "new_tag",
    "code.issued": "issued",
    "code.scanned_ended": "scanned_ended",
    "qr.link": "qr",
    "qr.hybrid": "offline_printed",
    "glass.broken": "asked_more",
    "message.opened": "message_opened",
    "emergency.opened": "alerted",
    "emergency.joined": "alerted",
    "emergency.rehearsed": "rehearsed",
    "emergency.read": "emergency_read",
    WATCHED: "emergency_watched",
    "emergency.located": "located",
    "emergency.changed": "emergency_changed",
    "emergency.acknowledged": "emergency_answered",
    "emergency.reopened": "emergency_reopened",
    "emergency.resolved": "emergency_resolved",
    "emergency.canceled": "emergency_canceled",
    "emergency.slowed": "emergency_slowed",
    "emergency.unanswered": "emergency_unanswered",
    "emergency.taken": "emergency_taken",
    "emergency.handed_back": "emergency_handed_back",
    "emergency.noted": "emergency_noted",
    "emergency.note_opened": "emergency_note_opened",
    "membership.ended": "membership_ended",
    "contact.tested": "contact_tested",
    "contact.alerted": "contact_alerted",
    "contact.located": "contact_located",
    "contact.answered": "contact_answered",
    "contact.moved": "contact_moved",
    "sticker.printed": "sticker_printed",
    "sticker.words": "sticker_printed",
    "sticker.offline": "offline_printed",
    "carnet.issued": "carnet_issued",
    "carnet.printed": "carnet_printed",
    "carnet.offline": "offline_printed",
    "carnet.health_card": "carnet_health_card",
    "carnet.read": "carnet_printed",
    "carnet.revoked": "carnet_revoked",
    "carnet.verified": "carnet_verified",
    "health_card.issued": "health_card_issued",
    "health_card.taken": "health_card_taken",
    "health_card.revoked": "health_card_revoked",
    "paper.sheet": "sheet_made",
    "paper.screen": "screen_made",
    "link.created": "link_created",
    "link.opened": "link_opened",
    "link.file": "link_opened",
    "link.ended": "link_ended",
}

# Files with which somebody takes the record away.
TAKEN = ("record.exported", "record.summary", "health_card.issued", "health_card.taken")
OPENERS = ("tag", "glass")
# Actors of the log that have a word of their own.
KINDS = ("tag", "glass", "typed", "public", "contact", "institution", "ladder", "link")


@dataclass(frozen=True)
class LogReader:
    """What is looked up once for all entries of a page."""

    language: Idioma
    now: datetime
    zone: str
    account_id: int
    people: dict[int, str]
    # Of these the accounts of institutions themselves: who works there looks in her own name.
    institutions: set[int]
    strangers: dict[int, str]
    stickers: dict[str, str]

    @classmethod
    def of(
        cls,
        request: Request,
        tx: Transaction,
        fmd: OpenFmd,
        account_id: int,
        entries: Sequence[AuditEntry],
        now: datetime,
    ) -> "LogReader":
        actors = [_actor(entry.actor) for entry in entries]
        accounts = {number for kind, number in actors if kind == "account" and number is not None}
        broken = {number for kind, number in actors if kind == "glass" and number is not None}
        people = tx.orm.execute(select(Account.id, Account.nombre).where(Account.id.in_(accounts))).all()
        services = select(Institution.account_id).where(Institution.account_id.in_(accounts))
        glass = tx.orm.scalars(select(BreakGlass).where(BreakGlass.id.in_(broken), BreakGlass.record_id == fmd.id))
        products = tx.orm.scalars(select(Product).where(Product.record_id == fmd.id))
        return cls(
            language_of(request),
            now,
            zone_for(request, tx, fmd, account_id),
            account_id,
            {one.id: one.nombre for one in people},
            {account_id for account_id in tx.orm.scalars(services) if account_id is not None},
            {one.id: identity_of(one, fmd.key).who for one in glass},
            {product.code: sticker_name(product, fmd.key) for product in products},
        )

    def sentence(self, entry: AuditEntry) -> str:
        """Without a full stop: names of sections may follow."""
        t = translator(self.language, SENTENCES)
        action = ACTIONS.get(entry.action, "other")
        kind, _ = _actor(entry.actor)
        did = "opened" if action == "read" and kind in OPENERS else action
        return t("told", who=self._who(entry), did=t(f"did_{did}"), when=self.when(entry.at), after=self._after(entry))

    def when(self, at: datetime) -> str:
        return moment_text(at, self.now, self.zone, self.language)

    def about(self, entry: AuditEntry) -> str:
        """The sections that it names."""
        found = (CATALOG.find(name) for name in entry.what)
        return ", ".join(model.about.title.in_language(self.language) for model in found if model is not None)

    def _who(self, entry: AuditEntry) -> str:
        t = translator(self.language, SENTENCES)
        kind, number = _actor(entry.actor)
        if kind == "account" and number is not None:
            return self._account(number, entry.via)
        if kind == "glass" and number is not None and self.strangers.get(number):
            return t("glass_named", name=self.strangers[number])
        return t(kind if kind in KINDS else "somebody")

    def _account(self, number: int, via: str) -> str:
        t = translator(self.language, SENTENCES)
        if number == self.account_id or via == "staff":
            return t("via_staff" if number != self.account_id else "you")
        name = self.people.get(number, "")
        if via == "institution" and name and number not in self.institutions:
            return t("via_worker", name=name)
        if via in ("guardian", "delegate", "institution") and name:
            return t(f"via_{via}", name=name)
        return name or t("via_owner" if via == "owner" else "somebody")

    def _after(self, entry: AuditEntry) -> str:
        if entry.action == SCANNED_ENDED:
            return "".join(f" ({self.stickers.get(code) or code})" for code in entry.what)
        code = scanned_code(entry.what)
        if not code:
            return ""
        name = self.stickers.get(code, "")
        t = translator(self.language, SENTENCES)
        return t("after_named", sticker=name) if name else t("after_code", sticker=code)


def _actor(text: str) -> tuple[str, int | None]:
    kind, _, number = text.partition(":")
    return kind, int(number) if number.isdecimal() else None


class LogPart(StrEnum):
    ALL = "todo"
    OTHERS = "otros"
    STRANGERS = "extranos"
    CHANGES = "cambios"
    ALARMS = "alarmas"


# What changes the record, or who may open it.
CHANGES = (
    *("record.changed", "record.handed_over", "handover.accepted"),
    *("access.kept", "access.offered", "access.granted", "access.withdrawn"),
    *("code.claimed", "code.lost", "code.retired", "code.new_tag", "code.issued"),
)
_IS_STRANGER = or_(
    AuditEntry.actor.in_(("tag", "typed", "public")),
    AuditEntry.actor.startswith("glass:"),
    AuditEntry.actor.startswith("link:"),
)


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
                and_(AuditEntry.via == "staff", AuditEntry.action != WATCHED),
                and_(AuditEntry.actor != mine, AuditEntry.action.in_((*CHANGES, *TAKEN))),
            ),
        ),
    }[part]


def is_alarm(entry: AuditEntry, mine: str) -> bool:
    """As the condition says: reserved facts were opened, staff looked, or somebody else changed or took something.
    A scan of a sticker is none: that is what it is for. Nor is a page of staff that stayed open: the look was one."""
    by_other = entry.actor != mine and entry.action in (*CHANGES, *TAKEN)
    by_staff = entry.via == "staff" and entry.action != WATCHED
    return entry.actor.startswith("glass:") or by_staff or by_other


# Looking by itself: it changes nothing, and goes out to nobody.
LOOKS = frozenset(f"record.{how}" for how in ("read", "exists", "listed", "named", "previewed")) | {
    "log.read",
    "history.read",
    "emergency.read",
    WATCHED,
}


def is_own_look(entry: AuditEntry, mine: str) -> bool:
    return entry.actor == mine and entry.action in LOOKS and entry.via != "staff"


routes = signed_in_routes("/app")

SIZE = 50
ALARM_DAYS = timedelta(days=30)


@dataclass(frozen=True)
class LogLine:
    entry: AuditEntry
    sentence: str
    about: str
    is_alarm: bool
    is_own_look: bool


@routes.page("/{code}/accesos")
def who_looked(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    """Newest first; with `ver`, one part of it."""
    fmd = opened.fmd
    fmd.must_manage()
    opened.note("log.read", [], now)
    parts.read_log.drain_now()
    reading.give_back()  # To see what was drained just now.
    asked = request.query_params.get("ver")
    part = LogPart(asked) if asked in set(LogPart) else LogPart.ALL
    mine = f"account:{caller.account_id}"
    before = row_before(request.query_params.get("cursor"), NO_END)
    found = entries_of(reading, fmd.id, *condition(part, mine), before_seq=before, limit=SIZE + 1)
    reader = LogReader.of(request, reading, fmd, caller.account_id, found, now)
    alarms = reading.orm.scalar(
        select(func.count())
        .select_from(AuditEntry)
        .where(AuditEntry.record_id == fmd.id, AuditEntry.at > now - ALARM_DAYS, *condition(LogPart.ALARMS, mine))
    )
    lines = [
        LogLine(entry, reader.sentence(entry), reader.about(entry), is_alarm(entry, mine), is_own_look(entry, mine))
        for entry in found[:SIZE]
    ]
    return show(
        request,
        "portal/log/who_looked.html",
        PHRASES,
        code=code,
        # Her own looks in a row are one line that opens: else they hide what others did.
        groups=[(is_own, list(lines)) for is_own, lines in groupby(lines, lambda line: line.is_own_look)],
        parts=list(LogPart),
        part=part,
        zone=zone_text(reader.zone),
        alarms=alarms,
        following=next_cursor(found, SIZE, lambda entry: entry.seq),
    )
