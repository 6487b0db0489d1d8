"""Hashes by which a test of notifications finds the person with a document number. Made when they are first needed."""

import sqlalchemy as sa
from alembic import op

revision = "20261116_80"
down_revision = "20261116_79"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "document_lookups",
        sa.Column("record_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("number_hash", sa.LargeBinary(length=32), nullable=True),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_document_lookups_record_id"),
        sa.PrimaryKeyConstraint("record_id", name="pk_document_lookups"),
    )
    op.create_index("ix_document_lookups_number_hash", "document_lookups", ["number_hash"])
