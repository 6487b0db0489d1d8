"""What is published of each month, and what the records of each institution lack."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import BigId, Utc

revision = "20261118_71"
down_revision = "20261118_70"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "statistic_months",
        sa.Column("month", sa.Date(), primary_key=True),
        sa.Column("region", sa.String(6), primary_key=True),
        sa.Column("people_group", sa.String(10), primary_key=True),
        sa.Column("people", sa.Integer(), nullable=True),
        sa.Column("published_at", Utc(), nullable=False),
    )
    op.create_table(
        "protection_figures",
        sa.Column("institution_id", BigId, sa.ForeignKey("institutions.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("is_open", sa.Boolean(), primary_key=True),
        sa.Column("name", sa.String(10), primary_key=True),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("people", sa.Integer(), nullable=False),
        sa.Column("told_at", Utc(), nullable=False),
        sa.Column("counted_at", Utc(), nullable=False),
    )
    op.create_table(
        "member_lacks",
        sa.Column("member_id", BigId, sa.ForeignKey("institution_members.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("contact", sa.Boolean(), nullable=False),
        sa.Column("sticker", sa.Boolean(), nullable=False),
    )
