"""Passkeys of accounts."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_72"
down_revision = "20261116_45"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "passkeys",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("credential_id", sa.LargeBinary(length=1023), nullable=False),
        sa.Column("public_key", sa.LargeBinary(), nullable=False),
        sa.Column("sign_count", sa.BigInteger(), nullable=False),
        sa.Column("last_challenge", sa.BigInteger(), nullable=False),
        sa.Column("name", sa.String(length=60), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.Column("last_used_at", Utc(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_passkeys_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_passkeys"),
        sa.UniqueConstraint("credential_id", name="uq_passkeys_credential_id"),
    )
    op.create_index("ix_passkeys_account_id", "passkeys", ["account_id"])
