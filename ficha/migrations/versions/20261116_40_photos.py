"""The photo of whom a record is about: its thumbnail, and the name of its file in the storage."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_40"
down_revision = "20261116_20"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "photos",
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=24), nullable=False),
        sa.Column("size", sa.Integer(), nullable=False),
        sa.Column("width", sa.Integer(), nullable=False),
        sa.Column("height", sa.Integer(), nullable=False),
        sa.Column("thumbnail", sa.LargeBinary(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_photos_record_id_records"),
        sa.PrimaryKeyConstraint("record_id", name="pk_photos"),
        sa.UniqueConstraint("name", name="uq_photos_name"),
    )
