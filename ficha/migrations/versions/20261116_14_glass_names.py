"""The name that somebody gave when breaking the glass is sealed, in notices too: those that held it forget it."""

from alembic import op

revision = "20261116_14"
down_revision = "20261116_13"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute("UPDATE read_notices SET reader = '' WHERE how = 'glass'")
