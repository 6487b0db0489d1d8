"""A hand-over waits for the owner and ends what was given before; an invitation says which account gave it."""

import sqlalchemy as sa
from alembic import op

revision = "20261118_01"
down_revision = "20261116_92"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# Those of a former owner, who could still take the record back by them.
END_STALE_INVITATIONS = """
UPDATE grants SET ends_at = granted_at WHERE account_id IS NULL AND EXISTS (
  SELECT 1 FROM audit_entries
  WHERE audit_entries.record_id = grants.record_id AND audit_entries.action = 'record.handed_over'
  AND audit_entries.at >= grants.granted_at
)
"""
# What is pending still was given by who owns the record, or by a guardian.
NAME_GIVERS = """
UPDATE grants SET offered_by = (SELECT records.account_id FROM records WHERE records.id = grants.record_id)
WHERE account_id IS NULL AND given_by IS NULL
"""


def upgrade() -> None:
    with op.batch_alter_table("grants") as table:
        table.add_column(sa.Column("offered_by", BIG_ID, nullable=True))
        table.add_column(sa.Column("taken_by", BIG_ID, nullable=True))
        table.add_column(sa.Column("taken_at", sa.DateTime(timezone=True), nullable=True))
        table.add_column(sa.Column("held_until", sa.DateTime(timezone=True), nullable=True))
        table.create_foreign_key("fk_grants_taken_by", "accounts", ["taken_by"], ["id"], ondelete="CASCADE")
        table.create_index("ix_grants_taken_by", ["taken_by"])
    op.execute(END_STALE_INVITATIONS)
    op.execute(NAME_GIVERS)
