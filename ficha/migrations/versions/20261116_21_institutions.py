"""Institutions, the people who work there, their members, and what these consent to."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261116_21"
down_revision = "20261116_40"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "institutions",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("slug", sa.String(length=60), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("account_id", BIG_ID, nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("created_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_institutions_account_id", ondelete="SET NULL"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_institutions"),
        sa.UniqueConstraint("slug", name="uq_institutions_slug"),
        sa.UniqueConstraint("account_id", name="uq_institutions_account_id"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "institution_roles",
        sa.Column("institution_id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("role", sa.String(length=10), nullable=False),
        sa.Column("granted_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(
            ["institution_id"], ["institutions.id"], name="fk_institution_roles_institution_id", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_institution_roles_account_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("institution_id", "account_id", name="pk_institution_roles"),
    )
    op.create_index("ix_institution_roles_account_id", "institution_roles", ["account_id"])
    op.create_table(
        "institution_members",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("institution_id", BIG_ID, nullable=False),
        sa.Column("external_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("external_id", sa.String(length=80), nullable=True),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("bp_code", sa.String(length=6), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("given_hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("documento_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("correo_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("telefono_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.Column("invite_due", sa.Boolean(), nullable=False),
        sa.Column("invited_at", Utc(), nullable=True),
        sa.Column("token_hash", sa.LargeBinary(length=32), nullable=True),
        sa.Column("created_at", Utc(), nullable=False),
        sa.Column("changed_at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(["institution_id"], ["institutions.id"], name="fk_institution_members_institution_id"),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_institution_members_record_id"),
        sa.PrimaryKeyConstraint("id", name="pk_institution_members"),
        sa.UniqueConstraint("institution_id", "external_hash", name="uq_institution_members_external_hash"),
        sa.UniqueConstraint("token_hash", name="uq_institution_members_token_hash"),
        sqlite_autoincrement=True,
    )
    for name in ("documento", "correo", "telefono"):
        op.create_index(f"ix_institution_members_{name}", "institution_members", ["institution_id", f"{name}_hash"])
    op.create_index("ix_institution_members_record_id", "institution_members", ["record_id"])
    op.create_index(
        "ix_institution_members_due",
        "institution_members",
        ["institution_id"],
        sqlite_where=sa.text("invite_due"),
        postgresql_where=sa.text("invite_due"),
    )
    op.create_table(
        "institution_consents",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("member_id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("version", sa.String(length=20), nullable=False),
        sa.Column("sees", sa.Boolean(), nullable=False),
        sa.Column("edits", sa.Boolean(), nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("via", sa.String(length=12), nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["institution_members.id"], name="fk_institution_consents_member_id"),
        sa.PrimaryKeyConstraint("id", name="pk_institution_consents"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_institution_consents_member_id", "institution_consents", ["member_id"])
