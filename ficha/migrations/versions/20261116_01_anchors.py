"""Anchors of the log: the ends of all chains, signed at intervals. Like the log, they only grow."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_01"
down_revision = "20261115_06"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "audit_anchors",
        sa.Column("number", sa.Integer(), autoincrement=False, nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("previous", sa.LargeBinary(length=32), nullable=False),
        sa.Column("root", sa.LargeBinary(length=32), nullable=False),
        sa.Column("signature", sa.LargeBinary(length=64), nullable=False),
        sa.Column("through_id", BIG_ID, nullable=False),
        sa.Column("ends", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("number", name="pk_audit_anchors"),
    )
    for statement in APPEND_ONLY[op.get_bind().dialect.name]:
        op.execute(statement)


APPEND_ONLY = {
    "sqlite": [
        f"CREATE TRIGGER audit_anchors_no_{event} BEFORE {event} ON audit_anchors "
        "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
        for event in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE TRIGGER audit_anchors_append_only BEFORE UPDATE OR DELETE ON audit_anchors "
        "FOR EACH ROW EXECUTE FUNCTION ficha_append_only()",
    ],
}
