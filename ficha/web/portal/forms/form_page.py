"""The form of a model, drawn from its class: a new field or model has its form without further code.

Without scripts, each button sends the whole form: to add, remove or move a line, to search for a term, or to save. What
was typed comes back with the page each time. Who saves after somebody else gets both changes joined, sees what both
changed, and saves again; nothing is overwritten unseen.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document, Door, FmdModel
from ficha.fmd.catalog import CATALOG
from ficha.fmd.changes import VersionMismatch, change_model
from ficha.fmd.consent import CONSENT, visible_documents
from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.documents import fact_ids
from ficha.fmd.entries import EntryVersion, open_document
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.fields import FormField, form_of, labels_to
from ficha.fmd.freshness import confirmed
from ficha.fmd.merge import merge_three_way
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.stored_documents import stored_documents
from ficha.http.dependencies import Db, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, NamedModel, ReadFmd, ReadingFmd
from ficha.web.kit.forms import FieldFault, LongForm
from ficha.web.kit.language import PARAMETER, language_in, language_of, translator
from ficha.web.kit.rendering import REDRAWN, show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.forms.fault_sentences import fault_sentence, wrong_phones
from ficha.web.portal.forms.form_reading import LANGUAGE_FIELDS, FormReader, named_languages, units_of
from ficha.web.portal.forms.typed_terms import Found, found_terms, take_step
from ficha.web.portal.forms.who_sees import Control, controls

PHRASES = page_texts("portal", "form")


routes = signed_in_routes("/app")

STEPS = ("add", "remove", "up", "down")


@routes.page("/{code}/{model}")
def form_page(request: Request, reading: Reading, opened: ReadFmd, model: NamedModel, now: Now, code: str) -> Response:
    document, version = _seen(reading, opened.fmd, model.about.wire)
    saved = request.query_params.get("guardado") == "1"
    here = request.query_params.get("en", "")  # The fact that a reminder asked about.
    return _form(
        request, reading, opened, model, document, version, now, code, shows_stored=True, is_saved=saved, here=here
    )


@routes.post("/{code}/{model}")
def send_form(
    request: Request, db: Db, parts: Parts, fmd: CurrentFmd, model: NamedModel, now: Now, form: LongForm, code: str
) -> Response:
    """Raises MayNotChange, MayNotManage or RecordFull."""
    fmd.must_change()
    opened = ReadingFmd(fmd, parts.read_log)
    fields, name, language = form_of(model), model.about.wire, language_of(request)
    # Dates are read as the page wrote them, whichever language it is drawn in next.
    written_in = language_in(form, request)
    version = int(form["version"]) if form.get("version", "").isdecimal() and len(form["version"]) < 10 else 0
    step, _, path = form.get("do", "save").partition(":")
    if step not in ("save", "confirm"):
        document = FormReader(written_in, keeps_blank=True).document(fields, form)
        found: Found = {}
        if step in STEPS:
            take_step(document, step, path)
        elif step == "search":
            as_typed = translator(language, PHRASES)("as_typed")
            found = found_terms(document, fields, name, path, language, as_typed)
        wrong = [
            replace(fault, label=labels_to(fields, fault.field.split("."), language))
            for fault in wrong_phones(document, language)
        ]
        return _form(request, db, opened, model, document, version, now, code, faults=wrong, found=found, here=path)
    document = FormReader(written_in).document(fields, form)
    if step == "confirm":
        document = confirmed(document, now.date(), fmd.fuente)
    try:
        change_model(db, fmd, model, document, now, merges=False, expected=[version])
    except VersionMismatch:
        return _merge_form(request, db, opened, model, document, version, now, code)
    except InvalidDocument as refusal:
        db.rollback()
        faults = [
            FieldFault(
                input_of(fields, fault["loc"]),
                fault_sentence(fault, language),
                labels_to(fields, fault["loc"], language),
            )
            for fault in refusal.faults
        ]
        return _form(request, db, opened, model, document, version, now, code, faults=faults, status=422)
    return go_to(request, f"/app/{code}/{name}?guardado=1")


def _merge_form(
    request: Request,
    db: Transaction,
    opened: ReadingFmd,
    model: type[FmdModel],
    mine: Document,
    version: int,
    now: datetime,
    code: str,
) -> Response:
    fmd, name = opened.fmd, model.about.wire
    theirs, current = _seen(db, fmd, name)
    base = _seen_then(db, fmd, name, version)
    merged = merge_three_way(base, theirs, mine)
    fields, language = form_of(model), language_of(request)
    clashes = [_clash(fields, path, old, language) for path, old, _ in merged.conflicts]
    return _form(
        request,
        db,
        opened,
        model,
        merged.document,
        current,
        now,
        code,
        shows_stored=True,
        clashes=clashes,
        is_merged=True,
        status=412,
    )


def _sections(
    request: Request, tx: Transaction, fmd: OpenFmd, model: type[FmdModel], now: datetime
) -> list[tuple[Control, list[Control]]]:
    """What there is to decide about, in the form of consent; nothing in others."""
    if model.about.wire != CONSENT or not fmd.rights.manages:
        return []
    documents = {name: entry.document for name, entry in stored_documents(tx, fmd.id, fmd.key).items()}
    language = language_of(request)
    return controls(documents, RecordReader(documents, Door.P, now.date(), language), language)


def _seen(tx: Transaction, fmd: OpenFmd, name: str) -> tuple[Document, int]:
    """What this person may see of the model now, and its version."""
    stored = stored_documents(tx, fmd.id, fmd.key, [name] if fmd.rights.door is Door.P else None)
    if name not in stored:
        return {}, 0
    documents = {model: entry.document for model, entry in stored.items()}
    return visible_documents(documents, fmd.rights.door).get(name, {}), stored[name].version


def _seen_then(tx: Transaction, fmd: OpenFmd, name: str, version: int) -> Document:
    """The version with which the form began."""
    row = tx.orm.get(EntryVersion, (fmd.id, name, version))
    if row is None:
        return {}
    document = open_document(fmd.key, fmd.id, name, version, row.sealed)
    if fmd.rights.door is Door.P:
        return document
    others = {model: entry.document for model, entry in stored_documents(tx, fmd.id, fmd.key).items()}
    return visible_documents(others | {name: document}, fmd.rights.door).get(name, {})


def _clash(fields: Sequence[FormField], path: tuple[str, ...], theirs: Any, language: Idioma) -> tuple[str, str]:
    """The label of a field that both changed, and what the other wrote."""
    labels, field = [], None
    for step in path:
        field = next((field for field in fields if field.name == step), None)
        if field is not None:
            labels.append(field.label.in_language(language))
            fields = field.fields
    said = theirs.get("texto", "") if isinstance(theirs, Mapping) else theirs
    if field is not None and field.widget in ("date", "partial-date"):
        said = date_text(said, language) or said
    return " · ".join(labels), "" if said is None else str(said)


def input_of(fields: Sequence[FormField], path: Sequence[str | int]) -> str:
    """The id of the input that a fault is about."""
    steps: list[str] = []
    for step in path:
        steps.append(str(step))
        if isinstance(step, int):
            continue
        field = next((field for field in fields if field.name == step), None)
        if field is None or field.widget in ("checkboxes", "tags"):
            break
        if field.widget == "coded":
            steps.append("texto")
            break
        fields = field.fields
    return ".".join(steps)


def _form(
    request: Request,
    tx: Transaction,
    opened: ReadingFmd,
    model: type[FmdModel],
    document: Document,
    version: int,
    now: datetime,
    code: str,
    *,
    shows_stored: bool = False,
    faults: Sequence[FieldFault] = (),
    found: Found | None = None,
    clashes: Sequence[tuple[str, str]] = (),
    here: str = "",
    is_saved: bool = False,
    is_merged: bool = False,
    status: int = 200,
) -> Response:
    """`shows_stored`: something of the document is what the record says, not only what was typed. That is noted, and so
    are the sections, which name what there is in the others."""
    rights, language = opened.fmd.rights, language_of(request)
    sections = _sections(request, tx, opened.fmd, model, now)
    shown = {whole.key for whole, _ in sections} | ({model.about.wire} if shows_stored else set())
    if shown:
        opened.note("record.read", sorted(shown), now)
    return show(
        request,
        "portal/forms/form.html",
        PHRASES,
        status=status,
        headers=REDRAWN if request.method == "POST" else None,
        calls_us=True,  # The script asks for terms as one types.
        code=code,
        name=model.about.wire,
        title=model.about.title.in_language(language),
        help=model.about.help.in_language(language) if model.about.help else "",
        fields=form_of(model),
        document=document,
        version=version,
        has_facts=bool(fact_ids(document)),
        faults=list(faults),
        found=found or {},
        clashes=clashes,
        here=here,
        is_saved=is_saved,
        is_merged=is_merged,
        is_fresh=request.method != "POST",
        may_change=rights.manages if model.about.wire == CONSENT else rights.changes,
        sections=sections,
        doors=list(Door),
        # On a wide screen, what a stranger sees of it stands beside the form.
        beside=f"/app/{code}/vista?{PARAMETER}={language}" if rights.manages else "",
        frames_us=rights.manages,
        models=[(each.about.wire, each.about.title.in_language(language)) for each in CATALOG],
        units_of=units_of,
        language_fields=LANGUAGE_FIELDS,
        named=lambda said: named_languages(said, language),
        # What is no date stays as it was typed.
        written=lambda value: date_text(value, language) or value,
        options_of=lambda field: [(value, words.in_language(language)) for value, words in field.options],
        pairs_of=lambda words: [(word, word) for word in words],
    )
