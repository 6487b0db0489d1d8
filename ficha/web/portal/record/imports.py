"""What a hospital gave, brought into the record: sent, looked at fact by fact, and accepted or refused."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.threads import Pool
from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.exchange.health_links.reading import MOST_LETTERS
from ficha.exchange.imports.comparison import Effect
from ficha.exchange.imports.content import ImportContent, ProposalDecision
from ficha.exchange.imports.decisions import AnotherPerson, accept, differences, record_documents, refuse
from ficha.exchange.imports.imports import (
    Import,
    add_import,
    import_with,
    imports_of,
    models_in,
    opened_content,
)
from ficha.exchange.imports.link_faults import PasscodeNeeded, PasscodeWrong
from ficha.fmd.access import OpenFmd, open_fmd
from ficha.fmd.catalog import CATALOG
from ficha.fmd.dates_and_amounts import date_text
from ficha.http.cursors import NO_END
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd, ReadingFmd
from ficha.http.languages import told_in
from ficha.http.sent_documents import Importing, SentDocument, read_sent
from ficha.web.kit.forms import FieldFault, LongForm, PostedUpload
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import RowNumber
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.record.import_words import ProposalWords, proposal_words

PHRASES = page_texts("portal", "imports")
MOST_LISTED = 20
ABOUT_PASSCODE = (PasscodeNeeded, PasscodeWrong)
SAME_PERSON = "misma_persona"

routes = signed_in_routes("/app")


@routes.page("/{code}/traer")
def import_page(request: Request, reading: Reading, opened: ReadFmd, code: str) -> Response:
    opened.fmd.must_manage()
    return _import_page(request, reading, opened.fmd, code)


def _import_page(
    request: Request, tx: Transaction, fmd: OpenFmd, code: str, refusal: FichaError | None = None, text: str = ""
) -> Response:
    """`text`: what she pasted, so that she need not look for it again; never the passcode."""
    language = language_of(request)
    field = "passcode" if isinstance(refusal, ABOUT_PASSCODE) else "texto" if text.strip() else "archivo"
    faults = [FieldFault(field, told_in(language, refusal.problems[0].detail))] if refusal else []
    kept = [
        (one.id, date_text(one.created_at.date().isoformat(), language))
        for one in imports_of(tx, fmd, before=NO_END, limit=MOST_LISTED)
    ]
    return show(
        request,
        "portal/record/import.html",
        PHRASES,
        status=refusal.status if refusal else 200,
        headers=refusal.headers if refusal else None,
        code=code,
        kept=kept,
        text=text[:MOST_LETTERS],
        faults=faults,
    )


@routes.post("/{code}/traer", takes_files=True, pool=Pool.OUTSIDE)
def import_document(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    now: Now,
    form: PostedUpload,
    code: str,
) -> Response:
    """Nothing is locked while it is read."""
    with parts.database.reading() as tx:
        opened = open_fmd(tx, parts.keyring, caller, code, now, origin=address, locks=False)
        opened.must_manage()
    text = form.texts.get("texto", "")
    sent = SentDocument(form.files.get("archivo") or text.encode(), form.texts.get("passcode", ""))
    try:
        documents = read_sent(sent, Importing(request, parts, limiter, caller, language_of(request), now))
    except FichaError as refusal:
        with parts.database.reading() as tx:
            return _import_page(request, tx, opened, code, refusal, text)
    fmd = open_fmd(db, parts.keyring, caller, code, now, origin=address)
    return go_to(request, f"/app/{code}/traer/{add_import(db, fmd, sent.content, documents).id}")


@routes.page("/{code}/traer/{number}")
def imported_page(
    request: Request, reading: Reading, opened: ReadFmd, now: Now, code: str, number: RowNumber
) -> Response:
    return _imported_page(request, reading, opened, import_with(reading, opened.fmd, number), code, now)


def _imported_page(
    request: Request,
    tx: Transaction,
    opened: ReadingFmd,
    found: Import,
    code: str,
    now: datetime,
    refusal: FichaError | None = None,
) -> Response:
    fmd, language = opened.fmd, language_of(request)
    opened.note("record.read", models_in(found, fmd.key), now)
    content, documents = opened_content(found, fmd.key), record_documents(tx, fmd)
    personal = documents.get("personal", {})
    return show(
        request,
        "portal/record/imported.html",
        PHRASES,
        status=refusal.status if refusal else 200,
        code=code,
        number=found.id,
        ends=date_text(found.ends_at.date().isoformat(), language),
        sources=[_source(one, documents, language) for one in content.documents],
        sections=list(_sections(content, documents, now, language)),
        here=" ".join(filter(None, (personal.get("nombres"), personal.get("apellidos")))),
        here_born=date_text(personal.get("fecha_nacimiento"), language),
        is_other=any(differences(one, documents) for one in content.documents),
        has_pending=any(one.decision is ProposalDecision.PENDING for one in content.proposals),
        decisions={one.value: one.words.in_language(language) for one in ProposalDecision},
        effects={one.value: one.words.in_language(language) for one in Effect},
        trouble=told_in(language, refusal.message) if refusal else "",
        done=request.query_params.get("hecho", ""),
    )


@routes.post("/{code}/traer/{number}")
def decide(
    request: Request, db: Db, parts: Parts, fmd: CurrentFmd, now: Now, form: LongForm, code: str, number: RowNumber
) -> Response:
    chosen = [int(name[1:]) for name in form if name[:1] == "p" and name[1:].isdecimal() and len(name) < 6]
    here = f"/app/{code}/traer/{number}"
    if not chosen:
        import_with(db, fmd, number)
        return go_to(request, here)
    try:
        if form.get("do") == "refuse":
            refuse(db, fmd, number, chosen, now)
        else:
            accept(db, fmd, number, chosen, now, is_same_person=SAME_PERSON in form)
    except AnotherPerson as refusal:
        opened = ReadingFmd(fmd, parts.read_log)
        return _imported_page(request, db, opened, import_with(db, fmd, number), code, now, refusal)
    return go_to(request, f"{here}?hecho={'no' if form.get('do') == 'refuse' else 'si'}")


def _source(document: Any, documents: Mapping[str, Any], language: str) -> dict[str, Any]:
    signature = document.signature
    return {
        "title": document.title,
        "authors": ", ".join(document.authors),
        "day": date_text(document.date, language),
        "name": document.name,
        "born": date_text(document.birth_date, language),
        "is_other": bool(differences(document, documents)),
        "host": document.host,
        "signed": signature.state.words.in_language(language),
        "issuer": signature.name or signature.issuer,
        "left": [(one.what, one.why.words.in_language(language)) for one in document.left_out],
    }


def _sections(
    content: ImportContent, documents: Mapping[str, Any], now: datetime, language: str
) -> Iterator[tuple[str, list[ProposalWords]]]:
    """By model, in the order of the catalogue."""
    told = [
        (one.model, proposal_words(number, one, documents, now.date(), language))
        for number, one in enumerate(content.proposals, 1)
    ]
    for model in CATALOG:
        lines = [line for wire, line in told if wire == model.about.wire]
        if lines:
            yield model.about.title.in_language(language), lines
