"""Emergencies and the steps of their ladders; notices to owners; decoys and who types many codes."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261115_05"
down_revision = "20261115_04"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = Utc()


def upgrade() -> None:
    op.create_table(
        "emergencies",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("current_record_id", BIG_ID, nullable=True),
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("state", sa.String(length=12), nullable=False),
        sa.Column("is_drill", sa.Boolean(), nullable=False),
        sa.Column("entrance", sa.String(length=10), nullable=False),
        sa.Column("position", sa.LargeBinary(), nullable=True),
        sa.Column("scans", sa.Integer(), nullable=False),
        sa.Column("last_scan_at", TIME, nullable=False),
        sa.Column("opened_at", TIME, nullable=False),
        sa.Column("opened_by", sa.String(length=60), nullable=False),
        sa.Column("acknowledged_at", TIME, nullable=True),
        sa.Column("acknowledged_by", sa.String(length=60), nullable=True),
        sa.Column("resolved_at", TIME, nullable=True),
        sa.Column("resolved_by", sa.String(length=60), nullable=True),
        sa.Column("canceled_at", TIME, nullable=True),
        sa.Column("canceled_by", sa.String(length=60), nullable=True),
        sa.Column("staff_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_emergencies_record_id"),
        sa.PrimaryKeyConstraint("id", name="pk_emergencies"),
        sa.UniqueConstraint("current_record_id", name="uq_emergencies_current_record_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_emergencies_record_id", "emergencies", ["record_id"])
    op.create_index("ix_emergencies_state", "emergencies", ["state"])
    op.create_index("ix_emergencies_staff_at", "emergencies", ["staff_at"])
    op.create_table(
        "emergency_steps",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("emergency_id", BIG_ID, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("contact_id", sa.String(length=8), nullable=True),
        sa.Column("channel", sa.String(length=10), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("reason", sa.String(length=40), nullable=True),
        sa.Column("message_id", BIG_ID, nullable=True),
        sa.Column("provider_id", sa.String(length=255), nullable=True),
        sa.Column("started_at", TIME, nullable=False),
        sa.Column("due_at", TIME, nullable=True),
        sa.Column("sent_at", TIME, nullable=True),
        sa.Column("delivered_at", TIME, nullable=True),
        sa.Column("read_at", TIME, nullable=True),
        sa.Column("ended_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["emergency_id"], ["emergencies.id"], name="fk_emergency_steps_emergency_id"),
        sa.PrimaryKeyConstraint("id", name="pk_emergency_steps"),
        sqlite_autoincrement=True,
    )
    op.create_index("ux_emergency_steps_place", "emergency_steps", ["emergency_id", "place"], unique=True)
    op.create_index("ix_emergency_steps_message_id", "emergency_steps", ["message_id"])
    op.create_table(
        "emergency_contacts",
        sa.Column("emergency_id", BIG_ID, nullable=False),
        sa.Column("contact_id", sa.String(length=8), nullable=False),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("label", sa.LargeBinary(), nullable=False),
        sa.Column("called_at", TIME, nullable=False),
        sa.Column("answer", sa.String(length=10), nullable=True),
        sa.Column("answered_at", TIME, nullable=True),
        sa.Column("answered_by", sa.String(length=10), nullable=True),
        sa.ForeignKeyConstraint(["emergency_id"], ["emergencies.id"], name="fk_emergency_contacts_emergency_id"),
        sa.PrimaryKeyConstraint("emergency_id", "contact_id", name="pk_emergency_contacts"),
        sa.UniqueConstraint("token_hash", name="uq_emergency_contacts_token_hash"),
    )
    op.create_table(
        "read_notices",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("how", sa.String(length=10), nullable=False),
        sa.Column("reader", sa.String(length=60), nullable=False),
        sa.Column("origin", sa.String(length=60), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("told_at", TIME, nullable=True),
        sa.Column("mail", sa.String(length=10), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_read_notices"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_read_notices_record_how_at", "read_notices", ["record_id", "how", "at"])
    op.create_table(
        "decoy_codes",
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("made_at", TIME, nullable=False),
        sa.Column("touched_at", TIME, nullable=True),
        sa.Column("touches", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["code"], ["products.code"], name="fk_decoy_codes_code"),
        sa.PrimaryKeyConstraint("code", name="pk_decoy_codes"),
    )
    op.create_table(
        "typed_hits",
        sa.Column("address", sa.LargeBinary(length=32), nullable=False),
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("address", "code", name="pk_typed_hits"),
    )
    op.create_index("ix_typed_hits_at", "typed_hits", ["at"])
