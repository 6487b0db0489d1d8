"""Access to a record is offered by mail, and what a guardian gave ends with his own right."""

import sqlalchemy as sa
from alembic import op

revision = "20261116_12"
down_revision = "20261116_11"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    with op.batch_alter_table("grants") as table:
        table.alter_column("account_id", existing_type=BIG_ID, nullable=True)
        table.add_column(sa.Column("given_by", BIG_ID, nullable=True))
        table.add_column(sa.Column("sealed_correo", sa.LargeBinary(), nullable=True))
        table.add_column(sa.Column("token_hash", sa.LargeBinary(length=32), nullable=True))
        table.create_foreign_key("fk_grants_given_by", "grants", ["given_by"], ["id"], ondelete="CASCADE")
        table.create_unique_constraint("uq_grants_token_hash", ["token_hash"])
        table.create_index("ix_grants_given_by", ["given_by"])
