"""The second factor of an account: six digits of an authenticator app or a passkey (passkeys.py), and recovery codes
for when they are lost.

A code of the app counts once, so that one read over a shoulder is worth nothing a moment later. The secret is stored
sealed, recovery codes as keyed hashes.
"""

import hmac
from datetime import datetime

from sqlalchemy import ForeignKey, LargeBinary, delete, update
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account, SecondFactor
from ficha.accounts.statements import has_second_factor
from ficha.core.db import Base, BigId
from ficha.core.errors import FichaError, Source
from ficha.core.ids import random_text
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction

STEP_SECONDS = 30
# A clock may be half a minute wrong in either direction.
NEIGHBOURS = (0, -1, 1)
RECOVERY_CODES = 10
RECOVERY_LENGTH = 10
SECRETS_NAME = "second_factor"


class RecoveryCode(Base):
    """Deleted when it is used."""

    __tablename__ = "recovery_codes"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    hash: Mapped[bytes] = mapped_column(LargeBinary(32))


class SecondFactorWrong(FichaError):
    """Missing and wrong are one answer; the clave was right."""

    status = 401
    code = "segundo_factor"
    message = "Escriba también el código de su aplicación, o uno de recuperación, en codigo."
    source = Source("pointer", "/codigo")


def begin_setup(tx: Transaction, secrets: Secrets, account_id: int, now: datetime) -> str:
    """A new secret for the app, in base32. It is asked for once `confirm_setup` has seen a code of it."""
    import pyotp  # noqa: PLC0415  Few ever need it.

    text = pyotp.random_base32()
    found = tx.orm.get(SecondFactor, account_id)
    assert found is None or found.confirmed_at is None
    if found is None:
        found = SecondFactor(account_id=account_id, last_step=0)
        tx.orm.add(found)
    found.sealed_secret = secrets.seal(SECRETS_NAME, text.encode(), _sealing_context(account_id))
    found.created_at = now
    return text


def pending_secret(tx: Transaction, secrets: Secrets, account_id: int) -> str | None:
    """Of a setup that was begun and not confirmed."""
    found = tx.orm.get(SecondFactor, account_id)
    return None if found is None or found.confirmed_at is not None else _opened(secrets, found)


def confirm_setup(tx: Transaction, secrets: Secrets, account_id: int, typed: str, now: datetime) -> list[str]:
    """Returns the recovery codes, which are shown this once. Raises SecondFactorWrong."""
    found = tx.orm.get(SecondFactor, account_id, with_for_update=True)
    step = None if found is None else _step_of(_opened(secrets, found), typed, now)
    if found is None or step is None or found.confirmed_at is not None:
        raise SecondFactorWrong
    found.confirmed_at, found.last_step = now, step
    return new_recovery_codes(tx, secrets, account_id)


def new_recovery_codes(tx: Transaction, secrets: Secrets, account_id: int) -> list[str]:
    """They take the place of those that were there."""
    tx.orm.execute(delete(RecoveryCode).where(RecoveryCode.account_id == account_id))
    codes = [random_text(RECOVERY_LENGTH).lower() for _ in range(RECOVERY_CODES)]
    tx.orm.add_all(RecoveryCode(account_id=account_id, hash=_hash(secrets, account_id, code)) for code in codes)
    return codes


def spend_second_factor(tx: Transaction, secrets: Secrets, account_id: int, typed: str, now: datetime) -> None:
    """A code of the app or a recovery code, each good once, also when two come at once. Does nothing for an account
    without a second factor. Raises SecondFactorWrong."""
    if not has_second_factor(tx, account_id):
        return
    found = tx.orm.get(SecondFactor, account_id)
    step = None
    if found is not None and found.confirmed_at is not None:
        step = _step_of(_opened(secrets, found), typed, now)
    if step is not None:
        taken = tx.orm.execute(
            update(SecondFactor)
            .where(SecondFactor.account_id == account_id, SecondFactor.last_step < step)
            .values(last_step=step)
            .returning(SecondFactor.account_id)
        ).one_or_none()
    else:
        hashed = _hash(secrets, account_id, typed)
        taken = tx.orm.execute(
            delete(RecoveryCode)
            .where(RecoveryCode.account_id == account_id, RecoveryCode.hash == hashed)
            .returning(RecoveryCode.id)
        ).one_or_none()
    if taken is None:
        raise SecondFactorWrong


def remove_app(tx: Transaction, account_id: int) -> None:
    tx.orm.execute(delete(SecondFactor).where(SecondFactor.account_id == account_id))
    forget_recovery_codes(tx, account_id)


def forget_recovery_codes(tx: Transaction, account_id: int) -> None:
    """Once there is nothing left that they stand for."""
    if not has_second_factor(tx, account_id):
        tx.orm.execute(delete(RecoveryCode).where(RecoveryCode.account_id == account_id))


def setup_link(text: str, correo: str) -> str:
    """What the app reads from a QR."""
    import pyotp  # noqa: PLC0415  Few ever need it.

    return pyotp.TOTP(text).provisioning_uri(name=correo, issuer_name="Ficha")


def _step_of(text: str, typed: str, now: datetime) -> int | None:
    """The half minute whose code this is."""
    import pyotp  # noqa: PLC0415  Few ever need it.

    digits = "".join(typed.split())
    if not (digits.isascii() and digits.isdigit() and len(digits) == 6):
        return None
    current = int(now.timestamp()) // STEP_SECONDS
    codes = pyotp.HOTP(text)  # TOTP is HOTP of the number of half minutes.
    return next((current + by for by in NEIGHBOURS if hmac.compare_digest(codes.at(current + by), digits)), None)


def _opened(secrets: Secrets, found: SecondFactor) -> str:
    return secrets.unseal(SECRETS_NAME, found.sealed_secret, _sealing_context(found.account_id)).decode()


def _hash(secrets: Secrets, account_id: int, code: str) -> bytes:
    plain = "".join(code.lower().split())[:40].encode("utf-8", "replace").decode()
    return secrets.keyed_hash("recovery_codes", f"{account_id}:{plain}")


def _sealing_context(account_id: int) -> str:
    return f"second-factor:{account_id}"
