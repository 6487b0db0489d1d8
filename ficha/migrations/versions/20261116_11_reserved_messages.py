"""Messages know the record that they concern; staff who open one leave a reason."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_11"
down_revision = "20261116_02"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")

# Alerts and the answers to them carry the name of their step, notices their number.
FILL = "UPDATE messages SET record_id = (SELECT record_id FROM {table} WHERE id = {number}) WHERE about LIKE '{name}:%'"
# SQLite reads the number at the beginning of a text and leaves the rest.
NUMBERS = {
    "sqlite": "CAST(substr(messages.about, instr(messages.about, ':') + 1) AS INTEGER)",
    "postgresql": "CAST(split_part(messages.about, ':', 2) AS BIGINT)",
}


def upgrade() -> None:
    op.add_column("messages", sa.Column("record_id", BIG_ID, nullable=True))
    number = NUMBERS[op.get_bind().dialect.name]
    for name, table in (("emergencia", "emergencies"), ("aviso", "read_notices")):
        op.execute(FILL.format(name=name, table=table, number=number))
    op.create_index("ix_messages_record_id", "messages", ["record_id"])
    op.create_table(
        "opened_messages",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("message_id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("why", sa.LargeBinary(), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_opened_messages"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_opened_messages_message_id", "opened_messages", ["message_id"])
