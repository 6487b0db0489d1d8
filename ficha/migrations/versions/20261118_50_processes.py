"""Processes that are alive: each has a row, and writes there that it still runs."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_50"
down_revision = "20261118_41"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "processes",
        sa.Column("id", sa.String(255), primary_key=True),
        sa.Column("role", sa.String(10), nullable=False),
        sa.Column("runs_jobs", sa.Boolean(), nullable=False),
        sa.Column("started_at", Utc(), nullable=False),
        sa.Column("seen_at", Utc(), nullable=False),
        sa.Column("key_ids", sa.Text(), nullable=True),
    )
