"""Opening a record by its sticker in the ordinary lane: with an alert under way, or after the glass was broken."""

from dataclasses import replace
from datetime import datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account, Idioma
from ficha.emergencies.alert_progress import current_emergency, live_lines
from ficha.fmd.access import FmdNotFound, ScannedFmd, scan
from ficha.fmd.break_glass import reopen, until
from ficha.fmd.entries import Entry
from ficha.fmd.responder.view import DAMAGED
from ficha.parts import Parts
from ficha.web.sticker.page_facts import Alert, GlassForm
from ficha.web.sticker.progress_sentences import sentences
from ficha.web.sticker.responder_page import OpenedRecord, Sealed

# Holds what broken glass opens. It goes with requests for that sticker's page only.
GLASS_COOKIE = "ficha_glass"


def scanned(session: Session, parts: Parts, code: str, tag: str, glass: str | None, now: datetime) -> ScannedFmd:
    """As deep as the glass was broken, for the sticker it was broken with."""
    plain = scan(session, parts.keyring, code, tag)
    if glass:
        try:
            deeper = reopen(session, parts.keyring, glass, now)
        except FmdNotFound:
            return plain
        if deeper.record.id == plain.record.id:
            return deeper
    return plain


def opened(
    session: Session,
    fmd: ScannedFmd,
    tag: str,
    language: Idioma,
    now: datetime,
    *,
    form: GlassForm | None = None,
) -> OpenedRecord:
    """Three queries, and a few more while an alert is under way."""
    entries = [
        Sealed(entry.model, entry.version, entry.updated_at, entry.sealed)
        for entry in session.scalars(select(Entry).where(Entry.record_id == fmd.record.id))
    ]
    written_in = session.scalar(select(Account.idioma).where(Account.id == fmd.record.account_id)) or ""
    glass_until = until(session, fmd.actor.id) if fmd.actor.kind == "glass" and fmd.actor.id else None
    found = OpenedRecord(
        fmd.code, tag.upper(), fmd.record.id, fmd.key, entries, written_in, fmd.door, glass_until, glass=form
    )
    lines = alert_lines(session, found, language, now)
    return found if lines is None else replace(found, alert=Alert(lines))


def alert_lines(session: Session, found: OpenedRecord, language: Idioma, now: datetime) -> tuple[str, ...] | None:
    emergency = current_emergency(session, found.record_id)
    if emergency is None:
        return None
    documents: dict[str, Any] = {
        model: document
        for model, document in found.documents().items()
        if model in ("emergencia", "consentimiento") and document is not DAMAGED
    }
    return sentences(live_lines(session, found.key, emergency, now, documents), language)
