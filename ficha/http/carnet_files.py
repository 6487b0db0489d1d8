"""The files of a carnet, for who may have them: drawn from the record as it is now, and noted in its log."""

from datetime import datetime
from typing import NamedTuple

from ficha.accounts.accounts import Idioma
from ficha.accounts.tokens import Caller
from ficha.administration.service_logos import logo_of
from ficha.administration.services import Service
from ficha.cards.carnet_pages import (
    OFFLINE_LETTERS,
    CarnetForm,
    Issuer,
    PrintedCarnet,
    drawn_carnet,
    must_have_room,
)
from ficha.cards.carnets import live_carnet, opened_carnet
from ficha.cards.printing import FileType
from ficha.cards.qr import link_of, offline_link
from ficha.core.transaction import Transaction
from ficha.fmd.offline.keys import ensure_signing_key
from ficha.fmd.rules.withdrawn_rules import withdrawn_rules
from ficha.fmd.stored_documents import stored_documents
from ficha.http.fmd_dependencies import ReadingFmd, opened_fmd, signed_card
from ficha.parts import Parts
from ficha.photos.photos import photo_of


class CarnetPrint(NamedTuple):
    """With `offline`, its QR holds the emergency lines too; with `health_card`, the record's Health Card is on its
    back."""

    form: CarnetForm
    idioma: Idioma
    offline: bool
    health_card: bool

    @property
    def noted(self) -> list[str]:
        """What the record's log says of it."""
        held = {"carnet.offline": self.offline, "carnet.health_card": self.health_card}
        return [action for action, is_asked in held.items() if is_asked] or ["carnet.printed"]


def carnet_file(
    reading: Transaction,
    opened: ReadingFmd,
    parts: Parts,
    caller: Caller,
    now: datetime,
    code: str,
    file_type: FileType,
    asked: CarnetPrint,
) -> bytes:
    """Raises MayNotManage, TooSmallForHealthCard or NoLiveCarnet. `code` is the one by which the record was opened."""
    fmd = opened.fmd
    fmd.must_manage()
    must_have_room(asked.form, has_health_card=asked.health_card)
    health_card = None
    if asked.health_card:
        live_carnet(reading, fmd.id, now)  # No Health Card is issued for a carnet that there is not.
        reading.give_back()  # One connection at a time, and to see afterwards what a new card was made of.
        with parts.database.writing() as tx:
            health_card = signed_card(tx, opened_fmd(tx, parts, caller, now, fmd.origin, code), parts, now)
    if asked.offline and ensure_signing_key(parts.database, parts.keyring, now):
        reading.give_back()  # To see the key that was made just now.
    carnet = live_carnet(reading, fmd.id, now)
    service = None if carnet.service_id is None else reading.orm.get(Service, carnet.service_id)
    link = link_of(parts.settings.public_url, carnet.code, opened_carnet(carnet, fmd.key).tag)
    if asked.offline:
        room = OFFLINE_LETTERS[asked.form]
        link = offline_link(reading, parts.keyring, fmd, link, carnet.code, now, max_letters=room)
    page = PrintedCarnet(
        code=carnet.code,
        link=link,
        serial=carnet.serial,
        issued_at=carnet.issued_at,
        expires_at=carnet.expires_at,
        issuer=_issuer(reading, service),
        photo=photo_of(reading, fmd.id, fmd.key),
        documents={name: entry.document for name, entry in stored_documents(reading, fmd.id, fmd.key).items()},
        withdrawn=withdrawn_rules(reading),
        health_card=health_card,
    )
    for action in asked.noted:
        opened.note(action, [carnet.serial], now)
    reading.give_back()  # Nothing is held while it is drawn.
    return drawn_carnet(file_type, page, asked.form, asked.idioma, parts.settings.public_url, now)


def _issuer(tx: Transaction, service: Service | None) -> Issuer | None:
    if service is None:
        return None
    return Issuer(service.name, service.primary_color, logo_of(tx, service.id, service.logo_url), service.logo_alt)
