"""When a record was handed over to the account whose it is."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261119_72"
down_revision = "20261118_991"
branch_labels = None
depends_on = None

# The hand-over keeps who accepted it, and when.
RECEIVED = """
UPDATE records SET received_at = (SELECT max(taken_at) FROM grants WHERE grants.record_id = records.id
AND grants.kind = 'owner' AND grants.taken_by = records.account_id)"""


def upgrade() -> None:
    op.add_column("records", sa.Column("received_at", Utc(), nullable=True))
    op.execute(RECEIVED)


def downgrade() -> None:
    op.drop_column("records", "received_at")
