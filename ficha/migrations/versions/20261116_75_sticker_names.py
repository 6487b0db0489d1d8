"""What its owner calls a sticker, sealed, and when it was last scanned."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_75"
down_revision = "20261116_69"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("products", sa.Column("sealed_name", sa.LargeBinary(), nullable=True))
    op.add_column("products", sa.Column("last_scan_at", Utc(), nullable=True))
