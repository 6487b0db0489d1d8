"""Batches of codes, their tags while they are sealed, and the ledger of what became of codes."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_25"
down_revision = "20261116_21"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = Utc()
OF_BATCH = sa.text("batch_id IS NOT NULL")


def upgrade() -> None:
    op.create_table(
        "batches",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("label", sa.String(length=80), nullable=False),
        sa.Column("count", sa.Integer(), nullable=False),
        sa.Column("made", sa.Integer(), nullable=False),
        sa.Column("made_at", TIME, nullable=False),
        sa.Column("made_by", sa.String(length=60), nullable=False),
        sa.Column("tags_until", TIME, nullable=False),
        sa.Column("confirmed_at", TIME, nullable=True),
        sa.Column("confirmed_by", sa.String(length=60), nullable=True),
        sa.Column("key_id", sa.String(length=64), nullable=True),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_batches"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_batches_key_id", "batches", ["key_id"])
    op.create_index("ix_batches_tags_until", "batches", ["tags_until"])
    op.create_table(
        "sealed_tags",
        sa.Column("batch_id", BIG_ID, nullable=False),
        sa.Column("start", sa.Integer(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("fetched_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["batch_id"], ["batches.id"], name="fk_sealed_tags_batch_id"),
        sa.PrimaryKeyConstraint("batch_id", "start", name="pk_sealed_tags"),
    )
    op.create_table(
        "code_ledger",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("code", sa.String(length=6), nullable=True),
        sa.Column("batch_id", BIG_ID, nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("by", sa.String(length=60), nullable=False),
        sa.CheckConstraint("(code IS NULL) <> (batch_id IS NULL)", name="ck_code_ledger_one_of_both"),
        sa.PrimaryKeyConstraint("id", name="pk_code_ledger"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_code_ledger_code", "code_ledger", ["code"])
    op.create_index("ix_code_ledger_batch_id", "code_ledger", ["batch_id"])
    op.add_column("products", sa.Column("batch_id", BIG_ID, nullable=True))
    op.create_index(
        "ix_products_batch_code",
        "products",
        ["batch_id", "code"],
        sqlite_where=OF_BATCH,
        postgresql_where=OF_BATCH,
    )
    for statement in APPEND_ONLY[op.get_bind().dialect.name]:
        op.execute(statement)


# As for the records' log, whose function PostgreSQL has already.
APPEND_ONLY = {
    "sqlite": [
        f"CREATE TRIGGER code_ledger_no_{event} BEFORE {event} ON code_ledger "
        "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END"
        for event in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE TRIGGER code_ledger_append_only BEFORE UPDATE OR DELETE ON code_ledger "
        "FOR EACH ROW EXECUTE FUNCTION ficha_append_only()",
    ],
}
