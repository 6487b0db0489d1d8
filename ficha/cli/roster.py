"""ficha roster: people that an institution enrols, from a CSV or XLSX file."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ficha.cli.opened_parts import opened_parts, writing_parts
from ficha.cli.rich_console import (
    MAX_ID,
    AsJson,
    Counter,
    print_json,
    print_rows,
    progress_bars,
    rich_console,
    tell,
)

if TYPE_CHECKING:
    from ficha.institutions.roster_rows import RosterReport
    from ficha.parts import Parts

app = typer.Typer(help="Rosters of institutions: CSV and XLSX.", no_args_is_help=True)
Slug = Annotated[str, typer.Option(help="The institution's short name, as in /v1/NAME/user.")]


@app.command("import")
def import_file(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="CSV or XLSX, column titles above.")],
    institution: Slug,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only say what would be done.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="At once, without the dry run and the question.")] = False,
    as_json: AsJson = False,
) -> None:
    """Enrol the people of a file: a dry run first, then a question, then the import.

    Columns: external_id, nombres, apellidos (or nombre), documento_numero, fecha_nacimiento, correo, telefono, grado,
    seccion, representante_nombre, representante_relacion, representante_correo, representante_telefono, and more
    (docs/running.md). Interrupted? Run it again: what is done stays. Exit code 1 if any row needs somebody.

    Example: ficha roster import alumnos.xlsx --institution colegio-san-luis
    """
    with opened_parts() as parts:
        report = _run(parts, institution, file, dry_run=not yes or dry_run)
        if report.is_dry_run and not dry_run:
            _print(report)
            if not typer.confirm("Import these rows?", err=True):
                raise typer.Exit(1)
            report = _run(parts, institution, file, dry_run=False)
    if as_json:
        print_json(report.as_json())
    else:
        _print(report)
    raise typer.Exit(1 if report.told else 0)


@app.command()
def doubts(institution: Slug, as_json: AsJson = False) -> None:
    """List rows that may be about somebody who is enrolled already.

    Example: ficha roster doubts --institution colegio-san-luis
    """
    from ficha.institutions.institution import institution_with
    from ficha.institutions.roster_doubts import SENTENCES, waiting_doubts

    with opened_parts() as parts, parts.database.reading() as tx:
        found = waiting_doubts(tx, institution_with(tx, institution).id, parts.secrets, limit=1000)
    rows = [
        {
            "id": doubt.id,
            "roster": doubt.upload_id,
            "row": doubt.row_number,
            "external_id": doubt.person.external_id,
            "enrolled_as": doubt.member_external_id,
            "reason": SENTENCES[doubt.reason],
        }
        for doubt in found
    ]
    print_rows(rows, ("Id", "Roster", "Row", "external_id", "Enrolled as", "Why"), as_json=as_json)


@app.command()
def decide(
    doubt_id: Annotated[int, typer.Argument(max=MAX_ID, help="Its id in `ficha roster doubts`.")],
    institution: Slug,
    is_same: Annotated[bool, typer.Option("--same/--other", help="The same person, or another one.")],
) -> None:
    """Say whether a doubtful row is about the person who is enrolled, and carry it out.

    Example: ficha roster decide 7 --same --institution colegio-san-luis
    """
    from ficha.administration.admin_changes import OPERATOR
    from ficha.institutions.institution import institution_with
    from ficha.institutions.person_to_enrol import EnrolContext
    from ficha.institutions.roster_doubts import decide_doubt

    with writing_parts() as (parts, tx):
        context = EnrolContext(institution_with(tx, institution), parts.keyring, parts.secrets, parts.clock.now())
        made = decide_doubt(tx, context, doubt_id, OPERATOR, is_same=is_same)
    said = f"{made.external_id}: {made.outcome.value}." if made else "Nothing to enrol: the row needs an external_id."
    tell(said)


def _run(parts: "Parts", slug: str, file: Path, *, dry_run: bool) -> "RosterReport":
    from ficha.institutions.institution import institution_with
    from ficha.institutions.roster_import import count_rows, import_roster

    with parts.database.reading() as tx:
        institution = institution_with(tx, slug)
    with progress_bars() as show:
        what = "Dry run" if dry_run else "Importing"
        count = Counter(what, count_rows(file), show)
        return import_roster(
            parts.database,
            institution,
            file,
            parts.keyring,
            parts.secrets,
            parts.clock,
            dry_run=dry_run,
            country=parts.settings.home_country,
            progress=count.add,
        )


def _print(report: "RosterReport") -> None:
    from rich.markup import escape
    from rich.table import Table

    if report.told:
        table = Table("Row", "external_id", "Name", "", "Why")
        for result in report.told:
            why = "\n".join(reason.in_words() for reason in result.reasons)
            table.add_row(str(result.number), result.external_id, result.nombre, result.outcome.value, why)
        rich_console().print(table)
    counts = ", ".join(f"{count} {outcome.value}" for outcome, count in sorted(report.counts.items()))
    before = "Dry run, nothing was changed: " if report.is_dry_run else ""
    tell(f"{before}{report.rows} rows: {counts or 'nobody'}.")
    if report.ignored_columns:
        tell(escape(f"Columns that were not read: {', '.join(report.ignored_columns)}"))
