"""Who of staff has taken an emergency, their sealed notes about it, and who opened one and why."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_991"
down_revision = "20261118_71"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.add_column("emergencies", sa.Column("taken_at", Utc(), nullable=True))
    op.add_column("emergencies", sa.Column("taken_by", sa.String(60), nullable=True))
    op.create_table(
        "staff_notes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("emergency_id", BIG_ID, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(["emergency_id"], ["emergencies.id"], name="fk_staff_notes_emergency_id_emergencies"),
        sa.PrimaryKeyConstraint("id", name="pk_staff_notes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ux_staff_notes_place", "staff_notes", ["emergency_id", "place"], unique=True)
    op.create_table(
        "opened_notes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("note_id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("why", sa.LargeBinary(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_opened_notes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_opened_notes_note_id", "opened_notes", ["note_id"])
    op.create_index("ix_opened_notes_record_id", "opened_notes", ["record_id"])
