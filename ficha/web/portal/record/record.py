"""One record: its sections in the order of its template, each with its form."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.fmd.base import Door, has_data
from ficha.fmd.catalog import CATALOG, TEMPLATES, form_order
from ficha.fmd.consent import visible_documents
from ficha.fmd.readable_documents import text_in
from ficha.fmd.statements import due_decisions
from ficha.fmd.stored_documents import stored_documents
from ficha.http.dependencies import Now, Reading
from ficha.http.fmd_dependencies import ReadFmd
from ficha.products.statements import live_codes
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import signed_in_routes
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("portal", "family")

routes = signed_in_routes("/app")


@routes.page("/{code}")
def record_page(request: Request, reading: Reading, opened: ReadFmd, now: Now, code: str) -> Response:
    fmd = opened.fmd
    stored = {name: entry.document for name, entry in stored_documents(reading, fmd.id, fmd.key).items()}
    documents = visible_documents(stored, fmd.rights.door)
    filled = frozenset(name for name, document in documents.items() if has_data(document))
    opened.note("record.read", sorted(documents), now)
    language = language_of(request)
    names = form_order(TEMPLATES[fmd.record.template_type], filled)
    titles = {
        model.about.wire: model.about.title.in_language(language)
        for model in CATALOG
        # What is for the owner alone has no form for others.
        if fmd.rights.door is Door.P or model.about.door is not Door.P
    }
    personal = documents.get("personal", {})
    decision = due_decisions(reading, [fmd.id], now).get(fmd.id) if fmd.via == "owner" else None
    return show(
        request,
        "portal/record/record.html",
        PHRASES,
        code=code,
        nombre=" ".join(filter(None, (text_in(personal, "nombres"), text_in(personal, "apellidos")))),
        sections=[(name, titles[name], name in filled) for name in names if name in titles],
        # A template hides no form: what it does not ask for can still be filled in.
        more=[(name, title, False) for name, title in titles.items() if name not in names],
        unconfirmed=any(not product.is_confirmed for product in live_codes(reading, [fmd.id])),
        decision="" if decision is None else decision.value,
        may_manage=fmd.rights.manages,
        is_ready=request.query_params.get("listo") == "1",
    )
