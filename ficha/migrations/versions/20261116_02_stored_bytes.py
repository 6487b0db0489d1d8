"""Records know how much their history takes. What a process of the version before writes meanwhile is not counted."""

import sqlalchemy as sa
from alembic import op

revision = "20261116_02"
down_revision = "20261116_01"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("records", sa.Column("stored_bytes", sa.BigInteger(), server_default="0", nullable=False))
    op.execute(
        "UPDATE records SET stored_bytes = (SELECT coalesce(sum(length(sealed)), 0) FROM entry_versions "
        "WHERE entry_versions.record_id = records.id) WHERE version > 0"
    )
