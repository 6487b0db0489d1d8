"""The logos of services, as they were fetched."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_79"
down_revision = "20261116_76"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "service_logos",
        sa.Column("service_id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("url_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("content", sa.LargeBinary(), nullable=False),
        sa.Column("fetched_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(
            ["service_id"], ["services.id"], name="fk_service_logos_service_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("service_id", name="pk_service_logos"),
    )
