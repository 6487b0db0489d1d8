"""Whose devices are meant: those of a contact of a record, or of the person with a document number."""

from collections.abc import Sequence

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from ficha.accounts.accounts import Account, correo_key
from ficha.core.crypto import Keyring
from ficha.devices.devices import PushSubscription
from ficha.fmd.readable_documents import documents_of, text_in
from ficha.fmd.records import Record

HAS_DEVICE = Account.id.in_(select(PushSubscription.account_id))


def accounts_reached_by(session: Session, phone: str, correo: str) -> Sequence[int]:
    """Accounts with a device whose phone or mailbox this is. Only if it was proven: an alert says where somebody is,
    and anybody can register with the mailbox of another."""
    by_correo = and_(Account.correo_key == correo_key(correo), Account.correo_verificado_en.is_not(None))
    by_phone = and_(Account.telefono_e164 == phone, Account.telefono_verificado_por == "whatsapp")
    is_meant = or_(*([by_correo] if correo else []), *([by_phone] if phone else []))
    if not (phone or correo):
        return []
    return session.scalars(select(Account.id).where(HAS_DEVICE, is_meant)).all()


def accounts_with_document(session: Session, keyring: Keyring, digits: str) -> Sequence[int]:
    """Accounts with a device whose own record has this document number, whatever letters and dots are in it. Numbers
    are stored encrypted and nothing is kept to look them up by, so each record of such an account is opened."""
    records = session.scalars(select(Record).join(Account, Account.id == Record.account_id).where(HAS_DEVICE))
    found = set()
    for record in records:
        documents = documents_of(session, record.id, record.open_key(keyring), ("personal",))
        number = text_in(documents.get("personal", {}), "documento_numero")
        if "".join(filter(str.isdigit, number)) == digits and record.account_id is not None:
            found.add(record.account_id)
    return sorted(found)
