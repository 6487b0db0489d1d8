"""What the examples in OpenAPI share: the demo's names, so that each works there as it stands, and the envelope.

Ids are 1: read from its beginning, the reference first makes what it then asks for.
"""

from typing import Any

DEMO_CORREO = "ana@demo.example"
DEMO_CLAVE = "demo-demo-demo"
# The sticker of that account, a second one to be retired, and one that is printed and nobody's.
DEMO_CODE = "K7M2QX"
DEMO_SECOND = "R5T8W3"
DEMO_PRINTED = "P4N8V2"
# Printed too: for a further record, which is erased again.
DEMO_CHILD = "C6J4T7"
# Printed too, to be voided.
DEMO_SPARE = "H3X6Z9"
DEMO_INSTITUTION = "colegio-san-luis"


def answer_example(data: Any, status: int = 200) -> dict[str, Any]:
    return {"meta": meta_example(status), "data": data}


def listing_example(data: list[Any], size: int = 50) -> dict[str, Any]:
    """The last page of a list."""
    return {"meta": meta_example() | {"page": {"size": size, "next": None}}, "data": data}


def meta_example(status: int = 200) -> dict[str, Any]:
    return {
        "timestamp": "2026-11-15T12:00:00+00:00",
        "api_version": "v2.0.0",
        "status": status,
        "copyright": "© Ficha",
    }
