"""Called by Alembic: runs the migrations on the connection that `migrate` opened."""

from alembic import context

from ficha.core.db import Base
from ficha.tables import is_own_table

connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=Base.metadata,
    render_as_batch=connection.dialect.name == "sqlite",
    include_object=is_own_table,
    transaction_per_migration=False,
    on_version_apply=context.config.attributes["on_step"],
)
with context.begin_transaction():
    context.run_migrations()
