"""Second factors of accounts, and their recovery codes."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_55"
down_revision = "20261116_26"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "second_factors",
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("sealed_secret", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.Column("confirmed_at", Utc(), nullable=True),
        sa.Column("last_step", sa.BigInteger(), server_default="0", nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_second_factors_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("account_id", name="pk_second_factors"),
    )
    op.create_table(
        "recovery_codes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_recovery_codes_account_id_accounts", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_recovery_codes"),
    )
    op.create_index("ix_recovery_codes_account_id", "recovery_codes", ["account_id"])
