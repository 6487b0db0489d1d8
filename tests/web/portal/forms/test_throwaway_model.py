"""A model that is added to the catalogue has its form, its section and its lines without further code."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.slow
def test_a_new_model_gets_form_section_and_qr_lines(sqlite_file: Path, tmp_path: Path) -> None:
    database = tmp_path / "ficha.db"
    shutil.copy(sqlite_file, database)
    command = [sys.executable, "-m", "tests.web.portal.forms.throwaway_model", str(database), str(tmp_path / "data")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-3000:]
