"""The database schema: tables and migrations agree."""

import re
import subprocess
import sys
from pathlib import Path

from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory

from ficha.core.db import Base, Database
from ficha.core.schema_version import SchemaState, schema_state, schema_versions
from ficha.migrations import alembic_config
from tests.source_code import texts


def test_migrations_and_tables_agree(database: Database) -> None:
    with database.engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, Base.metadata) == []


def test_every_table_is_known_to_the_migrations() -> None:
    """In a process that loads nothing besides."""
    program = "import ficha.tables; from ficha.core.db import Base; print(*Base.metadata.tables)"
    known = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout.split()
    declared = {name for text in texts().values() for name in re.findall(r'^    __tablename__ = "(\w+)"', text, re.M)}
    assert set(known) == declared


def test_a_migrated_database_is_recognised_without_loading_the_tools(database: Database, tmp_path: Path) -> None:
    url = database.engine.url.render_as_string(hide_password=False)
    assert schema_state(url) is SchemaState.CURRENT
    assert schema_state(f"sqlite:///{tmp_path / 'none.db'}") is SchemaState.MISSING
    versions = schema_versions()
    newest = ScriptDirectory.from_config(alembic_config()).get_current_head()
    assert versions.keys() - versions.values() == {newest}
