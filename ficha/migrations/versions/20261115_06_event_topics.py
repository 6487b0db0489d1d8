"""Events have a topic: what was written for a negative account number is for whoever shows that record's sticker.

The account numbers stay as they are: a process of the version before goes on reading by them.
"""

import sqlalchemy as sa
from alembic import op

revision = "20261115_06"
down_revision = "20261115_05"
branch_labels = None
depends_on = None

HAS_TOPIC = sa.text("topic IS NOT NULL")


def upgrade() -> None:
    op.add_column("events", sa.Column("topic", sa.String(length=40), nullable=True))
    op.execute("UPDATE events SET topic = 'sticker:' || CAST(-account_id AS VARCHAR(20)) WHERE account_id < 0")
    op.create_index(
        "ix_events_topic_position",
        "events",
        ["topic", "xid", "id"],
        postgresql_where=HAS_TOPIC,
        sqlite_where=HAS_TOPIC,
    )
