"""Making an institution, renaming, closing and opening one, and the tokens of its service account."""

from collections.abc import Mapping, Sequence

from pydantic import BaseModel, ConfigDict, Field
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Token
from ficha.accounts.tokens import MAX_ID, tokens_of
from ficha.core.errors import NotFound
from ficha.core.text_types import Nombre
from ficha.core.transaction import Transaction
from ficha.core.web_values import Slug
from ficha.enrolment.new_institution import (
    change_institution,
    create_institution,
    issue_service_token,
    revoke_service_token,
)
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.institutions.institution import InstitutionFacts, institution_with
from ficha.web.console.door import AdminVisit, Visit
from ficha.web.console.forms import faults_in, show_form
from ficha.web.console.frame import go_on, show_console, translate_for
from ficha.web.console.institutions import NEW, PATH
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.lists import Cell, Row, RowAction, RowNumber, SlugPath, Table, moment
from ficha.web.kit.model_forms import ModelField, ShownField, read_model, stored_texts
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "institutions")

routes = signed_in_routes()

MADE = (ModelField("slug"), ModelField("name"))
CHANGED = (ModelField("name"), ModelField("is_active", "checkbox"))
ISSUED = (ModelField("days"),)
MOST_TOKENS = 100


class FormModel(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)


class NewInstitution(FormModel):
    slug: Slug
    name: Nombre


class ChangedInstitution(FormModel):
    name: Nombre
    is_active: bool


class NewToken(FormModel):
    days: int = Field(ge=1, le=3650)


@routes.page(NEW)
def new_page(request: Request, visit: AdminVisit) -> Response:
    return _form(request, visit, MADE, NEW, {})


@routes.post(NEW)
def make(request: Request, db: Db, parts: AskedParts, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
    def save() -> None:
        given = read_model(NewInstitution, MADE, form)
        create_institution(db, given.slug, given.name, visit.actor, parts.keyring, now)

    if faults := faults_in(db, "slug", save):
        return _form(request, visit, MADE, NEW, form, faults)
    return go_on(request, f"{PATH}/{form['slug']}", "saved")


@routes.page(PATH + "/{slug}/cambiar")
def change_page(request: Request, reading: Reading, visit: AdminVisit, slug: SlugPath) -> Response:
    found = institution_with(reading, slug)
    return _form(request, visit, CHANGED, f"{PATH}/{slug}/cambiar", stored_texts(found._asdict()))


@routes.post(PATH + "/{slug}/cambiar")
def change(request: Request, db: Db, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedForm) -> Response:
    institution_with(db, slug)

    def save() -> None:
        given = read_model(ChangedInstitution, CHANGED, form)
        change_institution(db, slug, visit.actor, now, name=given.name, is_active=given.is_active)

    if faults := faults_in(db, "name", save):
        return _form(request, visit, CHANGED, f"{PATH}/{slug}/cambiar", form, faults)
    return go_on(request, f"{PATH}/{slug}", "saved")


@routes.page(PATH + "/{slug}/tokens")
def tokens_page(request: Request, reading: Reading, visit: AdminVisit, now: Now, slug: SlugPath) -> Response:
    institution = institution_with(reading, slug)
    return _tokens(request, visit, institution, _live_tokens(reading, institution, now), {"days": "365"})


@routes.post(PATH + "/{slug}/tokens")
def issue(request: Request, db: Db, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedForm) -> Response:
    """Answers with the page itself: the token is shown here, and never again."""
    institution = institution_with(db, slug)
    shown = ""

    def save() -> None:
        nonlocal shown
        given = read_model(NewToken, ISSUED, form)
        shown = issue_service_token(db, institution, visit.actor, now, days=given.days).text

    faults = faults_in(db, "days", save)
    found = _live_tokens(db, institution, now)
    return _tokens(request, visit, institution, found, form, faults=faults, shown=shown)


@routes.page(PATH + "/{slug}/tokens/{token_id}")
def ask_revoke(
    request: Request, reading: Reading, visit: AdminVisit, now: Now, slug: SlugPath, token_id: RowNumber
) -> Response:
    institution = institution_with(reading, slug)
    if token_id not in {token.id for token in _live_tokens(reading, institution, now)}:
        raise NotFound
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{slug}/tokens"
    return show_console(
        request,
        visit,
        "console/confirm.html",
        "institutions",
        PHRASES,
        title=t("revoke_ask", id=token_id, institution=institution.name),
        how=t("revoke_how"),
        is_final=True,
        action=f"{here}/{token_id}",
        label=t("revoke"),
        back=here,
    )


@routes.post(PATH + "/{slug}/tokens/{token_id}")
def revoke(request: Request, db: Db, visit: AdminVisit, now: Now, slug: SlugPath, token_id: RowNumber) -> Response:
    revoke_service_token(db, institution_with(db, slug), token_id, visit.actor, now)
    return go_on(request, f"{PATH}/{slug}/tokens", "revoked")


def _live_tokens(tx: Transaction, institution: InstitutionFacts, now: Now) -> list[Token]:
    return tokens_of(tx, institution.account_id or 0, now, after=MAX_ID, limit=MOST_TOKENS)


def _form(
    request: Request,
    visit: Visit,
    fields: Sequence[ModelField],
    action: str,
    texts: Mapping[str, str],
    faults: Sequence[FieldFault] = (),
) -> Response:
    title = translate_for(request, PHRASES)("institutions_new" if action == NEW else "institutions_change")
    back = PATH if action == NEW else action.removesuffix("/cambiar")
    return show_form(
        request,
        visit,
        "institutions",
        PHRASES,
        fields,
        title=title,
        action=action,
        texts=texts,
        faults=faults,
        back=back,
    )


def _tokens(
    request: Request,
    visit: Visit,
    institution: InstitutionFacts,
    found: Sequence[Token],
    texts: Mapping[str, str],
    *,
    faults: Sequence[FieldFault] = (),
    shown: str = "",
) -> Response:
    t = translate_for(request, PHRASES)
    here = f"{PATH}/{institution.slug}/tokens"
    rows = [
        Row(
            [Cell(str(token.id)), moment(token.created_at), moment(token.expires_at), moment(token.last_used_at)],
            [RowAction(t("revoke"), f"{here}/{token.id}", str(token.id))],
        )
        for token in found
    ]
    return show_console(
        request,
        visit,
        "console/tokens.html",
        "institutions",
        PHRASES,
        status=422 if faults else 200,
        title=t("tokens_of", institution=institution.name),
        shown=shown,
        tokens=Table(here, [t(key) for key in ("number", "created", "expires", "last_used")], rows, t("tokens_none")),
        fields=[ShownField("days", "text", t("field_days"), texts.get("days", ""))],
        faults=faults,
        action=here,
    )
