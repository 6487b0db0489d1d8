"""How often an owner wants to be asked whether her record is still right, and each time that she was."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_76"
down_revision = "20261116_75"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "reminder_choices",
        sa.Column("record_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("every", sa.String(length=12), nullable=False),
        sa.Column("channel", sa.String(length=10), nullable=False),
        sa.Column("next_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_reminder_choices_record_id_records"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_reminder_choices_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("record_id", name="pk_reminder_choices"),
    )
    op.create_index("ix_reminder_choices_account_id", "reminder_choices", ["account_id"])
    op.create_index("ix_reminder_choices_next_at", "reminder_choices", ["next_at"])
    op.create_table(
        "reminders",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("period", sa.String(length=10), nullable=False),
        sa.Column("model", sa.String(length=40), nullable=False),
        sa.Column("asked_at", Utc(), nullable=False),
        sa.Column("answer", sa.String(length=10), nullable=True),
        sa.Column("answered_at", Utc(), nullable=True),
        sa.Column("mail", sa.String(length=10), nullable=True),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_reminders_record_id_records"),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_reminders_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reminders"),
        sa.UniqueConstraint("record_id", "period", name="uq_reminders_record_period"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reminders_account_id", "reminders", ["account_id"])
