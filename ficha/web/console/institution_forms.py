"""Making an institution, renaming, closing and opening one, and the tokens of its service account."""

from collections.abc import Mapping, Sequence
from datetime import datetime

from pydantic import BaseModel, ConfigDict, Field
from starlette.responses import Response

from ficha.accounts.accounts import Token
from ficha.accounts.tokens import MAX_ID, tokens_of
from ficha.core.errors import NotFound
from ficha.core.text_types import Nombre, Slug
from ficha.core.transaction import Transaction
from ficha.enrolment.new_institution import (
    change_institution,
    create_institution,
    issue_service_token,
    revoke_service_token,
)
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.dependencies import Parts as AskedParts
from ficha.institutions.institution import InstitutionFacts, institution_with
from ficha.web.console.institutions import NEW, PATH
from ficha.web.console.sections import MenuSection
from ficha.web.console.staff_access import AdminVisit, Visit
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.lists import RowAction, RowNumber, SlugPath
from ficha.web.kit.model_forms import ModelField, read_model, stored_texts
from ficha.web.kit.sections import Columns, faults_in, go_on, table_of
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("console", "institutions")

section = MenuSection("institutions", PHRASES)
routes = section.routes

MADE = (ModelField("slug"), ModelField("name"))
CHANGED = (ModelField("name"), ModelField("is_active", "checkbox"))
ISSUED = (ModelField("days"),)
MOST_TOKENS = 100
TOKENS: Columns[Token] = {
    "number": lambda _t, token: token.id,
    "created": lambda _t, token: token.created_at,
    "expires": lambda _t, token: token.expires_at,
    "last_used": lambda _t, token: token.last_used_at,
}


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
def new_page(visit: AdminVisit) -> Response:
    return _form(visit, MADE, NEW, {})


@routes.post(NEW)
def make(db: Db, parts: AskedParts, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
    def save() -> None:
        given = read_model(NewInstitution, MADE, form)
        create_institution(db, given.slug, given.name, visit.actor, parts.keyring, now)

    if faults := faults_in(db, "slug", save):
        return _form(visit, MADE, NEW, form, faults)
    return go_on(visit, f"{PATH}/{form['slug']}", "saved")


@routes.page(PATH + "/{slug}/cambiar")
def change_page(reading: Reading, visit: AdminVisit, slug: SlugPath) -> Response:
    found = institution_with(reading, slug)
    return _form(visit, CHANGED, f"{PATH}/{slug}/cambiar", stored_texts(found._asdict()))


@routes.post(PATH + "/{slug}/cambiar")
def change(db: Db, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedForm) -> Response:
    institution_with(db, slug)

    def save() -> None:
        given = read_model(ChangedInstitution, CHANGED, form)
        change_institution(db, slug, visit.actor, now, name=given.name, is_active=given.is_active)

    if faults := faults_in(db, "name", save):
        return _form(visit, CHANGED, f"{PATH}/{slug}/cambiar", form, faults)
    return go_on(visit, f"{PATH}/{slug}", "saved")


@routes.page(PATH + "/{slug}/tokens")
def tokens_page(reading: Reading, visit: AdminVisit, now: Now, slug: SlugPath) -> Response:
    return _tokens(reading, visit, institution_with(reading, slug), now, {"days": "365"})


@routes.post(PATH + "/{slug}/tokens")
def issue(db: Db, visit: AdminVisit, now: Now, slug: SlugPath, form: PostedForm) -> Response:
    """Answers with the page itself: the token is shown here, and never again."""
    institution = institution_with(db, slug)
    shown = ""

    def save() -> None:
        nonlocal shown
        given = read_model(NewToken, ISSUED, form)
        shown = issue_service_token(db, institution, visit.actor, now, days=given.days).text

    faults = faults_in(db, "days", save)
    return _tokens(db, visit, institution, now, form, faults, shown)


@routes.page(PATH + "/{slug}/tokens/{token_id}")
def ask_revoke(reading: Reading, visit: AdminVisit, now: Now, slug: SlugPath, token_id: RowNumber) -> Response:
    institution = institution_with(reading, slug)
    if token_id not in {token.id for token in _live_tokens(reading, institution, now)}:
        raise NotFound
    here = f"{PATH}/{slug}/tokens"
    return section.ask(visit, "revoke", f"{here}/{token_id}", here, id=token_id, institution=institution.name)


@routes.post(PATH + "/{slug}/tokens/{token_id}")
def revoke(db: Db, visit: AdminVisit, now: Now, slug: SlugPath, token_id: RowNumber) -> Response:
    revoke_service_token(db, institution_with(db, slug), token_id, visit.actor, now)
    return go_on(visit, f"{PATH}/{slug}/tokens", "revoked")


def _live_tokens(tx: Transaction, institution: InstitutionFacts, now: datetime) -> list[Token]:
    return tokens_of(tx, institution.account_id or 0, now, after=MAX_ID, limit=MOST_TOKENS)


def _form(
    visit: Visit, fields: Sequence[ModelField], action: str, texts: Mapping[str, str], faults: Sequence[FieldFault] = ()
) -> Response:
    title = section.translate(visit)("institutions_new" if action == NEW else "institutions_change")
    back = PATH if action == NEW else action.removesuffix("/cambiar")
    return section.show_form(visit, fields, texts, faults, title=title, action=action, back=back)


def _tokens(
    tx: Transaction,
    visit: Visit,
    institution: InstitutionFacts,
    now: datetime,
    texts: Mapping[str, str],
    faults: Sequence[FieldFault] = (),
    shown: str = "",
) -> Response:
    t, here = section.translate(visit), f"{PATH}/{institution.slug}/tokens"
    return section.show(
        visit,
        "console/tokens.html",
        faults=faults,
        title=t("tokens_of", institution=institution.name),
        shown=shown,
        tokens=table_of(
            t,
            here,
            TOKENS,
            _live_tokens(tx, institution, now),
            "tokens_none",
            lambda token: [RowAction(t("revoke"), f"{here}/{token.id}", str(token.id))],
        ),
        fields=section.fields(visit, ISSUED, texts),
        action=here,
    )
