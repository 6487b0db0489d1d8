"""The hashes of tags that ended, so that whoever scans one is told so. Those of before are not known any more."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_10"
down_revision = "20261118_01"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
HAS_OWNER = sa.text("record_id IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "ended_tags",
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("tag_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("record_id", BIG_ID, nullable=True),
        sa.Column("why", sa.String(length=10), nullable=False),
        sa.Column("ended_at", Utc(), nullable=False),
        sa.Column("noted_at", Utc(), nullable=True),
        sa.ForeignKeyConstraint(["code"], ["products.code"], name="fk_ended_tags_code"),
        sa.PrimaryKeyConstraint("code", "tag_hash", name="pk_ended_tags"),
    )
    op.create_index(
        "ix_ended_tags_record_id", "ended_tags", ["record_id"], sqlite_where=HAS_OWNER, postgresql_where=HAS_OWNER
    )
