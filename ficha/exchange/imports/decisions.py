"""She accepts or refuses what was proposed, fact by fact. What is accepted becomes a change of the record like any
other: validated, versioned, logged, in one transaction."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.exchange.imports.comparison import Effect, compared
from ficha.exchange.imports.content import ImportContent, KeptDocument, Proposal, ProposalDecision, SignatureState
from ficha.exchange.imports.imports import Import, import_with, opened_content, seal_content
from ficha.exchange.imports.proposals import field_of
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document
from ficha.fmd.catalog import CATALOG
from ficha.fmd.changes import patch_models
from ficha.fmd.merge import merge_patch
from ficha.fmd.model_parts import Fuente
from ficha.fmd.stored_documents import stored_documents
from ficha.fmd.terms import words_in


class ProposalUnknown(FichaError):
    status = 422
    code = "propuesta_desconocida"
    message = "El documento no tiene una propuesta con ese número."


class AnotherPerson(FichaError):
    status = 409
    code = "persona_distinta"
    message = (
        "El documento trae otro nombre u otra fecha de nacimiento que esta ficha. Confirme que es la misma persona "
        "antes de aceptar algo."
    )


class ImportContradicts(FichaError):
    status = 409
    code = "propuesta_contradice"
    message = "El documento dice que no hay ninguna, y la ficha nombra alguna. Pregunte a quien lo escribió."


def accept(
    tx: Transaction,
    fmd: OpenFmd,
    import_id: int,
    numbers: Sequence[int],
    now: datetime,
    *,
    is_same_person: bool = False,
) -> Import:
    """What was decided before stays as it is, so accepting again changes nothing. The caller has locked the record, so
    of two at once one finds it done. Raises NotFound, ProposalUnknown, AnotherPerson, ImportContradicts or
    InvalidDocument."""
    found, content, chosen = _chosen(tx, fmd, import_id, numbers)
    if not chosen:
        return found
    documents = record_documents(tx, fmd)
    speaking = {one.document for one in chosen}
    if not is_same_person and any(differences(content.documents[one], documents) for one in speaking):
        raise AnotherPerson
    patches: dict[str, Document] = {}
    for one in chosen:
        about = _about(content.documents[one.document], one, fmd, now) if one.field else {}
        result = compared(one.fact, documents.get(one.model, {}), about)
        if result.effect is Effect.CONTRADICTS:
            raise ImportContradicts
        documents[one.model] = merge_patch(documents.get(one.model, {}), result.patch)
        patches[one.model] = patches.get(one.model, {}) | result.patch
        one.decision = ProposalDecision.ACCEPTED
        if _is_too_long(one, documents[one.model]):
            break  # All of it is refused below; to compare the rest first would keep others waiting for seconds.
    patches = {model: patch for model, patch in patches.items() if patch}
    if patches:
        patch_models(tx, fmd, patches, now, confirms=False)
    _keep(tx, fmd, found, content, "import.accepted", chosen, now)
    return found


def refuse(tx: Transaction, fmd: OpenFmd, import_id: int, numbers: Sequence[int], now: datetime) -> Import:
    """Raises NotFound or ProposalUnknown."""
    found, content, chosen = _chosen(tx, fmd, import_id, numbers)
    for one in chosen:
        one.decision = ProposalDecision.REFUSED
    if chosen:
        _keep(tx, fmd, found, content, "import.refused", chosen, now)
    return found


def _is_too_long(one: Proposal, document: Mapping[str, Any]) -> bool:
    """Whether the list that the fact is an item of has more than the model takes."""
    model = CATALOG.find(one.model)
    field = field_of(model, one.field) if model else None
    most = field.limit("max_length") if field else None
    return most is not None and len(document[one.field]) > most


def record_documents(tx: Transaction, fmd: OpenFmd) -> dict[str, Document]:
    return {name: entry.document for name, entry in stored_documents(tx, fmd.id, fmd.key).items()}


def differences(document: KeptDocument, documents: Mapping[str, Any]) -> list[str]:
    """Whether it is about somebody else: `nombre`, `fecha_nacimiento`, or nothing that either leaves open."""
    personal = documents.get("personal", {})
    found = []
    here = set(words_in(f"{personal.get('nombres', '')} {personal.get('apellidos', '')}"))
    there = set(words_in(document.name))
    if here and there and not (here <= there or there <= here):
        found.append("nombre")
    born = personal.get("fecha_nacimiento")
    if born and document.birth_date and born != document.birth_date:
        found.append("fecha_nacimiento")
    return found


def _chosen(
    tx: Transaction, fmd: OpenFmd, import_id: int, numbers: Sequence[int]
) -> tuple[Import, ImportContent, list[Proposal]]:
    """Those that wait for a decision, of these, which count from 1."""
    found = import_with(tx, fmd, import_id)
    content = opened_content(found, fmd.key)
    if not all(1 <= number <= len(content.proposals) for number in numbers):
        raise ProposalUnknown
    wanted = [content.proposals[number - 1] for number in dict.fromkeys(numbers)]
    return found, content, [one for one in wanted if one.decision is ProposalDecision.PENDING]


def _about(document: KeptDocument, proposal: Proposal, fmd: OpenFmd, now: datetime) -> dict[str, Any]:
    """When it was so, as the document says. Whose word it is, only a good signature tells: else hers who accepts it."""
    fuente = fmd.fuente
    if document.signature.state is SignatureState.VERIFIED:
        if document.signature.is_own:  # What a record says of itself, our signature makes no truer.
            fuente = proposal.fuente or fmd.fuente
        else:
            fuente = Fuente.MEDICO if proposal.fuente is Fuente.MEDICO else Fuente.INSTITUCION
    return {"confirmado_en": proposal.date or now.date().isoformat(), "fuente": fuente.value}


def _keep(
    tx: Transaction,
    fmd: OpenFmd,
    found: Import,
    content: ImportContent,
    action: str,
    chosen: Sequence[Proposal],
    now: datetime,
) -> None:
    seal_content(found, fmd.key, content)
    fmd.note(tx, action, sorted({one.model for one in chosen}), now)
