"""Whose devices are meant: those of a contact of a record."""

from collections.abc import Sequence

from sqlalchemy import and_, or_, select

from ficha.accounts.accounts import Account
from ficha.core.text_types import correo_key
from ficha.core.transaction import Transaction
from ficha.devices.devices import PushSubscription

HAS_DEVICE = Account.id.in_(select(PushSubscription.account_id))


def accounts_reached_by(tx: Transaction, phone: str, correo: str) -> Sequence[int]:
    """Accounts with a device whose phone or mailbox this is. Only if it was proven: an alert says where somebody is,
    and anybody can register with the mailbox of another."""
    by_correo = and_(Account.correo_key == correo_key(correo), Account.correo_verificado_en.is_not(None))
    by_phone = and_(Account.telefono_e164 == phone, Account.telefono_verificado_por == "whatsapp")
    is_meant = or_(*([by_correo] if correo else []), *([by_phone] if phone else []))
    if not (phone or correo):
        return []
    return tx.orm.scalars(select(Account.id).where(HAS_DEVICE, is_meant)).all()
