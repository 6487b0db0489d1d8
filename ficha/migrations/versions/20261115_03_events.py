"""Events: what happened, for whoever is watching."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from ficha.core.db import Utc

revision = "20261115_03"
down_revision = "20261115_02"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "events",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("xid", sa.BigInteger(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("account_id", BIG_ID, nullable=True),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("payload", sa.JSON().with_variant(JSONB(), "postgresql"), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_events"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_events_position", "events", ["xid", "id"])
    op.create_index("ix_events_account_position", "events", ["account_id", "xid", "id"])
