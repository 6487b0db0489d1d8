"""Values of a request that a function asks for: from its path, query, headers or JSON body, checked by their types."""

from collections import Counter
from collections.abc import Callable, Collection, Mapping
from copy import deepcopy
from inspect import Parameter
from types import UnionType
from typing import Annotated, Any, Union, get_args, get_origin

from pydantic import BaseModel, TypeAdapter, ValidationError
from starlette.requests import Request

from ficha.asgi.bodies import ReadRequest
from ficha.asgi.faults import MOST_PROBLEMS, REPEATED_PARAMETER, UNKNOWN_PARAMETER
from ficha.core.errors import InvalidFields, Problem, Source

Fault = Mapping[str, Any]
# Where in the request it stands: the path, query or headers and a name, or the body.
Location = tuple[str, ...]
# Gives the value, or INVALID after adding to the faults.
ReadValue = Callable[[ReadRequest, list[Fault]], Any]

INVALID: Any = object()


def path_value(name: str, hint: Any) -> ReadValue:
    check = _checked(hint, ("path", name))
    return lambda request, faults: check(request.path_params[name], faults)


def query_value(name: str, hint: Any, default: Any) -> ReadValue:
    return _optional(("query", name), hint, default, lambda request: request.query_params.get(name))


def header_value(name: str, hint: Any, default: Any) -> ReadValue:
    return _optional(("header", name), hint, default, lambda request: request.headers.get(name))


def body_value(hint: Any, default: Any) -> ReadValue:
    """`null` counts as no body."""
    return _optional(("body",), hint, default, lambda request: request.content)


def check_parameters(request: Request, known: Collection[str]) -> None:
    """Raises InvalidFields for query parameters that are not known, and for those that came twice: of two a proxy
    might read one and we the other. Only those whose names end with `[]` may have several values."""
    if not request.scope["query_string"]:
        return
    names = Counter(name for name, _ in request.query_params.multi_items())
    wrong = [(UNKNOWN_PARAMETER, name) for name in sorted(names) if name not in known]
    wrong += [(REPEATED_PARAMETER, name) for name in sorted(known) if names[name] > 1 and not name.endswith("[]")]
    if wrong:
        raise InvalidFields([Problem(*fault, Source("parameter", name[:200])) for fault, name in wrong[:MOST_PROBLEMS]])


def takes_body(hint: Any) -> bool:
    """Whether a parameter without a mark is the body: a model, or a model that may be absent."""
    origin = get_origin(hint)
    if origin is Annotated or origin in (Union, UnionType):
        return any(takes_body(inner) for inner in get_args(hint))
    return isinstance(hint, type) and issubclass(hint, BaseModel)


def _optional(location: Location, hint: Any, default: Any, find: Callable[[ReadRequest], Any]) -> ReadValue:
    """For what may be absent: the default then, or a fault if there is none."""
    check = _checked(hint, location)

    def read(request: ReadRequest, faults: list[Fault]) -> Any:
        given = find(request)
        if given is not None:
            return check(given, faults)
        if default is not Parameter.empty:
            return deepcopy(default)
        faults.append({"type": "missing", "loc": location})
        return INVALID

    return read


def _checked(hint: Any, location: Location) -> Callable[[Any, list[Fault]], Any]:
    validate = TypeAdapter(hint).validate_python

    def check(given: Any, faults: list[Fault]) -> Any:
        try:
            # As FastAPI does it: something else in place of an object gets the same sentence.
            return validate(given, from_attributes=True)
        except ValidationError as refusal:
            found = refusal.errors(include_url=False, include_input=False)
            faults.extend({**fault, "loc": (*location, *fault["loc"])} for fault in found)
            return INVALID

    return check
