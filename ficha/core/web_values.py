"""Types of what pages show and link to: addresses, colours, icons and names for addresses. Text stays text."""

import re
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from ficha.core.text_types import TextLimits

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
