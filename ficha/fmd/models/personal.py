"""Who the person is, and how to recognise and reach her."""

from collections.abc import Iterator
from typing import Annotated

from ficha.core.text_types import Correo, Etiqueta, Nombre
from ficha.fmd.base import About, Door, FmdModel, Shape, Shown
from ficha.fmd.fhir_codes import COUNTRIES, GENDERS, NATIONALITY
from ficha.fmd.fhir_parts import FhirEntry, FhirWriter, Resource, present, speaks, telecom
from ficha.fmd.model_parts import DIALLED, E164, PHONE, PREFIX, CodTelefono, Phone, Telefono, at_most
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import ArchivoId, EachOnce, FechaPasada, Idioma, Numero, Pais, Texto


class Sexo(Choice):
    FEMENINO = "femenino", "Femenino", "Female", "Feminino"
    MASCULINO = "masculino", "Masculino", "Male", "Masculino"
    OTRO = "otro", "Otro", "Other", "Outro"
    DESCONOCIDO = "desconocido", "Desconocido", "Unknown", "Desconhecido"


COUNTRY = Translated(
    "El código de dos letras del país: VE (Venezuela), ES (España), GB (Reino Unido)",
    "The two-letter code of the country: VE (Venezuela), ES (Spain), GB (United Kingdom)",
    "O código de duas letras do país: VE (Venezuela), ES (Espanha), GB (Reino Unido)",
)


class Direccion(Shape):
    calle: Annotated[Texto | None, Shown("Calle y número", "Street and number", "Rua e número")] = None
    ciudad: Annotated[Nombre | None, Shown("Ciudad", "City", "Cidade")] = None
    estado: Annotated[Nombre | None, Shown("Estado o provincia", "State or province", "Estado")] = None
    pais: Annotated[Pais | None, Shown("País", "Country", "País", help=COUNTRY)] = None
    codigo_postal: Annotated[Numero | None, Shown("Código postal", "Postal code", "Código postal")] = None

    def to_fhir(self) -> Resource:
        return present(
            {
                "line": [self.calle] if self.calle else [],
                "city": self.ciudad,
                "state": self.estado,
                "postalCode": self.codigo_postal,
                "country": self.pais,
            }
        )


class Personal(Phone, FmdModel):
    """Who the person is, and how to recognise and reach her."""

    about = About(
        wire="personal",
        title=Translated("Datos personales", "Personal details", "Dados pessoais"),
        door=Door.R,
        example={
            "nombres": "Ana Lucía",
            "apellidos": "Pérez Rojas",
            "documento_tipo": "cédula",
            "documento_numero": "V-31.555.777",
            "fecha_nacimiento": "2012-05-03",
            "sexo": "femenino",
            "idiomas": ["es", "en"],
            "nacionalidad": "VE",
            "direccion": {
                "calle": "Av. Bolívar 12, piso 3",
                "ciudad": "Maracaibo",
                "estado": "Zulia",
                "pais": "VE",
                "codigo_postal": "4001",
            },
            "cod_telefono": "+58",
            "telefono": "4125551111",
            "correo": "ana@ejemplo.com",
            "foto_id": "foto_7Kq2ZpX9",
        },
    )

    nombres: Annotated[Nombre, Shown("Nombres", "First names", "Nomes")]
    apellidos: Annotated[Nombre, Shown("Apellidos", "Family names", "Sobrenomes")]
    documento_tipo: Annotated[Etiqueta | None, Shown("Tipo de documento", "Kind of document", "Tipo de documento")] = (
        None
    )
    documento_numero: Annotated[
        Numero | None, Shown("Número de documento", "Document number", "Número do documento", door=Door.B)
    ] = None
    fecha_nacimiento: Annotated[
        FechaPasada | None, Shown("Fecha de nacimiento", "Date of birth", "Data de nascimento")
    ] = None
    sexo: Annotated[Sexo | None, Shown("Sexo", "Sex", "Sexo")] = None
    idiomas: Annotated[list[Idioma], at_most(10), EachOnce, Shown("Idiomas que habla", "Languages", "Idiomas")]
    nacionalidad: Annotated[Pais | None, Shown("Nacionalidad", "Nationality", "Nacionalidade", help=COUNTRY)] = None
    direccion: Annotated[Direccion | None, Shown("Dirección", "Address", "Endereço", door=Door.B)] = None
    cod_telefono: Annotated[CodTelefono | None, PREFIX.with_door(Door.B)] = None
    telefono: Annotated[Telefono | None, PHONE.with_door(Door.B)] = None
    telefono_e164: Annotated[E164 | None, DIALLED.with_door(Door.B)] = None
    correo: Annotated[Correo | None, Shown("Correo", "E-mail", "E-mail", door=Door.B, widget="email")] = None
    foto_id: Annotated[ArchivoId | None, Shown("Foto", "Photo", "Foto", widget="photo")] = None

    def to_fhir(self, writer: FhirWriter) -> Iterator[FhirEntry]:
        name = {"text": f"{self.nombres} {self.apellidos}", "family": self.apellidos, "given": self.nombres.split()}
        number = {
            "type": {"text": self.documento_tipo} if self.documento_tipo else None,
            "value": self.documento_numero,
        }
        country = {"coding": [{"system": COUNTRIES, "code": self.nacionalidad}]}
        code = {"url": "code", "valueCodeableConcept": country}
        patient = {
            "extension": [{"url": NATIONALITY, "extension": [code]}] if self.nacionalidad else [],
            "identifier": [present(number)] if self.documento_numero else [],
            "name": [name],
            "telecom": telecom(self.shown_phone(), self.correo),
            "gender": GENDERS[self.sexo] if self.sexo else None,
            "birthDate": self.fecha_nacimiento,
            "address": [address] if self.direccion and (address := self.direccion.to_fhir()) else [],
            "communication": speaks(self.idiomas),
        }
        yield FhirEntry("patient", present(patient))
