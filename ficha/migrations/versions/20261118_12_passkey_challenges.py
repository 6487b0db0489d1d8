"""A passkey challenge adds one key: an account keeps the time of the last one that did."""

import sqlalchemy as sa
from alembic import op

revision = "20261118_12"
down_revision = "20261118_11"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("accounts", sa.Column("last_passkey_challenge", sa.BigInteger(), server_default="0", nullable=False))
