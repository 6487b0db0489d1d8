"""Called by Alembic: runs the migrations on the connection that `migrate` opened."""

from alembic import context

import ficha.tables  # noqa: F401  Enters every table.
from ficha.core.db import Base

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    transaction_per_migration=False,
    on_version_apply=context.config.attributes["on_step"],
)
with context.begin_transaction():
    context.run_migrations()
