"""Devices that a person registered for notifications, and whose they are. What reaches one is sealed: whoever has it
could write there."""

import json
from collections.abc import Collection, Sequence
from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Annotated, NamedTuple

from pydantic import StringConstraints
from sqlalchemy import ForeignKey, LargeBinary, and_, delete, or_, select
from sqlalchemy.exc import IntegrityError
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account, Idioma
from ficha.channels.errors import Refused
from ficha.channels.job_services import JobServices
from ficha.channels.webpush import MOST_LETTERS, BadDeviceKey, Device, DeviceGone, PushMessage, WebPush, is_push_service
from ficha.core.crypto import Keyring
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError, Source
from ficha.core.phones import spellings
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.fmd.entries import Entry
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of, text_in
from ficha.jobs.kinds import GiveUp, Job, Kind

SECRET = "push-device"  # noqa: S105  The name of the secret.


class PushSubscription(Base):
    __tablename__ = "push_subscriptions"
    __table_args__ = ({"sqlite_autoincrement": True},)

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    # A keyed hash of its address, by which the same device is known again.
    device: Mapped[bytes] = mapped_column(LargeBinary(32), unique=True)
    sealed: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(Utc)

    def opened(self, secrets: Secrets) -> Device:
        return Device(**json.loads(secrets.unseal(SECRET, self.sealed, _sealing_context(self.device))))


def register_device(
    tx: Transaction, secrets: Secrets, account_id: int, device: Device, most: int, now: datetime
) -> PushSubscription:
    """A device that is known already is the account's from now on: its browser has one person at a time. Of more than
    `most`, the oldest go."""
    device_hash = secrets.keyed_hash(SECRET, device.endpoint)
    sealed = secrets.seal(SECRET, json.dumps(asdict(device)).encode(), _sealing_context(device_hash))
    query = select(PushSubscription).where(PushSubscription.device == device_hash).with_for_update()
    found = tx.orm.scalars(query).one_or_none()
    if found is None:
        found = PushSubscription(account_id=account_id, device=device_hash, sealed=sealed, created_at=now)
        tx.orm.add(found)
    else:
        found.account_id, found.sealed, found.created_at = account_id, sealed, now
    tx.orm.flush()
    newest = select(PushSubscription.id).where(PushSubscription.account_id == account_id)
    kept = tx.orm.scalars(newest.order_by(PushSubscription.created_at.desc(), PushSubscription.id.desc()).limit(most))
    tx.orm.execute(
        delete(PushSubscription).where(
            PushSubscription.account_id == account_id, PushSubscription.id.not_in(kept.all())
        )
    )
    return found


def devices_of(tx: Transaction, account_ids: Collection[int]) -> Sequence[PushSubscription]:
    query = select(PushSubscription).where(PushSubscription.account_id.in_(account_ids))
    return tx.orm.scalars(query.order_by(PushSubscription.id)).all()


def remove_device(tx: Transaction, account_id: int, subscription_id: int) -> None:
    """The person turns notifications off there. Of another account nothing is removed."""
    tx.orm.execute(
        delete(PushSubscription).where(
            PushSubscription.id == subscription_id, PushSubscription.account_id == account_id
        )
    )


def remove_endpoint(tx: Transaction, secrets: Secrets, account_id: int, endpoint: str) -> None:
    """The same for the device that names its own address."""
    device = secrets.keyed_hash(SECRET, endpoint)
    tx.orm.execute(
        delete(PushSubscription).where(PushSubscription.device == device, PushSubscription.account_id == account_id)
    )


def forget_device(tx: Transaction, subscription_id: int) -> None:
    """Its push service says that it is gone."""
    tx.orm.execute(delete(PushSubscription).where(PushSubscription.id == subscription_id))


def _sealing_context(device_hash: bytes) -> str:
    return f"push:{device_hash.hex()}"


HAS_DEVICE = Account.id.in_(select(PushSubscription.account_id))


def accounts_reached_by(tx: Transaction, phone: str, correo: str) -> Sequence[int]:
    """Accounts with a device whose phone or mailbox this is. Only if it was proven: an alert says where somebody is,
    and anybody can register with the mailbox of another."""
    by_correo = and_(Account.correo_key == correo_key(correo), Account.correo_verificado_en.is_not(None))
    by_phone = and_(Account.telefono_e164.in_(spellings(phone)), Account.telefono_verificado_por == "whatsapp")
    is_meant = or_(*([by_correo] if correo else []), *([by_phone] if phone else []))
    if not (phone or correo):
        return []
    return tx.orm.scalars(select(Account.id).where(HAS_DEVICE, is_meant)).all()


Endpoint = Annotated[str, StringConstraints(min_length=1, max_length=MOST_LETTERS)]
P256dh = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{87}=?$")]
Auth = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{22}(==)?$")]


class UnknownPushService(FichaError):
    status = 422
    code = "servicio_push_desconocido"
    message = "Esa dirección no es la de un servicio de notificaciones conocido."
    source = Source("pointer", "/endpoint")


class BadPushKeys(FichaError):
    status = 422
    code = "claves_push_invalidas"
    message = "Las claves del dispositivo no son válidas. Vuelva a activar las notificaciones en el navegador."
    source = Source("pointer", "/keys")


def accept_device(
    tx: Transaction,
    secrets: Secrets,
    settings: Settings,
    account_id: int,
    endpoint: str,
    p256dh: str,
    auth: str,
    now: datetime,
) -> PushSubscription:
    """Raises UnknownPushService or BadPushKeys."""
    device = Device(endpoint, p256dh.rstrip("="), auth.rstrip("="))
    if not is_push_service(device.endpoint, settings.push_hosts):
        raise UnknownPushService
    try:
        device.public_key()
    except BadDeviceKey:
        raise BadPushKeys from None
    return register_device(tx, secrets, account_id, device, settings.devices_per_account, now)


PERSONAL = "personal"


class DocumentLookup(Base):
    """Of a record whose owner has a device."""

    __tablename__ = "document_lookups"

    record_id: Mapped[int] = mapped_column(ForeignKey(Record.id), primary_key=True, autoincrement=False)
    # Of the model that has the number: a hash of an older version counts for nothing.
    version: Mapped[int]
    number_hash: Mapped[bytes | None] = mapped_column(LargeBinary(32), index=True)


class FoundPeople(NamedTuple):
    """`unknown`: what had to be opened for the answer, to be kept for the next."""

    accounts: Sequence[int]
    unknown: Sequence[DocumentLookup]


def people_with_document(tx: Transaction, keyring: Keyring, secrets: Secrets, digits: str) -> FoundPeople:
    """Accounts with a device whose own record has this document number, whatever letters and dots are in it."""
    wanted = _number_hash(secrets, digits)
    has_model = and_(Entry.record_id == Record.id, Entry.model == PERSONAL)
    is_current = and_(DocumentLookup.record_id == Record.id, DocumentLookup.version == Entry.version)
    owned = select(Record, Entry.version).join(Account, Account.id == Record.account_id).join(Entry, has_model)
    owned = owned.where(HAS_DEVICE)
    known = owned.join(DocumentLookup, is_current).where(DocumentLookup.number_hash == wanted)
    found = {record.account_id for record, _version in tx.orm.execute(known)}
    unknown = []
    for record, version in tx.orm.execute(
        owned.outerjoin(DocumentLookup, is_current).where(DocumentLookup.record_id.is_(None))
    ):
        documents = documents_of(tx, record.id, record.open_key(keyring), (PERSONAL,))
        number = "".join(filter(str.isdigit, text_in(documents.get(PERSONAL, {}), "documento_numero")))
        hashed = _number_hash(secrets, number) if number else None
        unknown.append(DocumentLookup(record_id=record.id, version=version, number_hash=hashed))
        if hashed == wanted:
            found.add(record.account_id)
    return FoundPeople(sorted(account for account in found if account is not None), unknown)


def keep_lookups(tx: Transaction, lookups: Sequence[DocumentLookup]) -> None:
    """Whoever asks at the same time keeps the same: then these are not needed."""
    try:
        with tx.savepoint():
            tx.orm.execute(
                delete(DocumentLookup).where(DocumentLookup.record_id.in_([each.record_id for each in lookups]))
            )
            tx.orm.add_all(lookups)
    except IntegrityError:
        return


def erase_lookup(tx: Transaction, record_id: int) -> None:
    """With its record."""
    tx.orm.execute(delete(DocumentLookup).where(DocumentLookup.record_id == record_id))


def _number_hash(secrets: Secrets, digits: str) -> bytes:
    return secrets.keyed_hash("devices.document", digits)


SEND_TEST = "push.prueba"
LIFETIME = timedelta(hours=1)
TEXTS = {
    Idioma.ES: ("Notificación de prueba", "Este dispositivo recibe los avisos de Ficha."),
    Idioma.EN: ("Test notification", "This device gets the alerts of Ficha."),
    Idioma.PT: ("Notificação de teste", "Este dispositivo recebe os avisos de Ficha."),
}


@dataclass(frozen=True)
class DeviceJobs(JobServices):
    def kinds(self) -> list[Kind]:
        return [Kind(SEND_TEST, self.send_test, attempts=5)]

    def send_test(self, job: Job) -> None:
        """Raises RetryLater."""
        subscription_id = int(job.payload["subscription_id"])
        with self.database.reading() as tx:
            subscription = tx.orm.get(PushSubscription, subscription_id)
            if subscription is None:
                return
            device = subscription.opened(self.secrets)
            language = Idioma(tx.orm.get_one(Account, subscription.account_id).idioma)
        title, body = TEXTS[language]
        notification = PushMessage(title, body, "/", tag="prueba", lang=language)
        try:
            WebPush(self.settings, self.secrets, self.clock).send(device, notification, LIFETIME)
        except DeviceGone:
            with self.database.writing() as tx:
                forget_device(tx, subscription_id)
        except Refused as refusal:
            raise GiveUp(str(refusal)) from refusal
