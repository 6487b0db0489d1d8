"""Where somebody is, in words: a landmark beside the position, sealed like it."""

import sqlalchemy as sa
from alembic import op

revision = "20261116_50"
down_revision = "20261116_22"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("emergencies", sa.Column("landmark", sa.LargeBinary(), nullable=True))
