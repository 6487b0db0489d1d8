"""What version 0.1.0 kept its jobs in goes: the tables of Procrastinate, empty since 1.0.0, with their functions, types
and our trigger. Databases that were made later have none of it."""

import sqlalchemy as sa
from alembic import op

revision = "20261118_99"
down_revision = "20261118_63"
branch_labels = None
depends_on = None

# Each with the kind of object that `DROP` names.
FUNCTIONS = """
    SELECT CASE prokind WHEN 'p' THEN 'PROCEDURE ' ELSE 'FUNCTION ' END || CAST(oid AS regprocedure) FROM pg_proc
    WHERE pronamespace = CAST(current_schema() AS regnamespace)
        AND (starts_with(proname, 'procrastinate_') OR proname = 'ficha_put_job')
"""
TYPES = """
    SELECT 'TYPE ' || CAST(oid AS regtype) FROM pg_type
    WHERE typnamespace = CAST(current_schema() AS regnamespace)
        AND starts_with(typname, 'procrastinate_') AND typtype IN ('e', 'c')
"""


def upgrade() -> None:
    connection = op.get_bind()
    old = [name for name in sa.inspect(connection).get_table_names() if name.startswith("procrastinate_")]
    if connection.dialect.name == "sqlite":
        for name in old:
            op.drop_table(name)
        return
    for name in old:
        op.execute(f"DROP TABLE {name} CASCADE")
    for listed in (FUNCTIONS, TYPES):
        for named in connection.scalars(sa.text(listed)).all():
            op.execute(f"DROP {named} CASCADE")
