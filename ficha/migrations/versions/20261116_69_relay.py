"""What whoever is with a person and the alerted contacts write to each other, kept with the emergency."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_69"
down_revision = "20261116_83"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "relay_messages",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("emergency_id", BIG_ID, nullable=False),
        sa.Column("place", sa.Integer(), nullable=False),
        sa.Column("contact_id", sa.String(length=8), nullable=True),
        sa.Column("kind", sa.String(length=6), nullable=False),
        sa.Column("once", sa.String(length=64), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(
            ["emergency_id"], ["emergencies.id"], name="fk_relay_messages_emergency_id_emergencies"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_relay_messages"),
        sqlite_autoincrement=True,
    )
    op.create_index("ux_relay_messages_place", "relay_messages", ["emergency_id", "place"], unique=True)
    op.create_index("ux_relay_messages_once", "relay_messages", ["emergency_id", "once"], unique=True)
    op.add_column("emergency_contacts", sa.Column("relayed_place", sa.Integer(), nullable=False, server_default="0"))
