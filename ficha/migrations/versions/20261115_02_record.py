"""The medical record: entries and their versions, grants, broken glass, tags; the log becomes append-only."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261115_02"
down_revision = "20261115_01"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
TIME = Utc()


def upgrade() -> None:
    op.create_table(
        "entries",
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("model", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("has_data", sa.Boolean(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("updated_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_entries_record_id"),
        sa.PrimaryKeyConstraint("record_id", "model", name="pk_entries"),
    )
    op.create_table(
        "entry_versions",
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("model", sa.String(length=40), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("change", sa.Integer(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("actor", sa.String(length=60), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_entry_versions_record_id"),
        sa.PrimaryKeyConstraint("record_id", "model", "version", name="pk_entry_versions"),
    )
    op.create_table(
        "grants",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=12), nullable=False),
        sa.Column("edits", sa.Boolean(), nullable=False),
        sa.Column("granted_at", TIME, nullable=False),
        sa.Column("ends_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_grants_account_id", ondelete="CASCADE"),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_grants_record_id"),
        sa.PrimaryKeyConstraint("id", name="pk_grants"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_grants_account_id", "grants", ["account_id"])
    op.create_index("ix_grants_record_account", "grants", ["record_id", "account_id"])
    op.create_table(
        "broken_glass",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("secret_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("who", sa.LargeBinary(), nullable=False),
        sa.Column("why", sa.LargeBinary(), nullable=False),
        sa.Column("ends_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_broken_glass"),
        sa.UniqueConstraint("secret_hash", name="uq_broken_glass_secret_hash"),
    )
    op.create_index("ix_broken_glass_record_id", "broken_glass", ["record_id"])

    with op.batch_alter_table("audit_entries") as table:
        table.add_column(sa.Column("uid", sa.String(length=32), nullable=True))
        table.add_column(sa.Column("via", sa.String(length=20), server_default="", nullable=False))
        table.add_column(sa.Column("origin", sa.String(length=60), server_default="", nullable=False))
        table.create_unique_constraint("uq_audit_entries_uid", ["uid"])
    with op.batch_alter_table("products") as table:
        table.add_column(sa.Column("tag_hash", sa.LargeBinary(length=32), nullable=True))
        table.add_column(sa.Column("ended_at", TIME, nullable=True))
    with op.batch_alter_table("records") as table:
        table.add_column(sa.Column("template_type", sa.String(length=20), server_default="general", nullable=False))
        table.add_column(sa.Column("version", sa.Integer(), server_default="0", nullable=False))

    for statement in APPEND_ONLY[op.get_bind().dialect.name]:
        op.execute(statement)


# Whoever alters the log must first take this away, and the hash chain shows it even then.
APPEND_ONLY = {
    "sqlite": [
        f"CREATE TRIGGER audit_entries_no_{event} BEFORE {event} ON audit_entries "
        "BEGIN SELECT RAISE(ABORT, 'the log is append-only'); END"
        for event in ("UPDATE", "DELETE")
    ],
    "postgresql": [
        "CREATE FUNCTION ficha_append_only() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the log is append-only'; END $$",
        "CREATE TRIGGER audit_entries_append_only BEFORE UPDATE OR DELETE ON audit_entries "
        "FOR EACH ROW EXECUTE FUNCTION ficha_append_only()",
    ],
}
