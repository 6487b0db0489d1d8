"""Access that lasts until it is ended: when its owner was last reminded. And invitations that did not arrive."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_41"
down_revision = "20261118_35"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("grants", sa.Column("undelivered_at", Utc(), nullable=True))
    op.add_column("grants", sa.Column("reminded_at", Utc(), nullable=True))
