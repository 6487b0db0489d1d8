"""Grade and class of an institution's people, sealed; how often each was invited, and when an invitation was ended."""

import sqlalchemy as sa
from alembic import op

from ficha.core.db import Utc

revision = "20261118_100"
down_revision = "20261118_99"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("institution_members", sa.Column("sealed_class", sa.LargeBinary(), nullable=True))
    op.add_column("institution_members", sa.Column("invites_sent", sa.Integer(), nullable=False, server_default="0"))
    op.add_column("institution_members", sa.Column("invite_ended_at", Utc(), nullable=True))
