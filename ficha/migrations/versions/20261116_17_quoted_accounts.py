"""A kept answer names the account that it quotes, so that it can be erased with it."""

import sqlalchemy as sa
from alembic import op

revision = "20261116_17"
down_revision = "20261116_16"
branch_labels = None
depends_on = None

BIG_ID = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
IS_NAMED = sa.text("account_id IS NOT NULL")


def upgrade() -> None:
    op.add_column("kept_answers", sa.Column("account_id", BIG_ID, nullable=True))
    op.create_index(
        "ix_kept_answers_account_id",
        "kept_answers",
        ["account_id"],
        sqlite_where=IS_NAMED,
        postgresql_where=IS_NAMED,
    )
    # Nothing in these was unreadable: their messages are stored, and the digest is enough to know them again.
    emptied = sa.text("UPDATE notifications SET sealed = :empty WHERE processed_at IS NOT NULL AND unreadable = 0")
    op.execute(emptied.bindparams(sa.bindparam("empty", b"", sa.LargeBinary)))
