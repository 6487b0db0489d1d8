"""Documents made from the code and committed with it: openapi.json and pages of docs/."""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from types import ModuleType

import ficha
from ficha.accounts.caller_selects import CALLER_BY_TOKEN
from ficha.api.catalog import catalogue
from ficha.app import create_app
from ficha.code_map import contributing_page
from ficha.core.db import Base
from ficha.core.errors import TITLES, FichaError
from ficha.core.prepared import Prepared
from ficha.core.settings import Settings, setting_rows
from ficha.events.kinds import EVENT_KINDS
from ficha.fastlane.paths import Read
from ficha.fastlane.statements import read_statement
from ficha.fmd.catalog import CATALOG
from ficha.fmd.fields import FormField, form_of
from ficha.fmd.rules.clinical_page import clinical_page
from ficha.parts import build_parts
from ficha.statement_keys import home_of, keys_of, unique_without_home
from ficha.web.docs.page import field_refusals
from ficha.web.kit.alert_states_page import alert_states_page
from ficha.web.sticker.unavailable_page import page_for_proxies

MADE = "<!-- Made from the code by `make docs`: change the code, not this file. -->\n"


def openapi_json() -> str:
    with tempfile.TemporaryDirectory() as folder:
        document = create_app(build_parts(default_settings(Path(folder)))).openapi()
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def settings_page() -> str:
    rows = [
        (f"`{row.variable}`", f"`{row.default}`" if row.default else "", _cell(row.help))
        for row in setting_rows(default_settings(Path("data")))
    ]
    lead = "Each is an environment variable or a line in `.env`. `ficha settings` prints the values in force.\n"
    return _page("Settings", lead, *_table(("variable", "default", "what it is"), rows))


def errors_page() -> str:
    errors = [
        (str(error.status), TITLES[error.status], f"`{error.code}`", _cell(error.message)) for error in all_errors()
    ]
    return _page(
        "Errors",
        'Every error is `{"meta": …, "errors": [{"status", "code", "title", "detail", "source"}]}`.',
        "`code` is stable: programs may rely on it. `detail` is for people, and may be reworded.\n",
        *_table(("status", "title", "code", "detail"), errors),
        "\n## Of one field\n",
        "Always with status 422 and a `source`. Where there is no sentence here, `detail` says what to correct.\n",
        *_table(("code", "detail"), [(f"`{one.code}`", _cell(one.sentence)) for one in field_refusals()]),
    )


def operations_page() -> str:
    rows = [
        (entry.area, entry.name, f"`{entry.method} {entry.path}`", entry.callers, entry.progress)
        for entry in catalogue(default_settings(Path("data")))
    ]
    lead = "What the service answers today. `/docs` of a running service shows each with its fields and examples.\n"
    return _page("Operations", lead, *_table(("area", "operation", "", "who may call it", "status"), rows))


def events_page() -> str:
    rows = [
        (f"`{kind}`", _cell(about.meaning), ", ".join(f"`{name}`" for name in about.data))
        for kind, about in EVENT_KINDS.items()
    ]
    return _page(
        "Events",
        "What `GET /v2/events` sends, each with an `id`, its kind as `event`, and its time `at` in `data`. Ids,",
        "states and times only: what an event is about is read where it is kept, by who may read it there.\n",
        *_table(("kind", "what happened", "data"), rows),
    )


def statements_page() -> str:
    """One that every database has in its own words is listed once."""
    found = [(name, keys_of(each)) for name, each in prepared_statements() if each.only != "sqlite"]
    rows = [
        (
            f"`{name}`",
            keys.does,
            ", ".join(keys.tables),
            ", ".join(f"`{key}`" for key in keys.keys),
            keys.goes_to + (" by " if keys.lookups else "") + " and ".join(f"`{key}`" for key in keys.lookups),
        )
        for name, keys in found
        if keys.tables
    ]
    tables = [
        (f"`{table.name}`", f"`{home.column}`", ", ".join(f"({names})" for names in unique_without_home(table)))
        for table in Base.metadata.sorted_tables
        if (home := home_of(table)) is not None
    ]
    return _page(
        "Statements and their keys",
        "Every statement that is asked all the time: its tables, the columns by which it is told what to find, and",
        "where it would go if the rows of each record lay together, apart from those of others",
        "([scaling](scaling.md)). A list of records goes to the part of each.\n",
        *_table(("statement", "does", "tables", "finds by", "divided by record, it goes to"), rows),
        "\n## What would be divided\n",
        "Tables whose every row belongs to a record, by which column, and what must be unique without naming it.\n",
        *_table(("table", "by", "unique without it"), tables),
    )


def prepared_statements() -> list[tuple[str, Prepared]]:
    """Every one of the service: the constants of its modules, and the reads of the fast lane."""
    found: dict[Prepared, str] = {}
    for module in _all_modules():
        for name, value in vars(module).items():
            if isinstance(value, Prepared):
                found.setdefault(value, f"{module.__name__.removeprefix('ficha.')}.{name.removeprefix('_')}")
    for read in Read:
        found[read_statement(read, CALLER_BY_TOKEN)] = f"fastlane: {read}"
    return [(name, statement) for statement, name in found.items()]


def _page(title: str, *lines: str) -> str:
    return "\n".join((MADE, f"# {title}\n", *lines)) + "\n"


def _table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    head = " | ".join(columns).replace("|  |", "| |")
    yield f"| {head} |"
    yield "| " + " | ".join("---" for _ in columns) + " |"
    for row in rows:
        yield f"| {' | '.join(row)} |"


def models_page() -> str:
    lines = [
        MADE,
        "# The models of the medical record\n",
        "Each is one class in `ficha/fmd/models/`. Door: R, whoever scans; B, whoever scans and gives a name; P, only",
        "the owner. A field without a door has its model's. `GET /v2/fmd/schemas` serves the same as JSON Schema.\n",
    ]
    for model in CATALOG:
        about = model.about
        lines += [
            f"## `{about.wire}` · {about.title.es} · door {about.door.value}\n",
            f"{(model.__doc__ or '').strip()}\n",
            "| field | | door | what it is |",
            "| --- | --- | --- | --- |",
            *_field_rows(form_of(model)),
            "",
        ]
    return "\n".join(lines)


def _field_rows(fields: Sequence[FormField], above: str = "") -> Iterator[str]:
    for field in fields:
        name = f"{above}{field.name}"
        kind = field.widget + (" *" if field.required else "")
        options = ", ".join(value for value, _ in field.options)
        label = f"{field.label.es} / {field.label.en} / {field.label.pt}" + (f": {options}" if options else "")
        yield f"| `{name}` | {kind} | {field.door.value if field.door else ''} | {_cell(label)} |"
        yield from _field_rows(field.fields, f"{name}[]." if field.widget == "list" else f"{name}.")


def all_errors() -> list[type[FichaError]]:
    """Every error a caller can meet, by status and code."""
    _all_modules()

    def below(kind: type[FichaError]) -> list[type[FichaError]]:
        return [found for child in kind.__subclasses__() for found in (child, *below(child))]

    # A class without a code of its own answers with its parent's, which is listed.
    ours = {error for error in below(FichaError) if error.__module__.startswith("ficha.") and "code" in vars(error)}
    return sorted(ours, key=lambda error: (error.status, error.code))


def _all_modules() -> list[ModuleType]:
    names = [module.name for module in walk_packages(ficha.__path__, "ficha.")]
    return [import_module(name) for name in names if not name.startswith(("ficha.migrations", "ficha.__main__"))]


DOCUMENTS: Mapping[str, Callable[[], str]] = {
    "CONTRIBUTING.md": contributing_page,
    "openapi.json": openapi_json,
    "docs/settings.md": settings_page,
    "docs/errors.md": errors_page,
    "docs/operations.md": operations_page,
    "docs/events.md": events_page,
    "docs/models.md": models_page,
    "docs/statements.md": statements_page,
    "docs/clinical.md": lambda: MADE + "\n" + clinical_page(),
    "docs/alert-states.md": lambda: MADE + "\n" + alert_states_page(),
    "docs/proxy/no-service.html": lambda: page_for_proxies(country=""),
}


def default_settings(data_dir: Path) -> Settings:
    """The defaults of all settings: the same on every machine, whatever its environment says."""
    defaults = {name: field.get_default() for name, field in Settings.model_fields.items()}
    return Settings(_env_file=None, **defaults | {"data_dir": data_dir})


def _cell(text: str) -> str:
    return text.replace("|", "\\|")


def write_all(folder: Path) -> None:
    for name, make in DOCUMENTS.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(make())


if __name__ == "__main__":
    write_all(Path.cwd())
