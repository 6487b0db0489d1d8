"""What was brought from elsewhere for a record, until she has decided or it expires."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import BigId, Utc

revision = "20261118_62"
down_revision = "20261118_60"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "imports",
        sa.Column("id", BigId, primary_key=True),
        sa.Column("record_id", BigId, sa.ForeignKey("records.id"), nullable=False),
        sa.Column("digest", sa.LargeBinary(32), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_imports_record_digest", "imports", ["record_id", "digest"], unique=True)
    op.create_index("ix_imports_created_at", "imports", ["created_at"])
