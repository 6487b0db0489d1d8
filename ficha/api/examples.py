"""What the examples in OpenAPI share: the demo's names, so that each works there as it stands, and the envelope.

No example waits for another: what one asks for the demo has from the beginning (`demo/examples.py`).
"""

from datetime import datetime
from typing import Any, get_origin

from pydantic import BaseModel

from ficha.core.errors import GOOD_TITLES

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
DEMO_STAFF = "soporte@demo.example"
# Somebody who has what an example asks for: a photo, codes that were sent to her, and these records.
DEMO_NURSE = "enfermeria@demo.example"
# With a carnet, an emergency, a delegate and an institution that sees it; to be erased; handed over to somebody who
# accepted it; handed over to her, by somebody whose delegate waits.
DEMO_READY, DEMO_ERASED, DEMO_GIVEN, DEMO_TAKEN = "V8K3M6", "N4Q7T2", "M3V7H5", "X5R9P3"
# A second sticker of that first record, to be reported lost, and the code that the institution gave it.
DEMO_LOST, DEMO_MEMBER = "T7H4C9", "W4T9KX"
DEMO_SERIAL = "K7M2QXR5T8W3"
DEMO_DIGITS = "402917"
# The end of a link that was sent to somebody, one for each thing that it does.
DEMO_NEW_CLAVE, DEMO_CLAIMED = "demo-clave-nueva", "demo-etiqueta"
DEMO_INVITED, DEMO_INVITED_NUMBER, DEMO_ENROLLED = "demo-invitacion", "demo-invitacion-por-numero", "demo-institucion"
# Of links to the first of those records: one with a list of files, and a direct one.
DEMO_SHARED, DEMO_DIRECT = "Y9xwkUdtmN9wwoJoN3ffJIhX2UGvCL1JnlPVNL3kDWM", "I91rhba3VsuGXGchcnr6VHlQFKxfE28kuZ0ssbEuxno"
NOW_EXAMPLE = "2026-11-15T12:00:00+00:00"


def resource_example(type_: str, id_: int | str, attributes: type[BaseModel], **told: Any) -> dict[str, Any]:
    return {"type": type_, "id": id_, "attributes": attributes_example(attributes, **told)}


def attributes_example(model: type[BaseModel], **told: Any) -> dict[str, Any]:
    """Of what is not told, a moment is now, a list is empty, a flag is false, and anything else null."""
    return {
        field.serialization_alias or name: told[name] if name in told else _usual(field.annotation)
        for name, field in model.model_fields.items()
    }


def _usual(annotation: Any) -> Any:
    if get_origin(annotation) is list:
        return []
    return {datetime: NOW_EXAMPLE, bool: False}.get(annotation)


def answer_example(data: Any, status: int = 200) -> dict[str, Any]:
    return {"meta": meta_example(status), "data": data}


def created_example(data: Any, status: int = 201) -> dict[int | str, dict[str, Any]]:
    """For the `responses` of an operation that answers 201 if it made something and 200 otherwise: the one of the two
    that is not its usual status."""
    content = {"application/json": {"example": answer_example(data, status)}}
    return {status: {"description": GOOD_TITLES[status], "content": content}}


def file_answer(file_type: str, example: str = "%PDF-1.7 …", json: Any = None) -> dict[int | str, dict[str, Any]]:
    """For the `responses` of an operation that answers with a file, or with JSON where the caller asks for that."""
    content: dict[str, Any] = {} if json is None else {"application/json": {"example": answer_example(json)}}
    content[file_type] = {"schema": {"type": "string", "format": "binary"}, "example": example}
    return {200: {"description": GOOD_TITLES[200], "content": content}}


def listing_example(data: list[Any], size: int = 50) -> dict[str, Any]:
    """The last page of a list."""
    return {"meta": meta_example() | {"page": {"size": size, "next": None}}, "data": data}


def meta_example(status: int = 200) -> dict[str, Any]:
    return {"timestamp": NOW_EXAMPLE, "api_version": "v2.0.0", "status": status, "copyright": "© Ficha"}
