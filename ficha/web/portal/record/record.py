"""One record: its sections in the order of its template, each with its form; and who sees what: one control for each
section and each fact, with its consequence in words."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document, Door, has_data
from ficha.fmd.catalog import CATALOG, TEMPLATES, form_order
from ficha.fmd.changes import VersionMismatch, change_model
from ficha.fmd.consent import CONSENT, visible_documents
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.responder.generic import titled_facts
from ficha.fmd.responder.record_reader import RecordReader
from ficha.fmd.statements import due_decisions
from ficha.fmd.stored_documents import stored_documents, text_in
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.products.statements import live_codes
from ficha.web.kit.forms import LongForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.forms.uncoded_terms import uncoded_terms

PHRASES = page_texts("portal", "family")
WHO_SEES = page_texts("portal", "who_sees")

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
        is_uncoded=fmd.rights.changes and next(uncoded_terms(documents), None) is not None,
        decision="" if decision is None else decision.value,
        may_manage=fmd.rights.manages,
        is_ready=request.query_params.get("listo") == "1",
    )


FIELD = "ve."


@dataclass(frozen=True)
class Control:
    """`key` is the model, or the model and a fact of it, as the record's consent names them. `door` is what was chosen,
    `now` what holds; empty for a fact that follows its section."""

    key: str
    words: str
    door: str
    now: str
    usual: str


@routes.page("/{code}/quien-ve")
def who_sees_page(request: Request, reading: Reading, opened: ReadFmd, now: Now, code: str) -> Response:
    fmd = opened.fmd
    fmd.must_manage()
    documents, version = _stored(reading, fmd)
    opened.note("record.read", sorted(documents), now)
    language = language_of(request)
    reader = RecordReader(documents, Door.P, now.date(), language)
    return show(
        request,
        "portal/record/who_sees.html",
        WHO_SEES,
        code=code,
        version=version,
        sections=_sections(documents, reader, language),
        doors=list(Door),
        is_saved=request.query_params.get("guardado") == "1",
        trouble=request.query_params.get("no", ""),
    )


@routes.post("/{code}/quien-ve")
def change_who_sees(request: Request, db: Db, fmd: CurrentFmd, now: Now, form: LongForm, code: str) -> Response:
    """Changes what the record's consent says of the sections and facts on the page, and of nothing else."""
    fmd.must_manage()
    path, model = f"/app/{code}/quien-ve", CATALOG.find(CONSENT)
    assert model is not None
    version = int(form["version"]) if form.get("version", "").isdecimal() and len(form["version"]) < 10 else -1
    chosen = {name.removeprefix(FIELD): value for name, value in form.items() if name.startswith(FIELD)}
    doors = {key: value if value in set(Door) else None for key, value in chosen.items()}
    try:
        change_model(db, fmd, model, {"visibilidad": doors}, now, merges=True, expected=[version])
    except (VersionMismatch, InvalidDocument) as refusal:
        db.rollback()
        why = "meanwhile" if isinstance(refusal, VersionMismatch) else "too_many"
        return go_to(request, f"{path}?no={why}")
    return go_to(request, f"{path}?guardado=1")


def _stored(tx: Transaction, fmd: OpenFmd) -> tuple[dict[str, Document], int]:
    stored = stored_documents(tx, fmd.id, fmd.key)
    consent = stored.get(CONSENT)
    return {name: entry.document for name, entry in stored.items()}, consent.version if consent else 0


def _sections(
    documents: Mapping[str, Document], reader: RecordReader, language: Idioma
) -> list[tuple[Control, list[Control]]]:
    """Of each section with data its control, and those of its facts."""
    t = translator(language, WHO_SEES)
    decided: Mapping[str, Any] = documents.get(CONSENT, {}).get("visibilidad") or {}
    sections = []
    for model in CATALOG:
        wire = model.about.wire
        if not has_data(documents.get(wire)) or wire == CONSENT:
            continue
        usual = t("as_usual", words=t(f"door_{model.about.door}").lower())
        door = str(decided.get(wire, ""))
        whole = Control(wire, model.about.title.in_language(language), door, door or model.about.door.value, usual)
        facts = [
            Control(f"{wire}/{fact}", words, own := str(decided.get(f"{wire}/{fact}", "")), own, t("as_section"))
            for fact, words in titled_facts(reader, model)
        ]
        sections.append((whole, facts))
    return sections
