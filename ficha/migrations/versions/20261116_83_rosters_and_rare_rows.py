"""Rosters that were uploaded; and indexes for what is rare among many rows: codes that were claimed or voided, and
events that tell of somebody who guesses codes."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from ficha.core.db import Utc

revision = "20261116_83"
down_revision = "20261116_72"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
PARTIAL = {
    "ix_products_claimed": ("products", "code", "claimed_at IS NOT NULL"),
    "ix_products_ended": ("products", "code", "ended_at IS NOT NULL"),
    "ix_events_guessing": ("events", "id", "kind IN ('codes.decoy_touched', 'codes.typed_by_one_address')"),
}


def upgrade() -> None:
    for name, (table, column, condition) in PARTIAL.items():
        where = sa.text(condition)
        op.create_index(name, table, [column], sqlite_where=where, postgresql_where=where)
    op.create_table(
        "roster_uploads",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("institution_id", BIG_ID, nullable=False),
        sa.Column("file_id", BIG_ID, nullable=True),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("counts", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.Column("fault", sa.String(length=300), nullable=True),
        sa.Column("created_at", Utc(), nullable=False),
        sa.Column("ended_at", Utc(), nullable=True),
        sa.ForeignKeyConstraint(["institution_id"], ["institutions.id"], name="fk_roster_uploads_institution_id"),
        sa.ForeignKeyConstraint(["file_id"], ["kept_files.id"], name="fk_roster_uploads_file_id"),
        sa.PrimaryKeyConstraint("id", name="pk_roster_uploads"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_roster_uploads_institution_id", "roster_uploads", ["institution_id"])
