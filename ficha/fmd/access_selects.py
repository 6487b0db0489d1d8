"""The selects that find a record for whoever asks for it, built once. Sessions execute them; the fast lane adds what it
shows and compiles them. What a row allows says `access_in`."""

from sqlalchemy import ColumnElement, SQLColumnExpression, and_, bindparam, exists, or_, select
from sqlalchemy.orm import aliased

from ficha.accounts.accounts import Account
from ficha.accounts.tokens import NOW, Query
from ficha.core.db import BigId
from ficha.core.prepared import Prepared
from ficha.fmd.grants import Grant, grant_is_live
from ficha.fmd.records import Record
from ficha.products.product import HAS_LIVE_CODE, Product, ProductState

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


ACCESS_BY_ACCOUNT = with_access(
    select().select_from(Account).where(Account.id == bindparam("account_id")),
    Account.id,
)
RECORD_BY_CODE: Query = select(Product.tag_hash).join(Record, IS_RECORD_OF_PRODUCT).where(HAS_LIVE_CODE)
FIRST_RECORD: Query = (
    select(Record.id, Record.key_id, Record.wrapped_key)
    .where(Record.account_id == bindparam("account_id"), Record.erased_at.is_(None))
    .order_by(Record.created_at, Record.id)
    .limit(1)
)
WITH_RECORD = RECORD_BY_CODE.add_columns(Record)

# The row of a record that an account may open, with its access, in one statement, which locks no other's record.
_account_id = bindparam("account_id", type_=BigId)
_OTHER_COLUMNS = (
    Record.relacion,
    Record.template_type,
    Record.version,
    Record.stored_bytes,
    Record.created_at,
    Record.erased_at,
)
_claimed = aliased(Product)
_HAS_CLAIMED_CODES = exists().where(_claimed.record_id == Record.id, _claimed.state == ProductState.CLAIMED)
_ROW_TO_OPEN = (
    select(*ACCESS_COLUMNS, *_OTHER_COLUMNS, _HAS_CLAIMED_CODES.label("has_claimed_codes"))
    .select_from(Product)
    .join(Record, IS_RECORD_OF_PRODUCT)
    .outerjoin(Grant, grant_of(_account_id))
    .where(HAS_LIVE_CODE, or_(Record.account_id == _account_id, Grant.id.is_not(None)))
)
READ_TO_OPEN = Prepared(_ROW_TO_OPEN)
# Whoever held the row before us may have erased it: PostgreSQL looks again at what it waited for.
LOCK_TO_OPEN = Prepared(_ROW_TO_OPEN.with_for_update(of=Record))
