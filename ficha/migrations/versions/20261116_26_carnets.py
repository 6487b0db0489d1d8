"""Carnets."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_26"
down_revision = "20261116_50"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = Utc()


def upgrade() -> None:
    op.create_table(
        "carnets",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("serial", sa.String(length=12), nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("service_id", BIG_ID, nullable=True),
        sa.Column("issued_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("revoked_at", TIME, nullable=True),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_carnets_record_id"),
        sa.ForeignKeyConstraint(["code"], ["products.code"], name="fk_carnets_code"),
        sa.PrimaryKeyConstraint("id", name="pk_carnets"),
        sa.UniqueConstraint("serial", name="uq_carnets_serial"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_carnets_record_id", "carnets", ["record_id"])
