"""Master keys by their ids: announced, and since when each wraps. The first process that starts writes down its own."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_51"
down_revision = "20261118_50"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "master_keys",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("proof", sa.LargeBinary(), nullable=False),
        sa.Column("announced_at", Utc(), nullable=False),
        sa.Column("wraps_since", Utc(), nullable=True),
    )
