"""What the documents tell somebody to type, taken from them."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import typer

from tests.cli.test_manual import COMMANDS

HERE = Path(__file__).parents[2]
PAGES = sorted([HERE / "README.md", HERE / "CONTRIBUTING.md", *(HERE / "docs").rglob("*.md")])
# What is configured or deployed, whose comments and lines name commands and settings.
FILES = sorted(file for folder in ("deploy", "docs/proxy", "docs/postgresql") for file in (HERE / folder).rglob("*.*"))
# They go on until somebody stops them, and are started in tests/server, tests/sandbox and tests/jobs; the last takes
# long, and what it prints is held against openapi.json by tests/project/test_documents.py.
SERVING = {"serve", "worker", "sandbox", "openapi"}
FENCE = re.compile(r"^```(\w*)\n(.*?)^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`]+)`")
# One line of a shell, without the remark behind it.
REMARK = re.compile(r"(?:^|\s+)#\s.*$")
ASSIGNED = re.compile(r"^(?:FICHA_\w+=(?:'[^']*'|\"[^\"]*\"|\S*)\s*)+")


def blocks(page: Path, language: str) -> list[str]:
    return [text for found, text in FENCE.findall(page.read_text()) if found == language]


def spans(page: Path) -> list[str]:
    """What stands between backticks within the text."""
    return [" ".join(one.split()) for one in SPAN.findall(FENCE.sub("", page.read_text()))]


def commands() -> dict[str, str]:
    """Each that is to be typed, without remarks, where its output goes and the settings before it, and the first page
    that says so."""
    found: dict[str, str] = {}
    for file, line in _lines():
        for one in line.split(" && "):
            words = ASSIGNED.sub("", one.strip()).partition(" > ")[0].strip()
            if words:
                found.setdefault(words, str(file.relative_to(HERE)))
    return found


def ficha_commands() -> set[str]:
    """Those of the pages and the examples of `--help`, but those of SERVING."""
    examples = {one for command in COMMANDS.values() for one in _examples(command)}
    return {one for one in commands().keys() | examples if one.startswith("ficha ") and one.split()[1] not in SERVING}


def environments() -> list[dict[str, str]]:
    """The settings of each block that gives some: all of them together."""
    found = [
        [shlex.split(line) for line in _without_remarks(text) if ASSIGNED.fullmatch(line)]
        for page in PAGES
        for text in blocks(page, "sh")
    ]
    return [dict(one.split("=", 1) for [one] in lines) for lines in found if lines]


def _examples(command: typer.core.TyperCommand) -> Iterator[str]:
    for found in re.findall(r"Example: (.*)", command.callback.__doc__ or ""):
        yield ASSIGNED.sub("", found).partition(" > ")[0]


def _lines() -> Iterator[tuple[Path, str]]:
    for page in PAGES:
        for text in blocks(page, "sh"):
            if "curl " not in text:  # The tour, which is one script: tests/server/test_readme.py.
                yield from ((page, line) for line in _without_remarks(text))
        for text in blocks(page, ""):
            yield from ((page, line) for line in _without_remarks(text) if line.startswith("make "))
        yield from ((page, span) for span in spans(page) if _is_command(span))
    for file in FILES:
        yield from ((file, span) for span in spans(file) if _is_command(span))
        starts = re.findall(r"^ExecStart=/opt/ficha/bin/(.+)$", file.read_text(), re.MULTILINE)
        yield from ((file, line) for line in starts)


def _without_remarks(text: str) -> list[str]:
    lines = text.replace("\\\n", " ").splitlines()
    return [line for line in (REMARK.sub("", line).strip() for line in lines) if line]


# What may stand between backticks with a space in it and is nothing to type.
NO_PROGRAM = re.compile(
    r"client_(body|header)_timeout |connect-src |ficha_|log_|synchronous_commit |with |service / |set server |state |"
    r"kill -9|git worktree$|audit verify$|verify --copies$|messages --against |ficha serve \((lane|events)\)"
)


def _is_command(span: str) -> bool:
    typed = ASSIGNED.sub("", span)
    return re.match(r"[a-z][a-z0-9_-]* \S", typed) is not None and NO_PROGRAM.match(typed) is None
