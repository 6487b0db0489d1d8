"""Rosters on the pages of the console and of an institution: one is uploaded, tried, and imported once somebody agrees;
and doubts, rows that may be about somebody who is enrolled, about which a person decides. Who is let in, and where
these pages stand, the pages themselves say."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Generic, NamedTuple

from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.accounts.tokens import MAX_ID
from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.cursors import next_cursor, row_before
from ficha.http.file_answers import saved_as
from ficha.http.languages import told_in
from ficha.institutions.institution import InstitutionFacts
from ficha.institutions.people_list import listed_member_of_id
from ficha.institutions.person_to_enrol import EnrolContext, PersonToEnrol
from ficha.institutions.roster_columns import COLUMNS
from ficha.institutions.roster_doubts import SENTENCES, WaitingDoubt, decide_doubt, waiting_doubts
from ficha.institutions.roster_reasons import RowReason
from ficha.institutions.roster_template import csv_template, xlsx_template
from ficha.institutions.roster_uploads import (
    RosterEmpty,
    RosterState,
    RosterUpload,
    add_upload,
    agree,
    told_of,
    upload_with,
    uploads_of,
)
from ficha.institutions.roster_words import WORDS
from ficha.parts import Parts
from ficha.web.kit.forms import BadForm, FieldFault, UploadForm
from ficha.web.kit.language import Translate, language_of
from ficha.web.kit.lists import PAGE_SIZE, Cell, RowAction, code, page_link
from ficha.web.kit.sections import Columns, MenuPages, V, facts_of, go_on, list_page
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("kit", "rosters")

# A page that shows how far it is comes again by itself, without a script, after so many seconds.
AGAIN_AFTER = "3"
OUTCOMES = ("created", "changed", "unchanged", "doubtful", "refused")
# The endings of the template's address, and what is sent then.
TEMPLATES = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}


class RosterRowWords(NamedTuple):
    """A row that needs somebody, in the reader's words."""

    number: int
    nombre: str
    external_id: str
    outcome: str
    reasons: Sequence[str]
    cells: Sequence[tuple[str, str]]


class ColumnHelp(NamedTuple):
    column: str
    title: str
    how: str
    example: str


@dataclass(frozen=True)
class RosterPages(Generic[V]):
    """`names`: whether doubts tell who the two are, which an institution knows and its staff elsewhere need not."""

    rosters: MenuPages[V]
    doubts: MenuPages[V]
    names: bool

    def show_uploads(
        self,
        tx: Transaction,
        visit: V,
        institution: InstitutionFacts,
        home: str,
        cursor: str | None = None,
        faults: Sequence[FieldFault] = (),
    ) -> Response:
        """`home` is the address of the institution's page, below which all of these stand."""
        t, here, language = self.rosters.translate(visit), f"{home}/nominas", language_of(visit.request)
        found = uploads_of(tx, institution.id, before=row_before(cursor, MAX_ID), limit=PAGE_SIZE + 1)
        uploads: Columns[RosterUpload] = {
            "number": lambda _t, upload: Cell(str(upload.id), link=f"{here}/{upload.id}"),
            "state": lambda t, upload: t(f"state_{upload.state}"),
            "rows": lambda _t, upload: f"{upload.done} / {upload.rows}",
            "created": lambda _t, upload: upload.created_at,
            "ended": lambda _t, upload: upload.ended_at,
        }
        return self.rosters.show(
            visit,
            "kit/rosters/rosters.html",
            faults=faults,
            title=t("rosters_of", institution=institution.name),
            table=list_page(t, here, uploads, found, "rosters_none", cursor),
            columns=[_help(column, language) for column in COLUMNS],
            templates=[(ending.upper(), f"{here}/plantilla.{ending}") for ending in TEMPLATES],
            action=here,
            back=home,
        )

    def add(
        self,
        tx: Transaction,
        visit: V,
        institution: InstitutionFacts,
        home: str,
        form: UploadForm,
        actor: Actor,
        keyring: Keyring,
        now: datetime,
    ) -> Response:
        try:
            upload = add_upload(tx, institution, form.files.get("nomina", b""), actor, keyring, now)
        except RosterEmpty as empty:
            sentence = told_in(language_of(visit.request), empty.message)
            return self.show_uploads(tx, visit, institution, home, faults=[FieldFault("nomina", sentence)])
        return go_on(visit, f"{home}/nominas/{upload.id}")

    def show_upload(
        self,
        tx: Transaction,
        visit: V,
        institution: InstitutionFacts,
        home: str,
        upload_id: int,
        parts: Parts,
        cursor: str | None = None,
    ) -> Response:
        """Raises NotFound."""
        upload = upload_with(tx, institution.id, upload_id)
        t, told = self.rosters.translate(visit), told_of(upload, parts.secrets)
        here, after = f"{home}/nominas/{upload_id}", row_before(cursor, 0)
        rows = [_row_words(row, language_of(visit.request)) for row in told["told"] if row["row"] > after][
            : PAGE_SIZE + 1
        ]
        response = self.rosters.show(
            visit,
            "kit/rosters/roster.html",
            title=t("roster_title", id=upload_id, institution=institution.name),
            upload=upload,
            state=t(f"state_{upload.state}"),
            fault=told_in(language_of(visit.request), upload.fault) if upload.fault else "",
            counts=[(t(f"outcome_{name}"), upload.counts.get(name, 0)) for name in OUTCOMES] if upload.counts else [],
            ignored=", ".join(told["ignored_columns"]),
            rows=rows[:PAGE_SIZE],
            is_first_page=cursor is None,
            next_link=page_link(here, {}, next_cursor(rows, PAGE_SIZE, lambda row: row.number)),
            may_agree=upload.state == RosterState.CHECKED,
            action=here,
            # A trial keeps none to be decided.
            doubts=f"{home}/dudas" if upload.state == RosterState.DONE and upload.counts.get("doubtful") else "",
            back=f"{home}/nominas",
        )
        if upload.is_running:
            response.headers["Refresh"] = AGAIN_AFTER
        return response

    def agree(
        self,
        tx: Transaction,
        visit: V,
        institution: InstitutionFacts,
        home: str,
        upload_id: int,
        actor: Actor,
        now: datetime,
    ) -> Response:
        """Raises NotFound or RosterNotChecked."""
        agree(tx, institution, upload_id, actor, now)
        return go_on(visit, f"{home}/nominas/{upload_id}")

    def show_doubts(
        self,
        tx: Transaction,
        visit: V,
        institution: InstitutionFacts,
        home: str,
        parts: Parts,
        cursor: str | None = None,
    ) -> Response:
        here, language = f"{home}/dudas", language_of(visit.request)
        after = row_before(cursor, 0)
        found = waiting_doubts(tx, institution.id, parts.secrets, after=after, limit=PAGE_SIZE + 1)
        name: Columns[WaitingDoubt] = {"name": lambda _t, doubt: _name_in(doubt.person)} if self.names else {}
        columns: Columns[WaitingDoubt] = {
            **_of_roster(home),
            "row": lambda _t, doubt: doubt.row_number,
            **name,
            "external_id": lambda _t, doubt: code(doubt.person.external_id),
            "enrolled_as": lambda _t, doubt: code(doubt.member_external_id or "–"),
            "why": lambda _t, doubt: told_in(language, SENTENCES[doubt.reason]),
        }
        return self.doubts.show_list(
            visit,
            columns,
            found,
            cursor,
            what="doubts",
            path=here,
            lead={"institution": institution.name},
            actions=lambda doubt: [
                RowAction(self.doubts.translate(visit)("decide"), f"{here}/{doubt.id}", doubt.person.external_id)
            ],
        )

    def show_doubt(
        self,
        tx: Transaction,
        visit: V,
        institution: InstitutionFacts,
        home: str,
        doubt_id: int,
        parts: Parts,
        now: datetime,
    ) -> Response:
        """Asks, since what is decided stays decided. Raises NotFound."""
        found = waiting_doubts(tx, institution.id, parts.secrets, after=doubt_id - 1, limit=1)
        if not found or found[0].id != doubt_id:
            raise NotFound
        [doubt], t = found, self.doubts.translate(visit)
        known = ""
        if self.names:
            known = listed_member_of_id(tx, parts.keyring, institution, doubt.member_id, now).nombre
        return self.doubts.show(
            visit,
            "kit/rosters/doubt.html",
            title=t("doubt_title", row=doubt.row_number),
            doubt=doubt,
            roster=facts_of(t, _of_roster(home), doubt),
            given_name=_name_in(doubt.person) if self.names else "",
            known_name=known,
            why=told_in(language_of(visit.request), SENTENCES[doubt.reason]),
            action=f"{home}/dudas/{doubt_id}",
            back=f"{home}/dudas",
        )

    def decide(
        self,
        tx: Transaction,
        visit: V,
        home: str,
        doubt_id: int,
        context: EnrolContext,
        actor: Actor,
        form: Mapping[str, str],
    ) -> Response:
        """Raises DoubtUnknown, or why the row is refused."""
        said = form.get("es", "")
        if said not in ("misma", "otra"):
            raise BadForm
        made = decide_doubt(tx, context, doubt_id, actor, is_same=said == "misma")
        return go_on(visit, f"{home}/dudas", "decided" if made else "not_enrolled")

    def template(self, visit: V, ending: str) -> Response:
        """The file to fill in. Raises NotFound."""
        if ending not in TEMPLATES:
            raise NotFound
        content = csv_template() if ending == "csv" else xlsx_template(language_of(visit.request))
        return Response(content, media_type=TEMPLATES[ending], headers=saved_as(f"plantilla.{ending}"))


def _help(column: str, language: str) -> ColumnHelp:
    words = WORDS[column]
    how = words.how.in_language(language) if words.how else ""
    return ColumnHelp(column, words.title.in_language(language), how, words.example)


def _of_roster(home: str) -> Columns[WaitingDoubt]:
    """As the list of rosters calls it. Of one that a command imported, or that is forgotten, only the day is known."""

    def number(_t: Translate, doubt: WaitingDoubt) -> Cell | None:
        return Cell(str(doubt.upload_id), link=f"{home}/nominas/{doubt.upload_id}") if doubt.upload_id else None

    return {"roster": number, "created": lambda _t, doubt: doubt.created_at}


def _row_words(row: Mapping[str, Any], language: Idioma) -> RosterRowWords:
    """Of one that was told before rows had names, only the Spanish reasons are known."""
    reasons = [RowReason(**fault) for fault in row.get("faults", [])]
    texts = [reason.in_words(language, told_in(language, reason.detail)) for reason in reasons]
    cells = [(WORDS[name].title.in_language(language), cell) for name, cell in row.get("cells", {}).items()]
    return RosterRowWords(
        row["row"], row.get("nombre", ""), row["external_id"], row["outcome"], texts or row["reasons"], cells
    )


def _name_in(person: PersonToEnrol) -> str:
    personal = person.documents.get("personal", {})
    return f"{personal.get('nombres', '')} {personal.get('apellidos', '')}".strip() or person.nombre or "–"
