"""Of which uploaded roster a doubtful row is."""

import sqlalchemy as sa
from alembic import op

revision = "20261119_73"
down_revision = "20261119_72"
branch_labels = None
depends_on = None


def upgrade() -> None:
    big_id = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.add_column("roster_doubts", sa.Column("upload_id", big_id, nullable=True))


def downgrade() -> None:
    op.drop_column("roster_doubts", "upload_id")
