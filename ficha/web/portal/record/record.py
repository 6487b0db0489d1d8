"""One record: its sections in the order of its template, each with its form."""

from collections.abc import Sequence

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.statements import read_account
from ficha.emergencies.missing_facts import lacks_of_one
from ficha.fmd.base import Door, has_data
from ficha.fmd.catalog import CATALOG, TEMPLATES, form_order
from ficha.fmd.consent import visible_documents
from ficha.fmd.responder.generic import said_in
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.statements import due_decisions
from ficha.fmd.stored_documents import stored_documents, text_in
from ficha.http.dependencies import CurrentCaller, Now, Parts, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.products.statements import live_codes
from ficha.web.kit.alert_sentences import capital
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "family")
# Of what a section says, so much stands beside its name.
MOST_SAID = 4

routes = signed_in_routes("/app")


@routes.page("/{code}")
def record_page(
    request: Request, reading: Reading, parts: Parts, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str
) -> Response:
    fmd = opened.fmd
    stored = {name: entry.document for name, entry in stored_documents(reading, fmd.id, fmd.key).items()}
    documents = visible_documents(stored, fmd.rights.door)
    filled = frozenset(name for name, document in documents.items() if has_data(document))
    opened.note("record.read", sorted(documents), now)
    language = language_of(request)
    names = form_order(TEMPLATES[fmd.record.template_type], filled)
    reader = RecordReader(documents, fmd.rights.door, now.date(), language)
    said = {model.about.wire: _in_short(said_in(reader, model)) for model in CATALOG if model.about.wire in filled}
    titles = {
        model.about.wire: model.about.title.in_language(language)
        for model in CATALOG
        # What is for the owner alone has no form for others.
        if fmd.rights.door is Door.P or model.about.door is not Door.P
    }
    personal = documents.get("personal", {})
    account = read_account(reading, caller.account_id)
    lacks = lacks_of_one(reading, parts.secrets, parts.settings, account, fmd, code, documents, now)
    decision = due_decisions(reading, [fmd.id], now).get(fmd.id) if fmd.via == "owner" else None
    return show(
        request,
        "portal/record/record.html",
        PHRASES,
        code=code,
        nombre=" ".join(filter(None, (text_in(personal, "nombres"), text_in(personal, "apellidos")))),
        sections=[(name, titles[name], said.get(name, "")) for name in names if name in titles],
        # A template hides no form: what it does not ask for can still be filled in.
        more=[(name, title, "") for name, title in titles.items() if name not in names],
        waiting=" ".join(one.code for one in live_codes(reading, [fmd.id]) if not one.is_confirmed),
        blocking=[lack for lack in lacks if lack.is_blocking],
        correo=account.correo,
        advice=[lack for lack in lacks if not lack.is_blocking],
        decision="" if decision is None else decision.value,
        may_change=fmd.rights.changes,
        may_manage=fmd.rights.manages,
        is_ready=request.query_params.get("listo") == "1",
    )


def _in_short(said: Sequence[str]) -> str:
    """The first of them, and how many more there are."""
    more = len(said) - MOST_SAID
    return capital(", ".join(said[:MOST_SAID])) + (f" +{more}" if more > 0 else "")


@routes.page("/{code}/quien-ve")
def who_sees_page(request: Request, opened: ReadFmd, code: str) -> Response:
    """Where this was decided before it stood with the rest of the consent."""
    opened.fmd.must_manage()
    return go_to(request, f"/app/{code}/consentimiento")
