"""Types of text fields: names, labels, correo, clave, addresses of pages, colours and icons, each with its limits. And
words escaped for HTML."""

import re
import unicodedata
from dataclasses import dataclass
from html import escape
from typing import Annotated, Any
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, GetCoreSchemaHandler, StringConstraints
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

# They come with pasted text, and nobody sees them. U+2028 and U+2029 end a line for Python's mail library, and none for
# most forms. The others turn the direction of letters: what follows would be read in another order than it was written.
LINE_BREAKS = "\u2028\u2029"
UNSEEN = re.compile("[\u2028-\u202e\u2066-\u2069]")
# Unicode's categories Cc and Cs, but for line feed and tab: one search instead of a look at each letter.
CONTROL_CHARACTERS = re.compile("[\0-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
# How most people's addresses look: nothing in them has another way to be written, and none is longer than each of an
# address's parts may be.
PLAIN_CORREO = re.compile(
    r"[a-z0-9]+([._+-][a-z0-9]+)*@([a-z0-9]+(-[a-z0-9]+)*\.)+(?!(arpa|invalid|local|localhost|onion|test)\Z)[a-z]{2,}"
)
PLAIN_LENGTH = 63
LONGEST_CORREO = 254
NEEDS_ESCAPE = re.compile("[&<>\"']").search


@dataclass(frozen=True)
class TextLimits:
    """Of a text that is kept in NFC, where some letters of Hebrew or Hindi are two: as typed, because NFC of a very
    long text takes very long, and as kept, because what is kept is checked again with the next change."""

    max_length: int
    min_length: int | None = 1
    pattern: str | None = None
    strip_whitespace: bool = True

    def __get_pydantic_core_schema__(self, _source: Any, _handler: GetCoreSchemaHandler) -> CoreSchema:
        limits = core_schema.str_schema(
            min_length=self.min_length,
            max_length=self.max_length,
            pattern=self.pattern,
            strip_whitespace=self.strip_whitespace,
        )
        return core_schema.chain_schema([core_schema.no_info_after_validator_function(normalized, limits), limits])


def normalized(value: str) -> str:
    """In NFC, with one kind of line break, and without signs that turn the direction of letters. Refuses control
    characters, such as a null byte, except line breaks and tabs."""
    return normalized_as_typed(UNSEEN.sub(lambda found: "\n" if found[0] in LINE_BREAKS else "", value))


def normalized_as_typed(value: str) -> str:
    if CONTROL_CHARACTERS.search(value):
        raise PydanticCustomError("caracteres_invalidos", "El texto lleva caracteres de control.")
    return unicodedata.normalize("NFC", value)


def one_line(value: str) -> str:
    """For what was stored before it was checked: in one line, every run of blanks as one space. Neither the header of a
    mail nor a variable of a template takes more."""
    return " ".join(value.split())


def safe(words: str) -> str:
    """For HTML that is built from strings, between tags and in attributes; templates escape by themselves. Most words
    need nothing: one look is quicker than five replacements."""
    return escape(words, quote=False).replace('"', "&#34;").replace("'", "&#39;") if NEEDS_ESCAPE(words) else words


def single_line(value: str) -> str:
    if "\n" in value or "\t" in value:
        raise PydanticCustomError("una_linea", "El texto debe ir en una sola línea.")
    return value


def correo_key(correo: str) -> str:
    """The form under which a correo is unique: Ana@X.com and ana@x.com are one person, with blanks around it too. A
    null byte, which PostgreSQL cannot even be asked about, is in nobody's."""
    return unicodedata.normalize("NFKC", correo.strip().replace("\0", "\ufffd")).casefold()


def valid_correo(value: str) -> str:
    """Refuses what cannot be an address, and puts the domain into lower case. Only a code proves that it exists.

    A twentieth of a change of a record would be the library's work, which most addresses do not need."""
    if len(value) <= PLAIN_LENGTH and PLAIN_CORREO.fullmatch(value):
        return value
    from email_validator import EmailNotValidError, validate_email  # noqa: PLC0415  Imports a DNS library.

    try:
        address = validate_email(value, check_deliverability=False).normalized
    except EmailNotValidError:
        address = ""
    # Of some signs the key has eighteen.
    if not address or len(correo_key(address)) > LONGEST_CORREO:
        raise PydanticCustomError("correo_invalido", "No parece un correo. Ejemplo: ana@ejemplo.com")
    return address


Nombre = Annotated[str, TextLimits(120), AfterValidator(single_line)]
Etiqueta = Annotated[str, TextLimits(60), AfterValidator(single_line)]
Correo = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=3, max_length=LONGEST_CORREO),
    AfterValidator(valid_correo),
    Field(json_schema_extra={"format": "email"}),
]
# A clave is taken as typed, without trimming. In NFC, because keyboards write the same letter in two ways.
Clave = Annotated[str, StringConstraints(min_length=10, max_length=128), AfterValidator(normalized_as_typed)]


# Letters that a browser drops or reads as another: `java\nscript:`, `https:\\host`.
NOT_IN_URLS = re.compile(r"[\x00-\x20\x7f-\xa0\u2028\u2029\ufeff\\<>\"^`{|}]")


def web_url(value: str) -> str:
    """Refuses all but whole http and https addresses of a host, without a name and a clave before it."""
    try:
        parts = urlsplit(value)
        is_good = parts.scheme in ("http", "https") and bool(parts.hostname) and "@" not in parts.netloc
        is_good = is_good and (parts.port is None or parts.port > 0)
    except ValueError:
        is_good = False
    if not is_good or NOT_IN_URLS.search(value) or not value.lower().startswith(("http://", "https://")):
        raise PydanticCustomError("enlace_invalido", "Escriba una dirección completa, como https://ejemplo.com/ayuda.")
    return value


def own_path(value: str) -> str:
    """Refuses what a browser would take for another host: `//host` and `/\\host`."""
    if not value.startswith("/") or value.startswith("//") or NOT_IN_URLS.search(value) or ".." in value.split("/"):
        raise PydanticCustomError("ruta_invalida", "Escriba una ruta de este sitio, como /ambulancias.")
    return value


WebUrl = Annotated[
    str,
    StringConstraints(strip_whitespace=True, min_length=1, max_length=2048),
    AfterValidator(web_url),
    Field(json_schema_extra={"format": "uri"}),
]
OwnPath = Annotated[str, StringConstraints(min_length=1, max_length=200), AfterValidator(own_path)]
Color = Annotated[str, StringConstraints(pattern=r"^#[0-9A-Fa-f]{6}$", to_lower=True)]
# The name of an icon or a template, never its content.
Keyword = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")]
# In an address: begins with a letter, so that it is no number.
Slug = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]{1,59}$")]
Paragraph = Annotated[str, TextLimits(2000)]
