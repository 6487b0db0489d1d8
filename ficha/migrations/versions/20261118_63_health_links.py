"""SMART Health Links of a record, and who opened them."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_63"
down_revision = "20261118_62"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "health_links",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("created_by", BIG_ID, nullable=True),
        sa.Column("given_by", BIG_ID, nullable=True),
        sa.Column("secret_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("sealed_key", sa.LargeBinary(), nullable=True),
        sa.Column("sealed_label", sa.LargeBinary(), nullable=False),
        sa.Column("has_passcode", sa.Boolean(), nullable=False),
        sa.Column("passcode_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("attempts_left", sa.Integer(), nullable=False),
        sa.Column("once", sa.Boolean(), nullable=False),
        sa.Column("long_term", sa.Boolean(), nullable=False),
        sa.Column("direct", sa.Boolean(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.Column("ends_at", Utc(), nullable=False),
        sa.Column("ended_at", Utc(), nullable=True),
        sa.Column("openings", sa.Integer(), server_default="0", nullable=False),
        sa.Column("opened_at", Utc(), nullable=True),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_health_links_record_id_records"),
        sa.ForeignKeyConstraint(
            ["created_by"], ["accounts.id"], name="fk_health_links_created_by_accounts", ondelete="SET NULL"
        ),
        sa.ForeignKeyConstraint(
            ["given_by"], ["grants.id"], name="fk_health_links_given_by_grants", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_health_links"),
        sa.UniqueConstraint("secret_hash", name="uq_health_links_secret_hash"),
        sqlite_autoincrement=True,
    )
    for column in ("record_id", "created_by", "given_by", "ends_at"):
        op.create_index(f"ix_health_links_{column}", "health_links", [column])
    op.create_table(
        "health_link_openings",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("link_id", BIG_ID, nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("sealed_recipient", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["link_id"], ["health_links.id"], name="fk_health_link_openings_link_id_health_links", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_health_link_openings"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_health_link_openings_link_id", "health_link_openings", ["link_id"])
