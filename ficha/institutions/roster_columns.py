"""The columns of a roster, and the person that a row speaks of."""

import re
import unicodedata
from contextlib import suppress
from typing import Annotated, Any

from pydantic import AfterValidator, ValidationError

from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError, Problem, Source
from ficha.core.phones import NotDialable, split_e164, typed_phone, written_e164
from ficha.core.text_types import Correo, Nombre, TextLimits, single_line
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.model_parts import CodTelefono, Telefono
from ficha.institutions.person_to_enrol import PersonToEnrol
from ficha.institutions.roster_words import WORDS

# Where each goes: a field of the person, or a model and its field. Nothing about health has a column.
COLUMNS: dict[str, tuple[str, ...]] = {
    "external_id": ("external_id",),
    "nombre": ("nombre",),
    "correo": ("correo",),
    "cod_telefono": ("cod_telefono",),
    "telefono": ("telefono",),
    "idioma": ("idioma",),
    "nombres": ("personal", "nombres"),
    "apellidos": ("personal", "apellidos"),
    "documento_tipo": ("personal", "documento_tipo"),
    "documento_numero": ("personal", "documento_numero"),
    "fecha_nacimiento": ("personal", "fecha_nacimiento"),
    "sexo": ("personal", "sexo"),
    "nacionalidad": ("personal", "nacionalidad"),
    "grado": ("estudiante", "grado"),
    "seccion": ("estudiante", "seccion"),
    "matricula": ("estudiante", "matricula"),
    "turno": ("estudiante", "turno"),
    "transporte": ("estudiante", "transporte"),
    "representante_nombre": ("representante", "nombre"),
    "representante_documento": ("representante", "documento"),
    "representante_relacion": ("representante", "relacion"),
    "representante_correo": ("representante", "correo"),
    "representante_cod_telefono": ("representante", "cod_telefono"),
    "representante_telefono": ("representante", "telefono"),
}
OTHER_NAMES = {
    "id": "external_id",
    "codigo": "external_id",
    "nombre_completo": "nombre",
    "nombre_y_apellido": "nombre",
    "apellido": "apellidos",
    "documento": "documento_numero",
    "cedula": "documento_numero",
    "dni": "documento_numero",
    "email": "correo",
    "correo_electronico": "correo",
    "prefijo": "cod_telefono",
    "celular": "telefono",
    "fecha_de_nacimiento": "fecha_nacimiento",
    "nacimiento": "fecha_nacimiento",
    "representante": "representante_nombre",
    "relacion": "representante_relacion",
    "parentesco": "representante_relacion",
}
SEXES = {"f": "femenino", "m": "masculino", "mujer": "femenino", "hombre": "masculino"}
DAY_FIRST = re.compile(r"(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})")
# A phone may begin with a plus, a number with a minus. A contact list copies phones with hyphens that break no line.
NUMBER_LIKE = re.compile(r"[+-][\d\s().\u2010-\u2015-]+")
LANGUAGES = ("es", "en", "pt")


class _Fields(DeferredModel):
    """The fields of a person that belong to no model of the record."""

    external_id: Annotated[str, TextLimits(80, min_length=None, strip_whitespace=False), AfterValidator(single_line)]
    nombre: Nombre | None = None
    correo: Correo | None = None
    cod_telefono: CodTelefono | None = None
    telefono: Telefono | None = None
    idioma: str


class FormulaInCell(FichaError):
    status = 422
    code = "formula_en_celda"
    message = "La celda empieza como una fórmula (=, +, - o @). Escriba el valor, sin fórmula."

    def __init__(self, column: str) -> None:
        super().__init__(self.message)
        self._column = column

    @property
    def problems(self) -> list[Problem]:
        return [
            Problem(
                self.code, self.message, Source("pointer", f"/{'/'.join(COLUMNS.get(self._column, (self._column,)))}")
            )
        ]


def plain(text: str) -> str:
    """In lower case, without accents: how titles and names are compared."""
    letters = unicodedata.normalize("NFKD", text.casefold())
    return "".join(letter for letter in letters if not unicodedata.combining(letter))


def column_named(title: str) -> str | None:
    """`Fecha de Nacimiento` is `fecha_nacimiento`, and so is what the column is called in any of our languages."""
    name = _name_in(title)
    name = OTHER_NAMES.get(name, name)
    return name if name in COLUMNS else _BY_TITLE.get(name)


def column_at(pointer: str) -> str:
    """The column of the field that an error names: `/personal/apellidos` is `apellidos`. Empty where there is none."""
    return _BY_FIELD.get(tuple(pointer.strip("/").split("/")[:2]), "")


def _name_in(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", plain(title)).strip("_")


_BY_FIELD = {field: column for column, field in COLUMNS.items()}
# A phone is asked for in two columns, and checked as one number.
_BY_FIELD |= {("personal", "telefono"): "telefono", ("personal", "correo"): "correo"}
_BY_TITLE = {_name_in(title): column for column, words in WORDS.items() for title in reversed(words.title)}


def is_formula(cell: str) -> bool:
    """What a spreadsheet would carry out, if somebody opened this value in one."""
    return cell.startswith(("=", "@")) or (cell[0] in "+-" and not NUMBER_LIKE.fullmatch(cell))


def person_of(cells: dict[str, str], country: str = "") -> PersonToEnrol:
    """Where no `external_id` is given, it is empty. A phone without a prefix is read as it is dialled in `country`.
    Raises FormulaInCell or InvalidDocument."""
    fields: dict[str, Any] = {"external_id": ""}
    documents: dict[str, dict[str, Any]] = {}
    for column, cell in cells.items():
        if is_formula(cell):
            raise FormulaInCell(column)
        *model, name = COLUMNS[column]
        target = documents.setdefault(model[0], {}) if model else fields
        target[name] = _value(name, cell)
    for phone in (fields, documents.get("representante", {})):
        _read_phone(phone, country)
    if "representante" in documents:
        documents["representante"].setdefault("relacion", "representante")
    if fields.get("idioma") not in LANGUAGES:
        fields["idioma"] = "es"
    try:
        checked = _Fields.model_validate(fields)
    except ValidationError as error:
        raise InvalidDocument.of(error) from None
    return PersonToEnrol(**checked.model_dump(), documents=documents)


def _value(name: str, cell: str) -> str:
    if name == "fecha_nacimiento" and (found := DAY_FIRST.fullmatch(cell)):
        day, month, year = found.groups()
        return f"{year}-{month:0>2}-{day:0>2}"
    if name == "sexo":
        return SEXES.get(plain(cell), plain(cell))
    return cell


def _read_phone(fields: dict[str, Any], country: str) -> None:
    """As people write it: `0412-555-1111`, with its prefix in front or in a column of its own. A prefix that was filled
    in all the way down says nothing where there is no number."""
    prefix = fields.pop("cod_telefono", "")
    if "telefono" not in fields:
        return
    prefix, telefono = typed_phone(prefix, fields["telefono"])
    if not prefix:
        # Only a number that exists in that country: one of another must not become somebody else's.
        with suppress(NotDialable):
            prefix, telefono = split_e164(written_e164(telefono, country))
    fields["telefono"] = telefono
    if prefix:
        fields["cod_telefono"] = prefix
