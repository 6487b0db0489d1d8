"""Who the person is."""

from typing import Annotated

from ficha.core.text_types import Correo, Etiqueta, Nombre
from ficha.fmd.base import About, Door, FmdModel, Shape, Shown
from ficha.fmd.model_parts import DIALLED, E164, PHONE, PREFIX, CodTelefono, Phone, Telefono, at_most
from ficha.fmd.translations import Choice, Translated
from ficha.fmd.values import ArchivoId, EachOnce, FechaPasada, Idioma, Numero, Pais, Texto


class Sexo(Choice):
    FEMENINO = "femenino", "Femenino", "Female", "Feminino"
    MASCULINO = "masculino", "Masculino", "Male", "Masculino"
    OTRO = "otro", "Otro", "Other", "Outro"
    DESCONOCIDO = "desconocido", "Desconocido", "Unknown", "Desconhecido"


class Direccion(Shape):
    calle: Annotated[Texto | None, Shown(Translated("Calle y número", "Street and number", "Rua e número"))] = None
    ciudad: Annotated[Nombre | None, Shown(Translated("Ciudad", "City", "Cidade"))] = None
    estado: Annotated[Nombre | None, Shown(Translated("Estado o provincia", "State or province", "Estado"))] = None
    pais: Annotated[Pais | None, Shown(Translated("País", "Country", "País"))] = None
    codigo_postal: Annotated[Numero | None, Shown(Translated("Código postal", "Postal code", "Código postal"))] = None


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

    nombres: Annotated[Nombre, Shown(Translated("Nombres", "First names", "Nomes"))]
    apellidos: Annotated[Nombre, Shown(Translated("Apellidos", "Family names", "Sobrenomes"))]
    documento_tipo: Annotated[
        Etiqueta | None, Shown(Translated("Tipo de documento", "Kind of document", "Tipo de documento"))
    ] = None
    documento_numero: Annotated[
        Numero | None, Shown(Translated("Número de documento", "Document number", "Número do documento"), door=Door.B)
    ] = None
    fecha_nacimiento: Annotated[
        FechaPasada | None, Shown(Translated("Fecha de nacimiento", "Date of birth", "Data de nascimento"))
    ] = None
    sexo: Annotated[Sexo | None, Shown(Translated("Sexo", "Sex", "Sexo"))] = None
    idiomas: Annotated[
        list[Idioma],
        at_most(10),
        EachOnce,
        Shown(Translated("Idiomas que habla", "Languages", "Idiomas")),
    ]
    nacionalidad: Annotated[Pais | None, Shown(Translated("Nacionalidad", "Nationality", "Nacionalidade"))] = None
    direccion: Annotated[Direccion | None, Shown(Translated("Dirección", "Address", "Endereço"), door=Door.B)] = None
    cod_telefono: Annotated[CodTelefono | None, PREFIX.with_door(Door.B)] = None
    telefono: Annotated[Telefono | None, PHONE.with_door(Door.B)] = None
    telefono_e164: Annotated[E164 | None, DIALLED.with_door(Door.B)] = None
    correo: Annotated[Correo | None, Shown(Translated("Correo", "E-mail", "E-mail"), door=Door.B, widget="email")] = (
        None
    )
    foto_id: Annotated[ArchivoId | None, Shown(Translated("Foto", "Photo", "Foto"), widget="photo")] = None
