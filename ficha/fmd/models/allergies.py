"""Allergies: to medicines; to food, insects, latex and what is in the air."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any

from ficha.fmd.base import About, Door, FmdModel, Shown
from ficha.fmd.fhir_codes import ALLERGIES, ALLERGY_CATEGORIES, CRITICALITIES
from ficha.fmd.fhir_parts import FhirEntry, FhirWriter, Resource, hl7, resource, written
from ficha.fmd.model_parts import MAY_KILL, Absence, Coded, Criticidad, Fact, Facts, absence_of, at_most
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import Parrafo, Texto


def _allergy(
    writer: FhirWriter, fact: "AlergiaMedicamento | Alergia", code: Coded, own: Mapping[str, Any], **more: Any
) -> Resource:
    """What the owner called low is in our extension too: a summary leaves it out where a reaction says otherwise."""
    low = fact.criticidad if fact.criticidad is Criticidad.BAJA else None
    return resource(
        "AllergyIntolerance",
        clinicalStatus=hl7("allergyintolerance-clinical", "active"),
        criticality=CRITICALITIES[fact.criticidad] if fact.criticidad else None,
        code=code.to_concept(),
        patient=writer.patient,
        asserter=fact.said_by(writer),
        note=written(fact.notas),
        reaction=[{"manifestation": [reaction.to_concept()]} for reaction in fact.reacciones],
        extension=fact.own_fields(writer, criticidad=low, **own),
        **more,
    )


class AlergiaMedicamento(Fact):
    medicamento: Annotated[Coded, Shown("Medicamento", "Medicine", "Medicamento", terms="medicamento")]
    criticidad: Annotated[Criticidad | None, MAY_KILL] = None
    reacciones: Annotated[list[Coded], at_most(10), Shown("Reacciones", "Reactions", "Reações", terms="reacciones")]
    notas: Annotated[Parrafo | None, Shown("Notas", "Notes", "Notas")] = None


class AlergiasM(FmdModel):
    """Medicines the person must not be given."""

    about = About(
        wire="alergiasm",
        title=Translated("Alergias a medicamentos", "Medicine allergies", "Alergias a medicamentos"),
        door=Door.R,
        fresh_days=730,
        example={
            "alergias": [
                {
                    "medicamento": {"texto": "Penicilina", "sistema": "atc", "codigo": "J01C"},
                    "criticidad": "alta",
                    "reacciones": [{"texto": "Urticaria", "sistema": "snomed", "codigo": "126485001"}],
                    "notas": "A los seis años, en el hospital.",
                    "confirmado_en": "2026-03-01",
                    "fuente": "medico",
                }
            ]
        },
    )

    alergias: Annotated[list[AlergiaMedicamento], Facts, Shown("Alergias", "Allergies", "Alergias")]
    ausencia: Annotated[Absence | None, absence_of("alergias")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        for fact in self.alergias:
            allergy = _allergy(writer, fact, fact.medicamento, {}, category=["medication"])
            yield FhirEntry(f"alergiasm/{fact.id}", allergy, ALLERGIES, fact)


class Categoria(Choice):
    ALIMENTO = "alimento", "Alimento", "Food", "Alimento"
    AMBIENTE = "ambiente", "Ambiente", "Environment", "Ambiente"
    INSECTO = "insecto", "Insecto", "Insect", "Inseto"
    LATEX = "latex", "Látex", "Latex", "Látex"
    OTRO = "otro", "Otro", "Other", "Outro"


class Alergia(Fact):
    agente: Annotated[Coded, Shown("A qué", "To what", "A quê", terms="agente")]
    categoria: Annotated[Categoria | None, Shown("Categoría", "Category", "Categoria")] = None
    criticidad: Annotated[Criticidad | None, MAY_KILL] = None
    reacciones: Annotated[list[Coded], at_most(10), Shown("Reacciones", "Reactions", "Reações", terms="reacciones")]
    autoinyector: Annotated[
        bool | None,
        Shown("Lleva autoinyector de adrenalina", "Carries an adrenaline autoinjector", "Tem consigo autoinjetor"),
    ] = None
    guardado_en: Annotated[
        Texto | None, Shown("Dónde está el autoinyector", "Where the autoinjector is kept", "Onde está o autoinjetor")
    ] = None
    notas: Annotated[Parrafo | None, Shown("Notas", "Notes", "Notas")] = None


class AlergiasA(FmdModel):
    """What the person must not eat, touch or breathe."""

    about = About(
        wire="alergiasa",
        title=Translated(
            "Alergias a alimentos y ambiente", "Food and other allergies", "Alergias a alimentos e ambiente"
        ),
        door=Door.R,
        fresh_days=730,
        example={
            "alergias": [
                {
                    "agente": {"texto": "Maní", "sistema": "snomed", "codigo": "762952008"},
                    "categoria": "alimento",
                    "criticidad": "alta",
                    "reacciones": [{"texto": "Anafilaxia", "sistema": "snomed", "codigo": "39579001"}],
                    "autoinyector": True,
                    "guardado_en": "mochila",
                    "notas": "El autoinyector está en la mochila.",
                    "confirmado_en": "2026-03-01",
                    "fuente": "medico",
                }
            ]
        },
    )

    alergias: Annotated[list[Alergia], Facts, Shown("Alergias", "Allergies", "Alergias")]
    ausencia: Annotated[Absence | None, absence_of("alergias")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        for fact in self.alergias:
            category = ALLERGY_CATEGORIES.get(fact.categoria or "")
            # Insects and latex are the environment for FHIR, and of what is neither food nor air it knows nothing.
            is_exact = fact.categoria in (Categoria.ALIMENTO, Categoria.AMBIENTE)
            own = {
                "categoria": None if is_exact else fact.categoria,
                "autoinyector": fact.autoinyector,
                "guardado_en": fact.guardado_en,
            }
            allergy = _allergy(writer, fact, fact.agente, own, category=[category] if category else [])
            yield FhirEntry(f"alergiasa/{fact.id}", allergy, ALLERGIES, fact)
