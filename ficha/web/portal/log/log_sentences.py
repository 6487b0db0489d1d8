"""An entry of a record's log as a sentence: "A stranger opened it on Tuesday at 14:22, after scanning the helmet
sticker". In the zone of the person whose record it is; a place is told only where one was stored."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import select

from ficha.accounts.accounts import Account, Idioma
from ficha.audit.chain import AuditEntry
from ficha.core.transaction import Transaction
from ficha.emergencies.statements import zone_of_account
from ficha.fmd.access import OpenFmd
from ficha.fmd.break_glass import BreakGlass, identity_of
from ficha.fmd.catalog import CATALOG
from ficha.fmd.local_time import moment_text
from ficha.fmd.readable_documents import documents_of, zone_of
from ficha.fmd.stickers import sticker_name
from ficha.notices.notices import SCANNED_ENDED
from ficha.products.product import Product
from ficha.products.scans import scanned_code
from ficha.web.kit.language import translator
from ficha.web.portal.log.log_phrases import ACTIONS, SENTENCES

OPENERS = ("tag", "glass")
# Actors of the log that have a word of their own.
KINDS = ("tag", "glass", "typed", "public", "contact", "institution", "ladder")


@dataclass(frozen=True)
class LogReader:
    """What is looked up once for all entries of a page."""

    language: Idioma
    now: datetime
    zone: str
    account_id: int
    people: dict[int, str]
    strangers: dict[int, str]
    stickers: dict[str, str]

    @classmethod
    def of(
        cls,
        tx: Transaction,
        fmd: OpenFmd,
        account_id: int,
        entries: Sequence[AuditEntry],
        language: Idioma,
        now: datetime,
    ) -> "LogReader":
        actors = [_actor(entry.actor) for entry in entries]
        accounts = {number for kind, number in actors if kind == "account" and number is not None}
        broken = {number for kind, number in actors if kind == "glass" and number is not None}
        people = tx.orm.execute(select(Account.id, Account.nombre).where(Account.id.in_(accounts))).all()
        glass = tx.orm.scalars(select(BreakGlass).where(BreakGlass.id.in_(broken), BreakGlass.record_id == fmd.id))
        products = tx.orm.scalars(select(Product).where(Product.record_id == fmd.id))
        return cls(
            language,
            now,
            zone_for(tx, fmd, account_id),
            account_id,
            dict(people),
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


def zone_for(tx: Transaction, fmd: OpenFmd, account_id: int) -> str:
    """The zone that the record names, else that of the number of who reads; empty where neither is known."""
    named = zone_of(documents_of(tx, fmd.id, fmd.key, ["preferencia"]))
    return named or zone_of_account(tx, account_id)


def _actor(text: str) -> tuple[str, int | None]:
    kind, _, number = text.partition(":")
    return kind, int(number) if number.isdecimal() else None
