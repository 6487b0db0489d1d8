"""The selects that find a record for whoever asks for it. `statements.py` prepares them; the fast lane adds what it
shows and compiles them. What a row allows says `access_in`."""

from datetime import datetime

from sqlalchemy import ColumnElement, Select, SQLColumnExpression, and_, select

from ficha.accounts.caller_selects import NOW, Query
from ficha.fmd.grants import Grant, GrantKind, grant_is_live
from ficha.fmd.records import Record
from ficha.products.product import HAS_LIVE_CODE, IS_LIVE, Product

IS_RECORD_OF_PRODUCT = and_(Record.id == Product.record_id, Record.erased_at.is_(None))
ACCESS_COLUMNS = (Record.id, Record.account_id, Grant.kind, Grant.edits, Record.key_id, Record.wrapped_key)


def grant_of(account_id: SQLColumnExpression[int]) -> ColumnElement[bool]:
    """The live grant of this account for the record."""
    return and_(Grant.record_id == Record.id, Grant.account_id == account_id, grant_is_live(NOW))


def with_access(query: Query, account_id: SQLColumnExpression[int]) -> Query:
    """Adds to a select that finds an account the columns from which `access_in` says what it may do with the record
    behind a code. The account's row stays where there is no such record. One account has one live grant at most."""
    return (
        query.add_columns(*ACCESS_COLUMNS)
        .outerjoin(Product, HAS_LIVE_CODE)
        .outerjoin(Record, IS_RECORD_OF_PRODUCT)
        .outerjoin(Grant, grant_of(account_id))
    )


def select_ended_grant(account_id: int, code: str, now: datetime) -> Select[int]:
    """Of somebody whom the family had let in, to the record behind a live code."""
    by_family = Grant.kind.in_((GrantKind.GUARDIAN, GrantKind.DELEGATE))
    return (
        select(Grant.id)
        .join(Record, Record.id == Grant.record_id)
        .join(Product, IS_RECORD_OF_PRODUCT)
        .where(Product.code == code.upper(), IS_LIVE, Grant.account_id == account_id, by_family)
        .where(Grant.ends_at <= now)
        .limit(1)
    )


RECORD_BY_CODE: Query = select(Product.tag_hash).join(Record, IS_RECORD_OF_PRODUCT).where(HAS_LIVE_CODE)
