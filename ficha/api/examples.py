"""The envelope around the examples in OpenAPI."""

from typing import Any


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
