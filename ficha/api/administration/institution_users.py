"""The people of an institution: it enrols them with the token of its service account."""

from typing import Annotated, Any

from fastapi import Path
from pydantic import ConfigDict, Field, StringConstraints

from ficha.accounts.accounts import Idioma
from ficha.api.bodies import Body
from ficha.api.examples import DEMO_CORREO, DEMO_INSTITUTION, DEMO_MEMBER, answer_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Correo, Nombre
from ficha.fmd.model_parts import CodTelefono, Telefono
from ficha.http.dependencies import Db, Now, Parts, Reply, ServiceAccount
from ficha.http.envelope import Answer, Moment, Resource
from ficha.institutions.consents import Consent, present_consent
from ficha.institutions.enrol import enrol_person
from ficha.institutions.institution import institution_of
from ficha.institutions.members import MemberState
from ficha.institutions.person_to_enrol import ENROLMENT_MODELS, EnrolContext, PersonToEnrol

operations = Operations("administration")

Slug = Annotated[
    str, Path(alias="institution", description="The institution's short name.", examples=[DEMO_INSTITUTION])
]
ExternalId = Annotated[str, StringConstraints(strip_whitespace=True, pattern=r"^[^\x00-\x1f\x7f]{1,80}$")]


class InstitutionUser(Body):
    model_config = ConfigDict(
        json_schema_extra={"examples": [{"external_id": "2026-0117", "nombre": "Ana Pérez", "correo": DEMO_CORREO}]}
    )

    external_id: ExternalId = Field(description="The institution's own name for the person.", examples=["2026-0117"])
    nombre: Nombre | None = Field(None, description="Where `personal` is not given.", examples=["Ana Pérez"])
    correo: Correo | None = Field(
        None, description="Whom to invite, where `representante` names nobody.", examples=[DEMO_CORREO]
    )
    cod_telefono: CodTelefono | None = None
    telefono: Telefono | None = None
    idioma: Idioma = Field(Idioma.ES, strict=False)
    invitar: bool = Field(True, description="Whether whoever answers for the person is invited by mail or WhatsApp.")
    personal: dict[str, Any] | None = Field(None, description="The model of that name, as a merge patch.")
    estudiante: dict[str, Any] | None = Field(None, description="The model of that name, as a merge patch.")
    representante: dict[str, Any] | None = Field(None, description="The model of that name, as a merge patch.")

    def person(self) -> PersonToEnrol:
        documents = {name: document for name in ENROLMENT_MODELS if (document := getattr(self, name)) is not None}
        return PersonToEnrol(
            self.external_id,
            nombre=self.nombre,
            correo=self.correo,
            cod_telefono=self.cod_telefono,
            telefono=self.telefono,
            idioma=self.idioma,
            invites=self.invitar,
            documents=documents,
        )


class ConsentGiven(DeferredModel):
    version: str = Field(description="Of the sentences that were agreed to.")
    ve: bool = Field(description="Whether the institution may open the record.")
    edita: bool = Field(description="Whether it may change what it sees.")
    desde: Moment


class InstitutionUserAttributes(DeferredModel):
    bp_code: str | None = Field(description="The code that the institution issued; null once the record was erased.")
    estado: MemberState = Field(description="unclaimed until somebody accepts the record, accepted, or ended.")
    consentimiento: ConsentGiven | None = Field(description="What was decided last; null: nothing, so nothing is seen.")


InstitutionUserOut = Resource[InstitutionUserAttributes]
EXAMPLE = {
    "type": "institution_user",
    "id": "2026-0117",
    "attributes": {"bp_code": DEMO_MEMBER, "estado": "unclaimed", "consentimiento": None},
}


@operations.post(
    "/{institution}/user",
    "Institution user",
    callers="institution",
    seed="Institution user",
    errors=(404, 409, 415, 422),
    example=answer_example(EXAMPLE),
)
def enrol(
    db: Db, parts: Parts, caller: ServiceAccount, now: Now, reply: Reply, institution: Slug, body: InstitutionUser
) -> "Answer[InstitutionUserOut]":
    """Enrols a person, or changes what was given of her: the same again changes nothing. She gets a record with a code,
    and whoever answers for her is invited to make it hers and to decide what the institution sees; until then it sees
    nothing. The answer is the same whether or not her correo has an account."""
    found = institution_of(db, caller, institution)
    enrolled = enrol_person(db, EnrolContext(found, parts.keyring, parts.secrets, now), body.person())
    consent = present_consent(db, enrolled.member_id)
    return reply(institution_user_out(enrolled.external_id, enrolled.bp_code, enrolled.state, consent))


def institution_user_out(
    external_id: str, bp_code: str, state: MemberState, consent: Consent | None
) -> "InstitutionUserOut":
    """Whoever is a member no longer has no code."""
    attributes = InstitutionUserAttributes(
        bp_code=None if state is MemberState.ENDED else bp_code, estado=state, consentimiento=consent_out(consent)
    )
    return Resource(type="institution_user", id=external_id, attributes=attributes)


def consent_out(consent: Consent | None) -> ConsentGiven | None:
    if consent is None:
        return None
    return ConsentGiven(version=consent.version, ve=consent.sees, edita=consent.edits, desde=consent.at)
