"""Messaging: threads, messages and their news, notifications as they came, files, uploads, limits, templates."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects.postgresql import JSONB

from ficha.core.db import Utc

revision = "20261115_04"
down_revision = "20261115_03"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
JSON = sa.JSON().with_variant(JSONB(), "postgresql")
TIME = Utc()
IS_WAITING = sa.text("processed_at IS NULL")


def upgrade() -> None:
    op.create_table(
        "threads",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=24), nullable=False),
        sa.Column("phone_number_id", sa.String(length=40), nullable=False),
        sa.Column("wa_id", sa.String(length=40), nullable=True),
        sa.Column("user_id", sa.String(length=160), nullable=True),
        sa.Column("account_id", BIG_ID, nullable=True),
        sa.Column("last_inbound_at", TIME, nullable=True),
        sa.Column("stopped_at", TIME, nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("key_id", sa.String(length=64), nullable=True),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["account_id"], ["accounts.id"], name="fk_threads_account_id", ondelete="SET NULL"),
        sa.PrimaryKeyConstraint("id", name="pk_threads"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_threads_account_id", "threads", ["account_id"])
    op.create_index("ix_threads_key_id", "threads", ["key_id"])
    op.create_index("ux_threads_user_id", "threads", ["phone_number_id", "user_id"], unique=True)
    op.create_index("ux_threads_wa_id", "threads", ["phone_number_id", "wa_id"], unique=True)
    op.create_table(
        "messages",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("key", sa.String(length=40), nullable=False),
        sa.Column("once", sa.String(length=120), nullable=True),
        sa.Column("thread_id", BIG_ID, nullable=False),
        sa.Column("is_ours", sa.Boolean(), nullable=False),
        sa.Column("is_test", sa.Boolean(), nullable=False),
        sa.Column("type", sa.String(length=40), nullable=False),
        sa.Column("about", sa.String(length=80), nullable=False),
        sa.Column("provider_id", sa.String(length=255), nullable=True),
        sa.Column("reply_to", sa.String(length=255), nullable=True),
        sa.Column("sealed", sa.LargeBinary(), nullable=True),
        sa.Column("sealed_fallback", sa.LargeBinary(), nullable=True),
        sa.Column("is_secret", sa.Boolean(), nullable=False),
        sa.Column("asked_by", BIG_ID, nullable=True),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("accepted_at", TIME, nullable=True),
        sa.Column("sent_at", TIME, nullable=True),
        sa.Column("delivered_at", TIME, nullable=True),
        sa.Column("read_at", TIME, nullable=True),
        sa.Column("failed_at", TIME, nullable=True),
        sa.Column("error_code", sa.Integer(), nullable=True),
        sa.Column("error", sa.String(length=40), nullable=True),
        sa.Column("replaced_by", BIG_ID, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("pair_hits", sa.Integer(), nullable=False),
        sa.Column("has_turn", sa.Boolean(), nullable=False),
        sa.Column("is_urgent", sa.Boolean(), nullable=False),
        sa.Column("in_doubt_at", TIME, nullable=True),
        sa.Column("next_try_at", TIME, nullable=True),
        sa.Column("expires_at", TIME, nullable=True),
        sa.Column("dealt_at", TIME, nullable=True),
        sa.ForeignKeyConstraint(["thread_id"], ["threads.id"], name="fk_messages_thread_id"),
        sa.PrimaryKeyConstraint("id", name="pk_messages"),
        sa.UniqueConstraint("key", name="uq_messages_key"),
        sa.UniqueConstraint("once", name="uq_messages_once"),
        sa.UniqueConstraint("provider_id", name="uq_messages_provider_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_messages_thread_id_id", "messages", ["thread_id", "id"])
    op.create_table(
        "message_statuses",
        sa.Column("provider_id", sa.String(length=255), nullable=False),
        sa.Column("progress", sa.String(length=10), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.Column("error_code", sa.Integer(), nullable=True),
        sa.PrimaryKeyConstraint("provider_id", "progress", name="pk_message_statuses"),
    )
    op.create_table(
        "notifications",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("digest", sa.LargeBinary(length=32), nullable=False),
        sa.Column("is_test", sa.Boolean(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.Column("received_at", TIME, nullable=False),
        sa.Column("processed_at", TIME, nullable=True),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.Column("unreadable", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_notifications"),
        sa.UniqueConstraint("digest", name="uq_notifications_digest"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_notifications_received_at", "notifications", ["received_at"])
    op.create_index(
        "ix_notifications_waiting", "notifications", ["id"], sqlite_where=IS_WAITING, postgresql_where=IS_WAITING
    )
    op.create_table(
        "kept_files",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("name", sa.String(length=24), nullable=False),
        sa.Column("message_id", BIG_ID, nullable=True),
        sa.Column("media_id", sa.String(length=255), nullable=True),
        sa.Column("mime_type", sa.String(length=255), nullable=False),
        sa.Column("sha256", sa.String(length=64), nullable=True),
        sa.Column("size", sa.BigInteger(), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("created_at", TIME, nullable=False),
        sa.Column("key_id", sa.String(length=64), nullable=True),
        sa.Column("wrapped_key", sa.LargeBinary(), nullable=True),
        sa.ForeignKeyConstraint(["message_id"], ["messages.id"], name="fk_kept_files_message_id"),
        sa.PrimaryKeyConstraint("id", name="pk_kept_files"),
        sa.UniqueConstraint("message_id", name="uq_kept_files_message_id"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_kept_files_key_id", "kept_files", ["key_id"])
    op.create_index("ix_kept_files_media_id", "kept_files", ["media_id"])
    op.create_table(
        "file_pieces",
        sa.Column("file_id", BIG_ID, nullable=False),
        sa.Column("start", sa.BigInteger(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("sealed", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["file_id"], ["kept_files.id"], name="fk_file_pieces_file_id", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("file_id", "start", name="pk_file_pieces"),
    )
    op.create_table(
        "uploads",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("file_id", BIG_ID, nullable=False),
        sa.Column("asked_by", BIG_ID, nullable=False),
        sa.Column("sealed_name", sa.LargeBinary(), nullable=False),
        sa.Column("length", sa.BigInteger(), nullable=False),
        sa.Column("use", sa.String(length=20), nullable=False),
        sa.Column("state", sa.String(length=10), nullable=False),
        sa.Column("platform_id", sa.String(length=1000), nullable=True),
        sa.Column("handle", sa.String(length=2000), nullable=True),
        sa.Column("media_id", sa.String(length=255), nullable=True),
        sa.Column("error_code", sa.Integer(), nullable=True),
        sa.Column("created_at", TIME, nullable=False),
        sa.ForeignKeyConstraint(["file_id"], ["kept_files.id"], name="fk_uploads_file_id"),
        sa.PrimaryKeyConstraint("id", name="pk_uploads"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "send_budgets",
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("tokens", sa.Float(), nullable=False),
        sa.Column("at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_send_budgets"),
    )
    op.create_table(
        "known_templates",
        sa.Column("name", sa.String(length=512), nullable=False),
        sa.Column("language", sa.String(length=20), nullable=False),
        sa.Column("facts", JSON, nullable=False),
        sa.Column("seen_at", TIME, nullable=False),
        sa.PrimaryKeyConstraint("name", "language", name="pk_known_templates"),
    )

    with op.batch_alter_table("accounts") as table:
        table.add_column(sa.Column("telefono_verificado_en", TIME, nullable=True))
        table.add_column(sa.Column("telefono_verificado_por", sa.String(length=10), nullable=True))

    # An alarm does not queue behind everyday messages.
    with op.batch_alter_table("jobs") as table:
        table.add_column(sa.Column("rank", sa.Integer(), server_default="1", nullable=False))
        table.drop_index("ix_jobs_state_run_at")
        table.create_index("ix_jobs_due", ["state", "rank", "run_at", "id"])
