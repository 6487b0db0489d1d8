"""What is kept of an import until she has decided: all of it encrypted with the record's key."""

from typing import Any

from pydantic import ConfigDict, Field

from ficha.core.deferred_model import DeferredModel
from ficha.exchange.imports.proposals import ProposedFact
from ficha.fmd.fhir_reading import WhyNot
from ficha.fmd.model_parts import Fuente
from ficha.fmd.translations import Choice


class SignatureState(Choice):
    """What is known of who wrote a document."""

    VERIFIED = (
        "verificada",
        "Firmado por alguien de nuestra lista de emisores de confianza, y la firma es buena",
        "Signed by somebody in our list of trusted issuers, and the signature is good",
        "Assinado por alguém da nossa lista de emissores confiáveis, e a assinatura é boa",
    )
    UNKNOWN = (
        "desconocida",
        "Firmado, pero no por nadie de nuestra lista: no sabemos quién lo escribió",
        "Signed, but by nobody in our list: we do not know who wrote it",
        "Assinado, mas por ninguém da nossa lista: não sabemos quem escreveu",
    )
    UNSIGNED = (
        "sin_firma",
        "Sin firma: cualquiera pudo escribirlo o cambiarlo",
        "Unsigned: anybody may have written or changed it",
        "Sem assinatura: qualquer um pode ter escrito ou mudado",
    )


class ProposalDecision(Choice):
    PENDING = "pendiente", "Sin decidir", "Not decided", "Sem decisão"
    ACCEPTED = "aceptada", "Aceptado", "Accepted", "Aceito"
    REFUSED = "rechazada", "Rechazado", "Refused", "Recusado"


class Kept(DeferredModel):
    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True)


class Signature(Kept):
    """`issuer` as the document names it; `name` as our directory does."""

    state: SignatureState = SignatureState.UNSIGNED
    issuer: str = ""
    name: str = ""
    is_own: bool = False


class LeftOut(Kept):
    what: str
    why: WhyNot


class KeptDocument(Kept):
    title: str = ""
    authors: list[str] = Field(default_factory=list)
    date: str | None = None
    name: str = ""
    birth_date: str | None = None
    host: str = ""
    signature: Signature = Field(default_factory=Signature)
    left_out: list[LeftOut] = Field(default_factory=list)


class Proposal(Kept):
    """One fact of one of the documents. `date` and `fuente` are what the document says of it."""

    document: int
    model: str
    field: str
    value: dict[str, Any]
    date: str | None = None
    fuente: Fuente | None = None
    decision: ProposalDecision = ProposalDecision.PENDING

    @property
    def fact(self) -> ProposedFact:
        return ProposedFact(self.model, self.field, self.value)


class ImportContent(Kept):
    documents: list[KeptDocument] = Field(default_factory=list)
    proposals: list[Proposal] = Field(default_factory=list)
