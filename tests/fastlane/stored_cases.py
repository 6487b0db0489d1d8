"""Writes a case of access_cases to a database."""

from datetime import datetime
from typing import NamedTuple

from ficha.accounts.accounts import Account, BrowserSession, Role, Token
from ficha.accounts.browser_sessions import new_secret, start_session
from ficha.accounts.tokens import IssuedToken, issue_token, revoke_token
from ficha.core.crypto import Keyring
from ficha.core.ids import random_text, secret_hash
from ficha.core.transaction import Transaction
from ficha.enrolment.registration import NewPerson, register
from ficha.fmd.grants import Grant
from ficha.fmd.records import records_of
from ficha.products.codes import issue_code
from ficha.products.product import Product, new_tag
from tests.fastlane.access_cases import Case, GrantCase
from tests.world import clave_hash, new_correo


class StoredCase(NamedTuple):
    """Where a case lies in the database, and what somebody shows there."""

    account_id: int
    token_id: int
    record_id: int
    authorization: str
    browser_secret: str | None
    code: str
    tag: str


def store_case(tx: Transaction, keyring: Keyring, case: Case, now: datetime) -> StoredCase:
    caller = _account(tx, keyring, case.role, now)
    caller.vanishes_at = None if case.vanishes is None else now + case.vanishes
    owner = caller if case.is_owner else _account(tx, keyring, Role.OWNER, now)
    record = records_of(tx, owner.id)[0]
    record.erased_at = now if case.is_erased else None
    for grant in case.grants:
        _grant(tx, record.id, caller.id, grant, now)
    if case.grant_to_another is not None:
        _grant(tx, record.id, _account(tx, keyring, Role.OWNER, now).id, case.grant_to_another, now)
    sticker = issue_code(tx, now, record_id=record.id)
    product = tx.orm.get_one(Product, sticker.code)
    product.state = case.product_state
    if not case.has_tag:
        product.tag_hash = None
    token, browser_secret = _credentials(tx, caller, case, now)
    shown_token = token.text if case.token_secret_is_right else f"{token.id}|{random_text(40)}"
    shown_secret = browser_secret if case.session_secret_is_right else new_secret()
    return StoredCase(
        caller.id,
        token.id,
        record.id,
        f"Bearer {shown_token}" if case.shows_token else "",
        shown_secret if case.shows_session else None,
        sticker.code,
        sticker.tag if case.tag_is_right else new_tag(),
    )


def _account(tx: Transaction, keyring: Keyring, role: Role, now: datetime) -> Account:
    person = NewPerson(correo=new_correo(), clave_hash=clave_hash(), nombre="Persona", roles=(role,))
    return tx.orm.get_one(Account, register(tx, person, keyring, now).id)


def _grant(tx: Transaction, record_id: int, account_id: int, grant: GrantCase, now: datetime) -> None:
    tx.orm.add(
        Grant(
            record_id=record_id,
            account_id=account_id,
            kind=grant.kind,
            edits=grant.edits,
            granted_at=now + grant.granted,
            ends_at=now + grant.ends,
        )
    )


def _credentials(tx: Transaction, account: Account, case: Case, now: datetime) -> tuple[IssuedToken, str]:
    token = issue_token(tx, account, now, 60)
    browser_secret = start_session(tx, token, now, 60)
    tx.orm.get_one(Token, token.id).expires_at = now + case.token_ends
    tx.orm.flush()
    tx.orm.get_one(BrowserSession, secret_hash(browser_secret)).expires_at = now + case.session_ends
    tx.orm.flush()
    if case.is_revoked:
        revoke_token(tx, account.id, token.id)
    return token, browser_secret
