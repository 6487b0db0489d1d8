"""A record that was opened by its sticker, read from the database: its sealed entries and its key, as much as broken
glass opens, and what the page around it must show, such as the alert under way."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import select

from ficha.accounts.accounts import Account, Idioma
from ficha.core.transaction import Transaction
from ficha.emergencies.alert_progress import (
    AlertState,
    alert_state,
    current_emergency,
    ended_lately,
    progress_lines,
    shown_contacts,
)
from ficha.emergencies.contacts import contacts_in, zone_for_strangers
from ficha.emergencies.emergency import PermissionSource, Timeouts
from ficha.emergencies.positions import opened_landmark, opened_position
from ficha.emergencies.quiet_time import ScanProof, may_end_quiet, next_alert_held_until
from ficha.emergencies.reachability import is_everybody_closed
from ficha.emergencies.relay_lines import relay_lines
from ficha.fmd.access import FmdNotFound, ScannedFmd
from ficha.fmd.base import Door
from ficha.fmd.break_glass import glass_ends_at, open_with_secret
from ficha.fmd.entries import SealedEntry
from ficha.fmd.records import RecordRow
from ficha.fmd.responder.record_reader import opened_entries
from ficha.fmd.rules.advice import rules_version
from ficha.fmd.rules.withdrawn_rules import WithdrawnRules, withdrawn_rules
from ficha.fmd.scanning import scan
from ficha.fmd.statements import sealed_entries
from ficha.fmd.stored_documents import readable
from ficha.parts import Parts
from ficha.products.scans import scanned
from ficha.web.kit.alert_headlines import Reader, headline
from ficha.web.kit.alert_sentences import progress_sentences, said_at_sticker
from ficha.web.sticker.page_facts import AlertFacts, BreakGlassForm, PositionForm, RelayForm, sticker_path


@dataclass(slots=True)
class OpenedRecord:
    """Made for every opening, so not frozen, as small_pages/page.py says."""

    code: str
    tag: str
    record_id: int
    key: bytes
    entries: Sequence[SealedEntry]
    # None where the record is nobody's.
    written_in: str | None
    withdrawn: WithdrawnRules
    door: Door = Door.R
    glass_until: datetime | None = None
    alert: AlertFacts | None = None
    form: BreakGlassForm | None = None
    writing: RelayForm | None = None
    locating: PositionForm | None = None
    # No way to any contact is left: they declined, or never agreed.
    is_everybody_closed: bool = False
    # Seconds, where the primary database is lost and a replica was read.
    age: float | None = None
    # What became of the form that was sent.
    notice: str = ""

    @property
    def path(self) -> str:
        return sticker_path(self.code, self.tag)

    @property
    def models(self) -> list[str]:
        return [entry.model for entry in self.entries]

    @property
    def noted(self) -> list[str]:
        """What the log says of this opening: by which sticker, by which rules, and what was in it."""
        return scanned(self.code, self.models, rules_version(self.withdrawn))

    @property
    def saved_at(self) -> dict[str, datetime]:
        return {entry.model: entry.updated_at for entry in self.entries}

    def documents(self) -> dict[str, Any]:
        """Decrypted, by model. One that does not open is DAMAGED: the reader still gets the others."""
        return opened_entries(self.record_id, self.key, self.entries)

    def contact_documents(self) -> dict[str, Any]:
        """Those that say who is alerted, and whom of them the owner shows."""
        entries = [entry for entry in self.entries if entry.model in ("emergencia", "consentimiento")]
        return readable(self.record_id, self.key, entries)


# Holds the secret of a break-glass session. Browsers send it with requests for that sticker's page only.
BREAK_GLASS_COOKIE = "ficha_glass"


def scan_record(tx: Transaction, parts: Parts, code: str, tag: str, secret: str | None, now: datetime) -> ScannedFmd:
    """By its sticker, or deeper where `secret` is of glass that was broken for this record and is still open.

    Raises FmdNotFound if the sticker opens nothing.
    """
    plain = scan(tx, parts.keyring, code, tag)
    if secret:
        try:
            deeper = open_with_secret(tx, parts.keyring, secret, now)
        except FmdNotFound:
            return plain
        if deeper.record.id == plain.record.id:
            return deeper
    return plain


def open_scanned(
    tx: Transaction,
    parts: Parts,
    fmd: ScannedFmd,
    tag: str,
    language: Idioma,
    now: datetime,
    *,
    form: BreakGlassForm | None = None,
    writing: RelayForm | None = None,
    locating: PositionForm | None = None,
) -> OpenedRecord:
    """Five queries, and a few more while an alert is under way or where somebody declined to get any."""
    glass_until = glass_ends_at(tx, fmd.actor.id) if fmd.actor.kind == "glass" and fmd.actor.id else None
    opened = read_opened(tx, parts, fmd.record, fmd.key, fmd.code, tag, fmd.door, glass_until)
    opened.form, opened.writing, opened.locating = form, writing, locating
    opened.alert = _alert(tx, parts, fmd, opened, language, now)
    return opened


def read_opened(
    tx: Transaction,
    parts: Parts,
    record: RecordRow,
    key: bytes,
    code: str,
    tag: str,
    door: Door,
    glass_until: datetime | None,
) -> OpenedRecord:
    """The record as this door shows it, and whether any way to its contacts is left."""
    entries = sealed_entries(tx, record.id)
    idioma = tx.orm.scalar(select(Account.idioma).where(Account.id == record.account_id))
    withdrawn = withdrawn_rules(tx)
    opened = OpenedRecord(code.upper(), tag.upper(), record.id, key, entries, idioma, withdrawn, door, glass_until)
    contacts = contacts_in(opened.contact_documents().get("emergencia"))
    opened.is_everybody_closed = is_everybody_closed(tx, parts.secrets, parts.settings, record.id, contacts)
    return opened


def _alert(
    tx: Transaction,
    parts: Parts,
    fmd: ScannedFmd,
    opened: OpenedRecord,
    language: Idioma,
    now: datetime,
) -> AlertFacts | None:
    emergency = current_emergency(tx, opened.record_id) or ended_lately(tx, opened.record_id, now)
    if emergency is None:
        return None
    documents = opened.contact_documents()
    timeouts = Timeouts.of(parts.settings)
    lines = progress_lines(tx, opened.key, emergency, now, timeouts, documents)
    title = headline(Reader.STRANGER, lines, language, zone_for_strangers(documents) or parts.settings.time_zone)
    proof = ScanProof(PermissionSource.TAG, fmd.code, str(fmd.actor))
    if not emergency.is_live:
        held = next_alert_held_until(tx, opened.record_id, timeouts.quiet, now, proof)
        return AlertFacts(progress_sentences(lines, language), title, is_over=True, next_leaves_at=held)
    is_held = alert_state(lines).state is AlertState.HELD_BACK
    position = opened_position(opened.key, opened.record_id, emergency.position)
    said = relay_lines(tx, opened.key, emergency.id)
    return AlertFacts(
        progress_sentences(lines, language),
        title,
        None if position is None else f"(±{position.accuracy_m:.0f} m)" if position.accuracy_m is not None else "",
        opened_landmark(opened.key, opened.record_id, emergency.landmark),
        said_at_sticker(said, shown_contacts(documents), language, now),
        said[-1].place if said else 0,
        sum(line.contact_id is None for line in said) >= parts.settings.relay_messages,
        is_held and may_end_quiet(tx, emergency, timeouts.quiet, now, proof),
    )
