"""Passkeys: keys that a phone, a computer or a small device keeps for one person and one site (WebAuthn).

The device signs a challenge of ours with a key that never leaves it. A challenge is bound to a browser, a purpose and
its time, and stored nowhere. With each passkey the time of the last challenge is kept that it answered, and with each
account that of the last that added one; only a later one counts: an answer that somebody caught is worth nothing.
"""

import base64
import hmac
import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import BigInteger, ForeignKey, LargeBinary, String, delete, select, update
from sqlalchemy.engine import CursorResult
from sqlalchemy.orm import Mapped, mapped_column

from ficha.accounts.accounts import Account
from ficha.core.db import Base, BigId, Utc
from ficha.core.errors import FichaError
from ficha.core.secrets import Secrets
from ficha.core.transaction import Transaction

CHALLENGE_TIME = timedelta(minutes=5)
TIME_BYTES = 8
MOST_PASSKEYS = 10
MOST_LETTERS = 8000
RP_NAME = "Ficha"
# EdDSA, ECDSA and RSA, as COSE numbers them: all that the library verifies.
ALGORITHMS = (-8, -7, -257)


class Passkey(Base):
    __tablename__ = "passkeys"

    id: Mapped[int] = mapped_column(BigId, primary_key=True)
    account_id: Mapped[int] = mapped_column(ForeignKey(Account.id, ondelete="CASCADE"), index=True)
    credential_id: Mapped[bytes] = mapped_column(LargeBinary(1023), unique=True)
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    sign_count: Mapped[int] = mapped_column(BigInteger)
    # In microseconds: of the last challenge that it answered.
    last_challenge: Mapped[int] = mapped_column(BigInteger)
    name: Mapped[str] = mapped_column(String(60))
    created_at: Mapped[datetime] = mapped_column(Utc)
    last_used_at: Mapped[datetime | None] = mapped_column(Utc)


class PasskeyRefused(FichaError):
    """One answer for every cause."""

    status = 422
    code = "llave_no_aceptada"
    message = "La llave de acceso no fue aceptada. Intente otra vez."


@dataclass(frozen=True)
class Challenges:
    """Of one browser and for one purpose: of another one they do not count. `origin` is that of our pages."""

    secrets: Secrets
    origin: str
    browser: str
    purpose: str

    @property
    def host(self) -> str:
        return urlsplit(self.origin).hostname or ""

    def new(self, now: datetime) -> bytes:
        made = _micros(now)
        return made.to_bytes(TIME_BYTES) + self._seal(made)

    def time_of(self, challenge: bytes, now: datetime) -> int:
        """Raises PasskeyRefused if it is not ours, or too old."""
        made = int.from_bytes(challenge[:TIME_BYTES])
        is_ours = hmac.compare_digest(challenge[TIME_BYTES:], self._seal(made))
        if not is_ours or made + CHALLENGE_TIME // timedelta(microseconds=1) < _micros(now):
            raise PasskeyRefused
        return made

    def _seal(self, made: int) -> bytes:
        """Nobody can foretell it: that makes it a challenge."""
        return self.secrets.keyed_hash("passkey_challenges", f"{self.purpose}:{self.browser}:{made}")


def passkeys_of(tx: Transaction, account_id: int) -> Sequence[Passkey]:
    return tx.orm.scalars(select(Passkey).where(Passkey.account_id == account_id).order_by(Passkey.id)).all()


def registration_options(tx: Transaction, challenges: Challenges, account: Account, now: datetime) -> dict[str, Any]:
    """What the browser asks the device for. The id of the person tells nobody anything."""
    person = challenges.secrets.keyed_hash("passkey_accounts", str(account.id))
    return {
        "rp": {"id": challenges.host, "name": RP_NAME},
        "user": {"id": _base64url(person), "name": account.correo, "displayName": account.nombre},
        "challenge": _base64url(challenges.new(now)),
        "pubKeyCredParams": [{"type": "public-key", "alg": algorithm} for algorithm in ALGORITHMS],
        "timeout": CHALLENGE_TIME // timedelta(milliseconds=1),
        "excludeCredentials": [_named(passkey) for passkey in passkeys_of(tx, account.id)],
        "authenticatorSelection": {"residentKey": "preferred", "userVerification": "preferred"},
        "attestation": "none",
    }


def login_options(challenges: Challenges, now: datetime, known: Sequence[Passkey] = ()) -> dict[str, Any]:
    """With `known` keys as a second factor. Without, the device says whose key it is, and must have made sure by a
    finger, a face or a PIN that it is that person."""
    return {
        "challenge": _base64url(challenges.new(now)),
        "rpId": challenges.host,
        "timeout": CHALLENGE_TIME // timedelta(milliseconds=1),
        "allowCredentials": [_named(passkey) for passkey in known],
        "userVerification": "preferred" if known else "required",
    }


def add_passkey(
    tx: Transaction, challenges: Challenges, account_id: int, answer: str, name: str, now: datetime
) -> Passkey:
    """Each challenge adds one key, also when two answers to it come at once. Raises PasskeyRefused."""
    from webauthn import verify_registration_response  # noqa: PLC0415  Few ever need it.
    from webauthn.helpers.exceptions import WebAuthnException  # noqa: PLC0415

    challenge = _challenge_in(answer)
    made = challenges.time_of(challenge, now)
    try:
        verified = verify_registration_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=challenges.host,
            expected_origin=challenges.origin,
        )
    except WebAuthnException:
        raise PasskeyRefused from None
    # Locks the account's row, too: what is counted below is counted by one at a time.
    is_spent = Account.last_passkey_challenge >= made
    taken = tx.orm.execute(
        update(Account).where(Account.id == account_id, ~is_spent).values(last_passkey_challenge=made)
    )
    assert isinstance(taken, CursorResult)
    if not taken.rowcount:
        raise PasskeyRefused
    known = tx.orm.scalar(select(Passkey.id).where(Passkey.credential_id == verified.credential_id))
    if known is not None or len(passkeys_of(tx, account_id)) >= MOST_PASSKEYS:
        raise PasskeyRefused
    passkey = Passkey(
        account_id=account_id,
        credential_id=verified.credential_id,
        public_key=verified.credential_public_key,
        sign_count=verified.sign_count,
        last_challenge=made,
        name=name,
        created_at=now,
    )
    tx.orm.add(passkey)
    tx.orm.flush()
    return passkey


def spend_passkey(
    tx: Transaction, challenges: Challenges, answer: str, now: datetime, account_id: int | None = None
) -> int:
    """The account whose key answered: with `account_id` it must be that one's, as its second factor. Each answer counts
    once, also when two come at once. Raises PasskeyRefused."""
    from webauthn import verify_authentication_response  # noqa: PLC0415  Few ever need it.
    from webauthn.helpers.exceptions import WebAuthnException  # noqa: PLC0415

    challenge = _challenge_in(answer)
    made = challenges.time_of(challenge, now)
    found = tx.orm.scalars(select(Passkey).where(Passkey.credential_id == _id_in(answer))).one_or_none()
    if found is None or account_id not in (None, found.account_id):
        raise PasskeyRefused
    try:
        verified = verify_authentication_response(
            credential=answer,
            expected_challenge=challenge,
            expected_rp_id=challenges.host,
            expected_origin=challenges.origin,
            credential_public_key=found.public_key,
            credential_current_sign_count=found.sign_count,
            require_user_verification=account_id is None,
        )
    except WebAuthnException:
        raise PasskeyRefused from None
    taken = tx.orm.execute(
        update(Passkey)
        .where(Passkey.id == found.id, Passkey.last_challenge < made, Passkey.sign_count == found.sign_count)
        .values(last_challenge=made, sign_count=verified.new_sign_count, last_used_at=now)
        .returning(Passkey.account_id)
    ).one_or_none()
    if taken is None:
        raise PasskeyRefused
    owner: int = taken.account_id
    return owner


def remove_passkey(tx: Transaction, account_id: int, passkey_id: int) -> None:
    tx.orm.execute(delete(Passkey).where(Passkey.account_id == account_id, Passkey.id == passkey_id))


def _challenge_in(answer: str) -> bytes:
    """What the device signed, before anything of it is believed. Raises PasskeyRefused."""
    try:
        client_data = json.loads(_bytes_of(_parsed(answer)["response"]["clientDataJSON"]))
        return _bytes_of(client_data["challenge"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PasskeyRefused from None


def _id_in(answer: str) -> bytes:
    try:
        return _bytes_of(_parsed(answer)["rawId"])
    except (ValueError, KeyError, TypeError, RecursionError):
        raise PasskeyRefused from None


def _parsed(answer: str) -> Any:
    if len(answer) > MOST_LETTERS:
        raise PasskeyRefused
    return json.loads(answer)


def _named(passkey: Passkey) -> dict[str, str]:
    return {"type": "public-key", "id": _base64url(passkey.credential_id)}


def _micros(now: datetime) -> int:
    return int(now.timestamp() * 1_000_000)


def _base64url(plain: bytes) -> str:
    return base64.urlsafe_b64encode(plain).decode().rstrip("=")


def _bytes_of(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
