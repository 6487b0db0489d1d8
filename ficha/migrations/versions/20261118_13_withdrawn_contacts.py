"""When a contact who was coming said that she cannot after all."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_13"
down_revision = "20261118_12"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("emergency_contacts", sa.Column("withdrew_at", Utc(), nullable=True))
