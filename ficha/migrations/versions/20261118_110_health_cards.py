"""Health Cards that were issued: kept with the record's key, and known to be revoked when it is erased."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_110"
down_revision = "20261118_100"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "health_cards",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("kid", sa.String(43), nullable=False),
        sa.Column("rid", sa.String(24), nullable=False),
        sa.Column("issued_at", Utc(), nullable=False),
        sa.Column("expires_at", Utc(), nullable=True),
        sa.Column("revoked_at", Utc(), nullable=True),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_health_cards_record_id"),
        sa.ForeignKeyConstraint(["kid"], ["issuer_keys.kid"], name="fk_health_cards_kid"),
        sa.PrimaryKeyConstraint("id", name="pk_health_cards"),
        sa.UniqueConstraint("kid", "rid", name="uq_health_cards_kid"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_health_cards_record_id", "health_cards", ["record_id"])
