"""Which models a request names: in its path, in `names`, or all of them."""

from functools import lru_cache
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.types import Scope

from ficha.core.errors import InvalidFields, Problem, Source
from ficha.fastlane.paths import Read, ReadTarget
from ficha.fmd.catalog import CATALOG
from ficha.http.parameters import check_parameters

ORDER = tuple(model.about.wire for model in CATALOG)


def names_of(scope: Scope, target: ReadTarget) -> tuple[str, ...]:
    query: bytes = scope["query_string"]
    if target.read is Read.MODELS:
        return _named(query) if query else ORDER
    if query:
        check_parameters(Request(scope), set())
    return target.models


# Programs ask in the same words again and again.
@lru_cache(maxsize=256)
def _named(query: bytes) -> tuple[str, ...]:
    check_parameters(Request({"type": "http", "query_string": query}), {"names"})
    given = dict(parse_qsl(query.decode("latin-1"), keep_blank_values=True)).get("names")
    if given is None:
        return ORDER
    names = tuple(dict.fromkeys(name.strip() for name in given.split(",")))
    if not CATALOG.names.issuperset(names):
        detail = f"Debe ser uno de: {', '.join(ORDER)}."
        raise InvalidFields([Problem("valor_desconocido", detail, Source("parameter", "names"))])
    return names
