"""A kept answer of a platform names the people that it tells about, so that it can be erased with any of them."""

import sqlalchemy as sa
from alembic import op

revision = "20261116_92"
down_revision = "20261116_80"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("kept_answers", sa.Column("people", sa.Text(), nullable=True))
