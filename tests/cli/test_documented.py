"""What the pages and `--help` tell an operator to type, typed from the first key to the restored backup."""

import re
import shlex
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import func, select, update
from typer.testing import CliRunner

from ficha.cli.app import app
from ficha.core.clock import SystemClock
from ficha.core.db import Database
from ficha.jobs.queue import put
from ficha.jobs.table import DEAD, jobs
from tests.cli.test_manual import COMMANDS
from tests.institutions.roster_files import pupil, write_xlsx
from tests.processes import environment
from tests.project.documents import ficha_commands

# In an order in which each has something to do; the examples of `--help` too. With the exit code, where it is not 0.
STORY = """
ficha --version
ficha --help
ficha settings
ficha settings --json
ficha error-page
ficha keys create
ficha migrate
ficha admin create --correo ana@ejemplo.com
ficha admin create --correo luis@ejemplo.com --clave 'una clave larga'
ficha admin grant --correo luis@ejemplo.com --role staff
ficha admin withdraw --correo luis@ejemplo.com --role staff
ficha admin changes --kind role
ficha institution create colegio-san-luis --name 'Colegio San Luis'
ficha institution list
ficha institution close colegio-san-luis
ficha institution open colegio-san-luis
ficha institution grant colegio-san-luis --correo luis@ejemplo.com --role staff
ficha institution withdraw colegio-san-luis --correo luis@ejemplo.com
ficha institution token colegio-san-luis --days 365
ficha institution revoke colegio-san-luis 42
ficha roster import alumnos.xlsx --institution colegio-san-luis
ficha roster import alumnos.xlsx --institution colegio-san-luis → 1
ficha roster doubts --institution colegio-san-luis
ficha roster decide 7 --same --institution colegio-san-luis
ficha codes create --count 24 --label "Colegio San José"
ficha codes batches
ficha codes sheet 3 --out lote-3.pdf
ficha codes confirm 3
ficha codes ship 3
ficha codes void 3
ficha codes decoys
ficha codes decoys --count 900
ficha demo
ficha demo --json
ficha messages notifications
ficha messages notifications --kind foreign
ficha jobs list
ficha jobs retry 42
ficha jobs discard 42
ficha jobs discard ID
ficha jobs retry --all
ficha keys announce
ficha keys status
ficha keys withdraw ID
ficha keys announce
ficha keys withdraw 1f2e3d4c
ficha keys rotate
ficha keys drop
ficha keys drop --older-than 30
ficha keys add-signing
ficha keys forget-signing KID
ficha keys add-signing
ficha keys forget-signing 1f2e3d4c
ficha keys add-issuer
ficha keys withdraw-issuer KID
ficha keys add-issuer
ficha keys withdraw-issuer 3Kfdg-XwP-7gXyywtUfUADwBumDOPKMQx-iELL11W9s
ficha audit anchor
ficha audit verify
ficha audit verify --copies /mnt/elsewhere/anchors
ficha backup
ficha backup --to /mnt/backups
ficha backup --to /mnt/backups --json
ficha backup --to /var/backups/ficha --json
ficha backup drill
ficha demo --remove
ficha restore /mnt/backups/ficha-20261116-031500.zip --dry-run
ficha restore /mnt/backups/ficha-20261116-031500.zip --replace
""".strip().splitlines()

TYPED_CLAVE = "otra clave larga"


class Operator:
    """Types one command after the other. What a page calls `/mnt` or `42` is what she has."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._url = folder, f"sqlite:///{folder}/ficha.db"
        self._env = environment(self._url, folder / "data", COLUMNS="200")
        self._last = {"key": "", "number": ""}

    def types(self, command: str) -> tuple[int, str]:
        """The exit code, and what she reads. Of ids she remembers those that she read last."""
        if command.startswith("ficha jobs"):
            self._last["number"] = self._dead_letter()
        if command.startswith("ficha roster import"):
            self._is_given_a_roster()
        _, *words = shlex.split(command)
        answers = f"{TYPED_CLAVE}\n" * 2 if words[0] == "admin" and "--clave" not in words else "y\n"
        ended = CliRunner().invoke(app, [self._meant(word, words[0]) for word in words], env=self._env, input=answers)
        said = " ".join((ended.stdout + ended.stderr).split())
        for name, pattern in (("key", r"(?:[Nn]ew|Master)(?: \w+)? key ([\w-]{8,})"), ("number", r"^(\d+)\|")):
            self._last[name] = (re.findall(pattern, said) or [self._last[name]])[-1]
        return ended.exit_code, said

    def _meant(self, word: str, group: str) -> str:
        if word.endswith(".zip"):
            return str(max(self._folder.glob("mnt/backups/*.zip")))
        if word == "42" or (word, group) == ("ID", "jobs"):
            return self._last["number"]
        if re.fullmatch(r"K?ID|1f2e3d4c|3Kfdg-\S+", word):
            return self._last["key"]
        if word in ("3", "7"):  # The only batch, and the only doubt.
            return "1"
        return f"{self._folder}{word}" if word.startswith("/") else word

    def _is_given_a_roster(self) -> None:
        """The second time, of the same pupil under another number: that is a doubt."""
        file = self._folder / "alumnos.xlsx"
        write_xlsx(file, [("Z-1" if file.exists() else "A-1", *pupil(1)[1:])])

    def _dead_letter(self) -> str:
        with closing(Database(self._url)) as database, database.writing() as tx:
            put(tx, "no.such.kind", {})
            tx.orm.execute(
                update(jobs).where(jobs.c.kind == "no.such.kind").values(state=DEAD, died_at=SystemClock().now())
            )
            return str(tx.orm.scalar(select(func.max(jobs.c.id))))


@pytest.fixture
def operator(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Operator:
    monkeypatch.chdir(tmp_path)
    for folder in ("mnt/backups", "var/backups/ficha"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "mnt" / "elsewhere").symlink_to(tmp_path / "data")
    return Operator(tmp_path)


@pytest.mark.slow
def test_what_the_pages_tell_an_operator_to_type_does_its_work(operator: Operator) -> None:
    for line in STORY:
        command, _, expected = line.partition(" → ")
        code, said = operator.types(command)
        assert code == int(expected or 0), f"{command} ended with {code}: {said}"


def test_no_other_is_told_and_none_of_these_was_forgotten() -> None:
    typed, told = {line.partition(" → ")[0] for line in STORY}, ficha_commands()
    names = {f"ficha {path}" for path in COMMANDS}  # Where a page only speaks of one, its example is typed.
    assert told - typed <= names and typed <= told
