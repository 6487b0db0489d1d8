"""Services, navigation buttons, and the log of what administrators changed."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Json, Utc

revision = "20261116_20"
down_revision = "20261116_17"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    op.create_table(
        "admin_changes",
        sa.Column("id", BIG_ID, nullable=False),
        sa.Column("at", Utc(), nullable=False),
        sa.Column("actor", sa.String(length=60), nullable=False),
        sa.Column("kind", sa.String(length=40), nullable=False),
        sa.Column("target", sa.String(length=120), nullable=False),
        sa.Column("action", sa.String(length=20), nullable=False),
        sa.Column("before", Json(), nullable=False),
        sa.Column("after", Json(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_admin_changes"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_admin_changes_kind_target", "admin_changes", ["kind", "target"])
    op.create_table(
        "services",
        sa.Column("id", BIG_ID, nullable=False, autoincrement=False),
        sa.Column("external_id", sa.String(length=60), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("updated_at", Utc(), nullable=False),
        sa.Column("name", sa.String(length=120), nullable=False),
        sa.Column("description", sa.String(length=2000), nullable=True),
        sa.Column("path", sa.String(length=200), nullable=True),
        sa.Column("template", sa.String(length=40), nullable=True),
        sa.Column("primary_color", sa.String(length=7), nullable=True),
        sa.Column("logo_url", sa.String(length=2048), nullable=True),
        sa.Column("logo_alt", sa.String(length=120), nullable=True),
        sa.Column("qr_code_url", sa.String(length=2048), nullable=True),
        sa.Column("qr_code_alt", sa.String(length=120), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_services"),
        sa.UniqueConstraint("external_id", name="uq_services_external_id"),
    )
    op.create_table(
        "navigation_buttons",
        sa.Column("id", BIG_ID, nullable=False, autoincrement=False),
        sa.Column("external_id", sa.String(length=60), nullable=True),
        sa.Column("is_active", sa.Boolean(), nullable=False),
        sa.Column("updated_at", Utc(), nullable=False),
        sa.Column("service_id", BIG_ID, nullable=True),
        sa.Column("label", sa.String(length=60), nullable=False),
        sa.Column("icon", sa.String(length=40), nullable=True),
        sa.Column("url", sa.String(length=2048), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("color", sa.String(length=7), nullable=True),
        sa.ForeignKeyConstraint(["service_id"], ["services.id"], name="fk_navigation_buttons_service_id"),
        sa.PrimaryKeyConstraint("id", name="pk_navigation_buttons"),
        sa.UniqueConstraint("external_id", name="uq_navigation_buttons_external_id"),
    )
    op.create_index("ix_navigation_buttons_service_id", "navigation_buttons", ["service_id"])
