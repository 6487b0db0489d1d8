"""The columns of a roster in words: what each is called, what is written in it, and an example. The template that an
office fills in, the page that explains it and the reasons why a row is refused say the same."""

from typing import NamedTuple

from ficha.fmd.translations import Translated


class ColumnWords(NamedTuple):
    title: Translated
    # What is written in it, where its title does not say so.
    how: Translated | None
    example: str


def _words(es: str, en: str, pt: str, how: tuple[str, str, str] | None, example: str) -> ColumnWords:
    return ColumnWords(Translated(es, en, pt), Translated(*how) if how else None, example)


PREFIX = (
    "Del país, como +58. Hace falta si el teléfono es de otro país y no lo trae.",
    "Of the country, like +58. It is needed if the phone is of another country and does not have it.",
    "Do país, como +58. É preciso se o telefone é de outro país e não o traz.",
)
PHONE = (
    "Como se marca, 0412-555-1111, o con el prefijo delante, +58 412 555 1111.",
    "As it is dialled, 0412-555-1111, or with the prefix in front, +58 412 555 1111.",
    "Como se disca, 0412-555-1111, ou com o prefixo na frente, +58 412 555 1111.",
)
CORREO = ("Como nombre@ejemplo.com.", "Like name@example.com.", "Como nome@exemplo.com.")

WORDS: dict[str, ColumnWords] = {
    "external_id": _words(
        "Código en la institución",
        "Number at the institution",
        "Código na instituição",
        (
            "El que usa la institución para esta persona; no se repite ni cambia.",
            "What the institution calls this person by; it is not repeated and does not change.",
            "O que a instituição usa para esta pessoa; não se repete nem muda.",
        ),
        "EJEMPLO-1",
    ),
    "nombre": _words(
        "Nombre completo",
        "Full name",
        "Nome completo",
        (
            "Solo si no hay columnas de nombres y apellidos.",
            "Only without columns for given names and surnames.",
            "Só se não houver colunas de nomes e sobrenomes.",
        ),
        "",
    ),
    "correo": _words("Correo", "E-mail", "E-mail", CORREO, ""),
    "cod_telefono": _words("Prefijo del teléfono", "Phone prefix", "Prefixo do telefone", PREFIX, ""),
    "telefono": _words("Teléfono", "Phone", "Telefone", PHONE, ""),
    "idioma": _words(
        "Idioma",
        "Language",
        "Idioma",
        ("De la invitación: es, en o pt.", "Of the invitation: es, en or pt.", "Do convite: es, en ou pt."),
        "es",
    ),
    "nombres": _words("Nombres", "Given names", "Nomes", None, "Ana Lucía"),
    "apellidos": _words("Apellidos", "Surnames", "Sobrenomes", None, "Pérez Rojas"),
    "documento_tipo": _words("Tipo de documento", "Kind of document", "Tipo de documento", None, "cédula"),
    "documento_numero": _words("Número de documento", "Document number", "Número do documento", None, "V-12.345.678"),
    "fecha_nacimiento": _words(
        "Fecha de nacimiento",
        "Date of birth",
        "Data de nascimento",
        (
            "Día, mes y año: 31/05/2012, o 2012-05-31.",
            "Day, month and year: 31/05/2012, or 2012-05-31.",
            "Dia, mês e ano: 31/05/2012, ou 2012-05-31.",
        ),
        "31/05/2012",
    ),
    "sexo": _words(
        "Sexo",
        "Sex",
        "Sexo",
        ("femenino o masculino.", "femenino or masculino.", "femenino ou masculino."),
        "femenino",
    ),
    "nacionalidad": _words("Nacionalidad", "Nationality", "Nacionalidade", None, ""),
    "grado": _words("Grado", "Grade", "Série", None, "3.er año"),
    "seccion": _words("Sección", "Class", "Turma", None, "B"),
    "matricula": _words("Matrícula", "Enrolment number", "Matrícula", None, ""),
    "turno": _words("Turno", "Shift", "Turno", None, ""),
    "transporte": _words("Transporte", "Transport", "Transporte", None, ""),
    "representante_nombre": _words(
        "Nombre del representante", "Name of the guardian", "Nome do responsável", None, "María Rojas"
    ),
    "representante_documento": _words(
        "Documento del representante", "Document of the guardian", "Documento do responsável", None, ""
    ),
    "representante_relacion": _words(
        "Relación del representante",
        "Relation of the guardian",
        "Relação do responsável",
        ("madre, padre, abuela…", "madre, padre, abuela…", "madre, padre, abuela…"),
        "madre",
    ),
    "representante_correo": _words(
        "Correo del representante", "E-mail of the guardian", "E-mail do responsável", CORREO, "maria@ejemplo.com"
    ),
    "representante_cod_telefono": _words(
        "Prefijo del teléfono del representante",
        "Phone prefix of the guardian",
        "Prefixo do telefone do responsável",
        PREFIX,
        "+58",
    ),
    "representante_telefono": _words(
        "Teléfono del representante", "Phone of the guardian", "Telefone do responsável", PHONE, "4125551111"
    ),
}
# The example's own name: a row that still has it is refused, so that nobody of that name is enrolled.
EXAMPLE_ID = WORDS["external_id"].example
