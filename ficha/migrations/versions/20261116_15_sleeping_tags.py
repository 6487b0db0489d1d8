"""The tag of a sticker that was claimed by its code alone sleeps until the account's mailbox confirms the claim."""

import sqlalchemy as sa
from alembic import op

revision = "20261116_15"
down_revision = "20261116_14"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("products", sa.Column("sleeping_tag_hash", sa.LargeBinary(length=32), nullable=True))
