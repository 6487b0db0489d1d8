"""What the owner decides: who may see what, what is to be done or left undone, how the service behaves."""

from collections.abc import Iterator
from typing import Annotated

from pydantic import Field, StringConstraints

from ficha.core.text_types import Etiqueta
from ficha.fmd.base import About, Door, FmdModel, Shape, Shown
from ficha.fmd.fhir_codes import DIRECTIVES, DIRECTIVES_SECTION, WISHES
from ficha.fmd.fhir_parts import FhirEntry, FhirWriter, Resource, hl7, resource, speaks
from ficha.fmd.model_parts import FACT_ID_LENGTH, Canal, at_most
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import (
    ANY_MODEL,
    ArchivoId,
    EachOnce,
    FechaPasada,
    FechaPasadaParcial,
    Idioma,
    KnownModel,
    Parrafo,
    Texto,
    ZonaHoraria,
)

ModelOrFact = Annotated[str, StringConstraints(pattern=f"^{ANY_MODEL}(/[A-Za-z0-9]{{{FACT_ID_LENGTH}}})?$"), KnownModel]


class TipoVoluntad(Choice):
    NO_REANIMAR = "no_reanimar", "No reanimar", "Do not resuscitate", "Não reanimar"
    LIMITAR = "limitar", "Limitar tratamientos", "Limit treatment", "Limitar tratamentos"
    TODO = "todo", "Hacer todo lo posible", "Do everything possible", "Fazer todo o possível"
    DELEGAR = "delegar", "Que decida otra persona", "Another person decides", "Outra pessoa decide"
    OTRA = "otra", "Otra", "Other", "Outra"


STATED = Translated("Preferencia declarada", "Stated preference", "Preferência declarada")
SIGNED = Translated("Con documento firmado", "Signed document attached", "Com documento assinado")

# Whichever the answer: the provision's type says it.
WISHED = {
    "rechaza_transfusion": Translated("Transfusión de sangre", "Blood transfusion", "Transfusão de sangue"),
    "donante_organos": Translated("Donación de órganos", "Organ donation", "Doação de órgãos"),
}


def _consent(writer: FhirWriter, category: Resource, worth: Translated, **parts: object) -> Resource:
    """A wish about treatment, with what it is worth: nobody takes for signed what is only stated."""
    return resource(
        "Consent",
        status="active",
        scope=hl7("consentscope", "adr"),
        category=[category],
        patient=writer.patient,
        performer=[writer.patient],
        policyRule={"text": writer.words(worth)},
        **parts,
    )


class AceptaTerminos(Shape):
    version: Annotated[Etiqueta | None, Shown("Versión", "Version", "Versão")] = None
    fecha: Annotated[FechaPasada | None, Shown("Fecha", "Date", "Data")] = None


class VoluntadAnticipada(Shape):
    tipo: Annotated[TipoVoluntad | None, Shown("Tipo", "Kind", "Tipo")] = None
    resumen: Annotated[Parrafo | None, Shown("Resumen", "Summary", "Resumo")] = None
    documento_id: Annotated[
        ArchivoId | None, Shown("Documento firmado", "Signed document", "Documento assinado", widget="file")
    ] = None
    lugar: Annotated[Texto | None, Shown("Dónde está", "Where it is", "Onde está")] = None
    fecha: Annotated[FechaPasadaParcial | None, Shown("Fecha", "Date", "Data")] = None

    def to_fhir(self, writer: FhirWriter) -> FhirEntry:
        category = hl7("consentcategorycodes", DIRECTIVES.get(self.tipo or "", "acd"))
        text = ". ".join(filter(None, (self.tipo and writer.words(self.tipo.words), self.resumen)))
        directive = _consent(
            writer,
            category | ({"text": text} if text else {}),
            self.worth,
            dateTime=self.fecha,
            extension=writer.own_fields(
                modelo="consentimiento", tipo=self.tipo, resumen=self.resumen, lugar=self.lugar
            ),
        )
        return FhirEntry("consentimiento/voluntad_anticipada", directive, DIRECTIVES_SECTION, "voluntad_anticipada")

    @property
    def worth(self) -> Translated:
        return SIGNED if self.documento_id else STATED


class Consentimiento(FmdModel):
    """Private, except what the person wants those who treat her to know."""

    about = About(
        wire="consentimiento",
        title=Translated("Consentimiento", "Consent", "Consentimento"),
        door=Door.P,
        example={
            "visibilidad": {"vacuna": "R", "salud/k7M2qX9a": "P"},
            "comparte_ubicacion": True,
            "acepta_terminos": {"version": "2026-01", "fecha": "2026-03-01"},
            "voluntad_anticipada": {
                "tipo": "limitar",
                "resumen": "No desea ventilación mecánica prolongada.",
                "documento_id": "doc_7Kq2ZpX9",
                "lugar": "Notaría Segunda de Maracaibo",
                "fecha": "2024-11",
            },
            "rechaza_transfusion": False,
            "donante_organos": True,
        },
    )

    visibilidad: Annotated[
        dict[ModelOrFact, Door],
        Field(default_factory=dict, max_length=200),
        Shown("Quién ve qué", "Who sees what", "Quem vê o quê", door=Door.P, widget="doors"),
    ]
    comparte_ubicacion: Annotated[
        bool | None, Shown("Compartir la ubicación", "Share the position", "Compartilhar a posição", door=Door.P)
    ] = None
    acepta_terminos: Annotated[
        AceptaTerminos | None, Shown("Términos aceptados", "Accepted terms", "Termos aceitos", door=Door.P)
    ] = None
    voluntad_anticipada: Annotated[
        VoluntadAnticipada | None, Shown("Voluntad anticipada", "Advance directive", "Diretiva antecipada", door=Door.R)
    ] = None
    rechaza_transfusion: Annotated[
        bool | None, Shown("Rechaza transfusiones", "Refuses transfusion", "Recusa transfusões", door=Door.R)
    ] = None
    donante_organos: Annotated[
        bool | None, Shown("Donante de órganos", "Organ donor", "Doador de órgãos", door=Door.R)
    ] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        """Who may see what decides what is written at all, and is not written."""
        will = self.voluntad_anticipada
        if will:
            yield will.to_fhir(writer)
        # A document is that of the directive whose kind is named, and may say nothing of these.
        worth = will.worth if will and will.tipo is None else STATED
        for name, (code, if_yes, if_no) in WISHES.items():
            answer = getattr(self, name)
            if answer is not None:
                kind = writer.own_code("consentimiento", code, WISHED[name])
                provision = {"type": if_yes if answer else if_no, "code": [kind]}
                wish = _consent(writer, kind, worth, provision=provision)
                yield FhirEntry(f"consentimiento/{name}", wish, DIRECTIVES_SECTION, name)


class Unidades(Choice):
    METRICO = "metrico", "Métrico (kg, cm)", "Metric (kg, cm)", "Métrico (kg, cm)"
    IMPERIAL = "imperial", "Imperial (lb, in)", "Imperial (lb, in)", "Imperial (lb, in)"


class Preferencia(FmdModel):
    """Language, units, and when to be told something."""

    about = About(
        wire="preferencia",
        title=Translated("Preferencias", "Preferences", "Preferências"),
        door=Door.P,
        example={
            "idioma": "es",
            "zona_horaria": "America/Caracas",
            "canales": ["whatsapp", "correo"],
            "unidades": "metrico",
            "aviso_por_lectura": True,
            "recordatorios": True,
        },
    )

    idioma: Annotated[Idioma | None, Shown("Idioma", "Language", "Idioma")] = None
    zona_horaria: Annotated[ZonaHoraria | None, Shown("Zona horaria", "Time zone", "Fuso horário")] = None
    canales: Annotated[list[Canal], at_most(len(Canal)), EachOnce, Shown("Avisarme por", "Tell me by", "Avisar-me por")]
    unidades: Annotated[Unidades | None, Shown("Unidades", "Units", "Unidades")] = None
    aviso_por_lectura: Annotated[
        bool | None, Shown("Avisarme cuando alguien lea", "Tell me when somebody reads", "Avisar-me quando alguém ler")
    ] = None
    recordatorios: Annotated[
        bool | None, Shown("Recordarme confirmar", "Remind me to confirm", "Lembrar-me de confirmar")
    ] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        if self.idioma:
            yield FhirEntry("patient", {"communication": speaks([self.idioma], preferred=True)})


ModelName = Annotated[str, StringConstraints(pattern=f"^{ANY_MODEL}$"), KnownModel]


class Modulo(FmdModel):
    """Set from the template type. It chooses what the form asks for; it hides nothing that holds data."""

    about = About(
        wire="modulo",
        title=Translated("Secciones", "Sections", "Seções"),
        door=Door.P,
        example={"modulos": {"salud": True, "estudiante": False}},
    )

    modulos: Annotated[
        dict[ModelName, bool],
        Field(default_factory=dict, max_length=100),
        Shown("Secciones en uso", "Sections in use", "Seções em uso", widget="modules"),
    ]
