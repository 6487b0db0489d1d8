"""The first tables: accounts, tokens, records, codes, jobs."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from ficha.core.db import Utc

revision = "20261115_01"
down_revision = None
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(postgresql.JSONB(), "postgresql")
TIME = Utc()
WAITING = sa.text("state = 'ready'")


def upgrade() -> None:
    op.create_table(
        "accounts",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("correo", sa.String(length=254), nullable=False),
        sa.Column("correo_key", sa.String(length=254), nullable=False),
        sa.Column("clave_hash", sa.String(length=200), nullable=False),
        sa.Column("nombre", sa.String(length=120), nullable=False),
        sa.Column("cod_telefono", sa.String(length=5), nullable=False),
        sa.Column("telefono", sa.String(length=15), nullable=False),
        sa.Column("telefono_e164", sa.String(length=20), nullable=True),
        sa.Column("idioma", sa.String(length=2), nullable=False),
        sa.Column("roles", JSON, nullable=False),
        sa.Column("correo_verificado_en", TIME, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("vanishes_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_accounts"),
        sa.UniqueConstraint("correo_key", name="uq_accounts_correo_key"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_accounts_telefono_e164", "accounts", ["telefono_e164"])
    op.create_index("ix_accounts_vanishes_at", "accounts", ["vanishes_at"])

    op.create_table(
        "audit_entries",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("record_id", BIG_ID, nullable=False),
        sa.Column("seq", sa.Integer(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("actor", sa.String(length=60), nullable=False),
        sa.Column("action", sa.String(length=40), nullable=False),
        sa.Column("what", JSON, nullable=False),
        sa.Column("previous", sa.LargeBinary(length=32), nullable=False),
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_audit_entries"),
        sqlite_autoincrement=True,
    )
    op.create_index("ux_audit_entries_record_seq", "audit_entries", ["record_id", "seq"], unique=True)

    op.create_table(
        "job_schedule",
        sa.Column("kind", sa.String(length=128), nullable=False),
        sa.Column("next_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("kind", name="pk_job_schedule"),
    )
    op.create_table(
        "jobs",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("kind", sa.String(length=128), nullable=False),
        sa.Column("payload", JSON, nullable=False),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("state", sa.String(length=16), nullable=False),
        sa.Column("run_at", TIME, nullable=False),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(length=255), nullable=True),
        sa.Column("lease_until", TIME, nullable=True),
        sa.Column("last_error", sa.String(length=255), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("died_at", TIME, nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_jobs"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_jobs_state_run_at", "jobs", ["state", "run_at"])
    op.create_index("uq_jobs_key", "jobs", ["key"], unique=True, sqlite_where=WAITING, postgresql_where=WAITING)

    op.create_table(
        "kept_answers",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("scope", sa.String(length=200), nullable=False),
        sa.Column("key", sa.String(length=255), nullable=False),
        sa.Column("fingerprint", sa.LargeBinary(length=32), nullable=False),
        sa.Column("holder", sa.String(length=32), nullable=False),
        sa.Column("claimed_at", TIME, nullable=False),
        sa.Column("status", sa.Integer(), nullable=True),
        sa.Column("answer", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_kept_answers"),
    )
    op.create_index("ix_kept_answers_claimed_at", "kept_answers", ["claimed_at"])
    op.create_index("ux_kept_answers_scope_key", "kept_answers", ["scope", "key"], unique=True)

    op.create_table(
        "secrets",
        sa.Column("name", sa.String(length=40), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("key_id", sa.String(length=64), nullable=True),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=True),
        sa.PrimaryKeyConstraint("name", name="pk_secrets"),
    )
    op.create_index("ix_secrets_key_id", "secrets", ["key_id"])

    op.create_table(
        "one_time_codes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("purpose", sa.String(length=12), nullable=False),
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("target", sa.String(length=254), nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("tries_left", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["account_id"], ["accounts.id"], name="fk_one_time_codes_account_id", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_one_time_codes"),
    )
    op.create_index("ix_one_time_codes_hash", "one_time_codes", ["hash"])
    op.create_index("ux_one_time_codes_account_purpose", "one_time_codes", ["account_id", "purpose"], unique=True)

    op.create_table(
        "records",
        sa.Column("id", BIG_ID, autoincrement=False, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=True),
        sa.Column("relacion", sa.String(length=60), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("erased_at", TIME, nullable=True),
        sa.Column("key_id", sa.String(length=64), nullable=True),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_records_account_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_records"),
    )
    op.create_index("ix_records_account_id", "records", ["account_id"])
    op.create_index("ix_records_key_id", "records", ["key_id"])

    op.create_table(
        "tokens",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("account_id", BIG_ID, nullable=False),
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("session_key", sa.String(length=12), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.Column("last_used_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_tokens_account_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_tokens"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_tokens_account_id", "tokens", ["account_id"])
    op.create_index("ix_tokens_expires_at", "tokens", ["expires_at"])
    op.create_index("ix_tokens_session_key", "tokens", ["session_key"])

    op.create_table(
        "browser_sessions",
        sa.Column("hash", sa.LargeBinary(length=32), nullable=False),
        sa.Column("token_id", BIG_ID, nullable=False),
        sa.Column("expires_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["token_id"], ["tokens.id"], name="fk_browser_sessions_token_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("hash", name="pk_browser_sessions"),
    )
    op.create_index("ix_browser_sessions_token_id", "browser_sessions", ["token_id"])

    op.create_table(
        "products",
        sa.Column("code", sa.String(length=6), nullable=False),
        sa.Column("is_bp", sa.Boolean(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("record_id", BIG_ID, nullable=True),
        sa.Column("issued_at", TIME, nullable=False),
        sa.Column("claimed_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["record_id"], ["records.id"], name="fk_products_record_id"),
        sa.PrimaryKeyConstraint("code", name="pk_products"),
    )
    op.create_index("ix_products_record_id", "products", ["record_id"])
