"""What others wrote about the person, brought into the record: read, proposed fact by fact, and accepted or refused by
the owner or a guardian."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from fastapi import Depends, Path, Request
from pydantic import Field

from ficha.accounts.tokens import MAX_ID
from ficha.api.bodies import Body
from ficha.api.examples import NOW_EXAMPLE, answer_example, listing_example, resource_example
from ficha.api.fmd.import_bodies import FILE_BODY, SentFile
from ficha.api.operations import Operations
from ficha.asgi.bodies import ReadRequest
from ficha.asgi.threads import Pool
from ficha.core.deferred_model import DeferredModel
from ficha.core.transaction import Transaction
from ficha.exchange.imports.bounded_json import MOST_FACTS
from ficha.exchange.imports.comparison import compared
from ficha.exchange.imports.content import KeptDocument, Proposal
from ficha.exchange.imports.decisions import accept, differences, record_documents, refuse
from ficha.exchange.imports.imports import (
    Import,
    add_import,
    import_with,
    imports_of,
    models_in,
    opened_content,
)
from ficha.fmd.access import open_fmd
from ficha.http.cursors import NO_END
from ficha.http.dependencies import (
    AboutRecordOf,
    Address,
    CurrentCaller,
    Db,
    Limiter,
    Located,
    Now,
    Page,
    Parts,
    Reading,
    Reply,
)
from ficha.http.envelope import Answer, Listing, Moment, Resource
from ficha.http.fmd_dependencies import Code, CurrentFmd, ReadFmd, ReadingFmd
from ficha.http.languages import preferred_language
from ficha.http.sent_documents import Importing, read_sent

operations = Operations("fmd", prefix="/fmd", callers="bearer", progress="Developing")

ImportId = Annotated[int, Path(alias="id", ge=1, le=MAX_ID, description="The import's number.", examples=[1])]


def language_asked(request: Request) -> str:
    return preferred_language(request.headers.get("accept-language", ""))


Language = Annotated[str, Depends(language_asked)]


class Signed(DeferredModel):
    estado: str = Field(description="verificada, desconocida (signed by nobody in our directory) or sin_firma.")
    emisor: str = Field(description="Who issued it, as it says itself.")
    nombre: str = Field(description="The same by our directory; empty for whom it does not have.")
    palabras: str


class NotTakenOver(DeferredModel):
    que: str = Field(description="In the document's own words.")
    motivo: str
    palabras: str = Field(description="Why, in the language of `Accept-Language`.")


class ImportedDocument(DeferredModel):
    titulo: str
    autores: list[str] = Field(description="As it states them.")
    fecha: str | None
    persona: str
    fecha_nacimiento: str | None
    traido_de: str = Field(description="The host that a link led to; empty for what was sent.")
    distinto: list[str] = Field(description="`nombre`, `fecha_nacimiento`: where the record says something else.")
    firma: Signed
    no_tomado: list[NotTakenOver]


class ProposalAttributes(DeferredModel):
    numero: int
    documento: int = Field(description="Which of `documentos` says it, from 1.")
    modelo: str
    campo: str = Field(description="The list that the fact is an item of; empty for fields of the model.")
    efecto: str = Field(description="Against the record as it is now: nuevo, igual, distinto or contradice.")
    estado: str = Field(description="pendiente, aceptada or rechazada.")
    valor: dict[str, Any]
    actual: dict[str, Any] | None = Field(description="What the record says of it.")
    fecha: str | None = Field(description="When it was so, as the document says.")
    fuente: str | None = Field(description="Whose word it is, as the document says.")


class ImportAttributes(DeferredModel):
    creado_en: Moment
    caduca_en: Moment = Field(description="What is not accepted by then is forgotten.")
    documentos: list[ImportedDocument]
    propuestas: list[ProposalAttributes]


class ImportSummary(DeferredModel):
    creado_en: Moment
    caduca_en: Moment


class ChosenProposals(Body):
    propuestas: list[Annotated[int, Field(ge=1, le=10_000)]] = Field(
        min_length=1, max_length=MOST_FACTS, description="Their numbers.", examples=[[1]]
    )


class AcceptedProposals(ChosenProposals):
    misma_persona: bool = Field(
        False, description="That it is the same person, where the document's name or date of birth is another."
    )


ImportOut = Resource[ImportAttributes]
ListedOut = Resource[ImportSummary]
ENDS = "2026-11-22T12:00:00+00:00"
DOCUMENT_EXAMPLE = {
    "titulo": "Patient Summary",
    "autores": ["Hospital Coromoto"],
    "fecha": "2026-11-10",
    "persona": "Ana Lucía Pérez Rojas",
    "fecha_nacimiento": "2012-05-03",
    "traido_de": "",
    "distinto": [],
    "firma": {"estado": "sin_firma", "emisor": "", "nombre": "", "palabras": "Sin firma: …"},
    "no_tomado": [{"que": "Observation: Haemoglobin", "motivo": "otra_clase", "palabras": "La ficha no guarda …"}],
}
PROPOSAL_EXAMPLE = {
    "numero": 1,
    "documento": 1,
    "modelo": "alergiasm",
    "campo": "alergias",
    "efecto": "nuevo",
    "estado": "pendiente",
    "valor": {"medicamento": {"texto": "Penicilina", "sistema": "atc", "codigo": "J01C"}, "criticidad": "alta"},
    "actual": None,
    "fecha": "2026-11-10",
    "fuente": "institucion",
}
EXAMPLE = resource_example(
    "import",
    1,
    ImportAttributes,
    creado_en=NOW_EXAMPLE,
    caduca_en=ENDS,
    documentos=[DOCUMENT_EXAMPLE],
    propuestas=[PROPOSAL_EXAMPLE],
)
LISTED = resource_example("import", 1, ImportSummary, creado_en=NOW_EXAMPLE, caduca_en=ENDS)


@operations.post(
    "/{code}/imports",
    "Import into record",
    status=201,
    errors=(403, 404, 409, 413, 415, 422, 503),
    example=answer_example(EXAMPLE, 201),
    body=FILE_BODY,
    pool=Pool.OUTSIDE,
)
def import_document(
    request: ReadRequest,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    now: Now,
    reply: Reply,
    located: Located,
    language: Language,
    about_record_of: AboutRecordOf,
    code: Code,
    sent: SentFile,
) -> "Answer[ImportOut]":
    """Reads what somebody else wrote and proposes it, fact by fact; nothing of the record changes yet. The same file
    again is the import that it was, and so is a link that leads to the same. `docs/imports.md` says what is read."""
    with parts.database.reading() as tx:  # Nothing is locked while it is read.
        open_fmd(tx, parts.keyring, caller, code, now, origin=address, locks=False).must_manage()
    documents = read_sent(sent, Importing(request, parts, limiter, caller, language, now))
    fmd = open_fmd(db, parts.keyring, caller, code, now, origin=address)
    about_record_of(fmd.record.account_id)
    made = add_import(db, fmd, sent.content, documents)
    located(f"/fmd/{code}/imports/{made.id}")
    return reply(_seen(db, ReadingFmd(fmd, parts.read_log), made, now, language))


@operations.get("/{code}/imports", "Imports of record", errors=(403, 404, 422), example=listing_example([LISTED]))
def list_imports(reading: Reading, opened: ReadFmd, page: Page) -> "Listing[ListedOut]":
    """Newest first, until they expire."""
    found = imports_of(reading, opened.fmd, before=page.start(NO_END), limit=page.limit)
    return page.answer(found, _listed_out, lambda one: one.id)


@operations.get(
    "/{code}/imports/{id}",
    "Import",
    errors=(403, 404),
    example=answer_example(EXAMPLE),
    example_of_own=True,
)
def read_import(
    reading: Reading, opened: ReadFmd, now: Now, reply: Reply, language: Language, import_id: ImportId
) -> "Answer[ImportOut]":
    """What it proposes, compared with the record as it is now."""
    return reply(_seen(reading, opened, import_with(reading, opened.fmd, import_id), now, language))


@operations.post(
    "/{code}/imports/{id}/accept",
    "Accept proposals",
    errors=(403, 404, 409, 422),
    example=answer_example(EXAMPLE),
    example_of_own=True,
)
def accept_proposals(
    db: Db,
    fmd: CurrentFmd,
    parts: Parts,
    now: Now,
    reply: Reply,
    language: Language,
    import_id: ImportId,
    body: AcceptedProposals,
) -> "Answer[ImportOut]":
    """The chosen facts go into the record, all or none, as one change. Accepting again changes nothing."""
    found = accept(db, fmd, import_id, body.propuestas, now, is_same_person=body.misma_persona)
    return reply(_seen(db, ReadingFmd(fmd, parts.read_log), found, now, language))


@operations.post(
    "/{code}/imports/{id}/refuse",
    "Refuse proposals",
    errors=(403, 404, 409, 422),
    example=answer_example(EXAMPLE),
    example_of_own=True,
)
def refuse_proposals(
    db: Db,
    fmd: CurrentFmd,
    parts: Parts,
    now: Now,
    reply: Reply,
    language: Language,
    import_id: ImportId,
    body: ChosenProposals,
) -> "Answer[ImportOut]":
    """The chosen facts do not go into the record. What was accepted before stays in it."""
    found = refuse(db, fmd, import_id, body.propuestas, now)
    return reply(_seen(db, ReadingFmd(fmd, parts.read_log), found, now, language))


def _seen(tx: Transaction, opened: ReadingFmd, found: Import, now: datetime, language: str) -> ImportOut:
    """Whoever is shown an import reads what the record says of the same now, whatever else was asked for."""
    fmd = opened.fmd
    opened.note("record.read", models_in(found, fmd.key), now)
    content, documents = opened_content(found, fmd.key), record_documents(tx, fmd)
    attributes = ImportAttributes(
        creado_en=found.created_at,
        caduca_en=found.ends_at,
        documentos=[_document_out(one, documents, language) for one in content.documents],
        propuestas=[_proposal_out(number, one, documents) for number, one in enumerate(content.proposals, 1)],
    )
    return Resource(type="import", id=found.id, attributes=attributes)


def _listed_out(found: Import) -> ListedOut:
    summary = ImportSummary(creado_en=found.created_at, caduca_en=found.ends_at)
    return Resource(type="import", id=found.id, attributes=summary)


def _document_out(document: KeptDocument, documents: Mapping[str, Any], language: str) -> ImportedDocument:
    signed = document.signature
    state = signed.state
    return ImportedDocument(
        titulo=document.title,
        autores=document.authors,
        fecha=document.date,
        persona=document.name,
        fecha_nacimiento=document.birth_date,
        traido_de=document.host,
        distinto=differences(document, documents),
        firma=Signed(
            estado=state, emisor=signed.issuer, nombre=signed.name, palabras=state.words.in_language(language)
        ),
        no_tomado=[
            NotTakenOver(que=one.what, motivo=one.why, palabras=one.why.words.in_language(language))
            for one in document.left_out
        ],
    )


def _proposal_out(number: int, proposal: Proposal, documents: Mapping[str, Any]) -> ProposalAttributes:
    result = compared(proposal.fact, documents.get(proposal.model, {}))
    return ProposalAttributes(
        numero=number,
        documento=proposal.document + 1,
        modelo=proposal.model,
        campo=proposal.field,
        efecto=result.effect,
        estado=proposal.decision,
        valor=proposal.value,
        actual=result.now,
        fecha=proposal.date,
        fuente=proposal.fuente,
    )
