"""What a function asks for by the types of its parameters, worked out once: a plan that every request then follows.

The words are FastAPI's own, `Depends`, `Path`, `Query`, `Header` and `Body`: they also describe it in OpenAPI.
"""

import inspect
from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints

from fastapi import params
from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.bodies import ReadRequest
from ficha.asgi.faults import fields_error
from ficha.asgi.parameters import (
    INVALID,
    Fault,
    ReadValue,
    body_value,
    header_value,
    path_value,
    query_value,
    takes_body,
)

Function = Callable[..., Any]
F = TypeVar("F", bound=Function)
Mark = params.Param | params.Body
_first_functions: set[Function] = set()


def runs_first(function: F) -> F:
    """For what limits callers or says what they are: it runs before the body of a change is parsed and before its
    Idempotency-Key is claimed or an answer given again, so it may ask neither for the body nor for the transaction."""
    _first_functions.add(function)
    return function


class Asking:
    """One request, and what was worked out for it so far."""

    __slots__ = ("faults", "request", "response", "results")

    def __init__(self, request: ReadRequest, response: Response) -> None:
        self.request = request
        # The headers and the status that the function sets here go into its answer.
        self.response = response
        self.faults: list[Fault] = []
        # Of the functions that it depends on, by their indexes in the plan.
        self.results = request.results


class Argument(NamedTuple):
    name: str
    read: Callable[[Asking], Any]
    # Faults are told in this order: path, query, headers, body.
    rank: int = 0
    # Where the function stands whose result it is.
    step: int | None = None


class PlanStep(NamedTuple):
    """A function, and where each of its arguments comes from."""

    function: Function
    arguments: Sequence[Argument]

    def values(self, asking: Asking) -> dict[str, Any] | None:
        """None if one of them is invalid: the function is not called then."""
        values = {argument.name: argument.read(asking) for argument in self.arguments}
        return None if INVALID in values.values() else values


class Plan:
    """`dependencies` run before those that the function itself asks for. A function that several ask for runs once."""

    def __init__(self, function: Function, path_names: Collection[str], dependencies: Sequence[params.Depends]) -> None:
        self._path_names = path_names
        self._steps: list[PlanStep] = []
        self._places: dict[Function, int] = {}
        self.query_names: set[str] = set()
        self.takes_json = False
        self.takes_response = False
        for dependency in dependencies:
            self._index_of(dependency)
        self._last = self._step(function)
        self._first = self._needed_for(_first_functions)

    def run_first(self, asking: Asking) -> None:
        """Runs the functions that are marked so, and what they ask for. Raises whatever they raise."""
        self._run(asking, self._first)

    def arguments(self, asking: Asking) -> dict[str, Any]:
        """The function's arguments. Raises InvalidFields with all that is wrong with the request, or whatever a
        function raises that it depends on. What has run is not run again."""
        self._run(asking, range(len(self._steps)))
        values = self._last.values(asking)
        if values is None or asking.faults:
            raise fields_error(asking.faults)
        return values

    def _run(self, asking: Asking, indexes: Iterable[int]) -> None:
        results = asking.results
        for index in indexes:
            if index not in results:
                step = self._steps[index]
                values = step.values(asking)
                results[index] = INVALID if values is None else step.function(**values)

    def _needed_for(self, functions: Collection[Function]) -> list[int]:
        """The indexes of these functions, and of all that they depend on."""
        needed: set[int] = set()
        for index in reversed(range(len(self._steps))):
            if index in needed or self._steps[index].function in functions:
                needed.add(index)
                needed.update(one.step for one in self._steps[index].arguments if one.step is not None)
        return sorted(needed)

    def _step(self, function: Function) -> PlanStep:
        hints = get_type_hints(function, include_extras=True)
        arguments = [
            self._argument(name, hints[name], parameter.default)
            for name, parameter in inspect.signature(function).parameters.items()
        ]
        return PlanStep(function, tuple(sorted(arguments, key=lambda argument: argument.rank)))

    def _argument(self, name: str, hint: Any, default: Any) -> Argument:
        kind, marks = (get_args(hint)[0], get_args(hint)[1:]) if get_origin(hint) is Annotated else (hint, ())
        if isinstance(kind, type) and issubclass(kind, Request):
            return Argument(name, lambda asking: asking.request)
        if isinstance(kind, type) and issubclass(kind, Response):
            self.takes_response = True
            return Argument(name, lambda asking: asking.response)
        mark = next((mark for mark in marks if isinstance(mark, params.Depends | Mark)), None)
        if isinstance(mark, params.Depends):
            index = self._index_of(mark)
            return Argument(name, lambda asking: asking.results[index], step=index)
        rank, value = self._value(name, hint, default, mark)
        return Argument(name, lambda asking: value(asking.request, asking.faults), rank)

    def _value(self, name: str, hint: Any, default: Any, mark: Mark | None) -> tuple[int, ReadValue]:
        alias = (mark.alias if mark is not None else None) or name
        if isinstance(mark, params.Path) or alias in self._path_names:
            return 1, path_value(alias, hint)
        if isinstance(mark, params.Header):
            spelled = alias.replace("_", "-") if mark.convert_underscores and mark.alias is None else alias
            return 3, header_value(spelled, hint, default)
        if isinstance(mark, params.Body) or (mark is None and takes_body(hint)):
            self.takes_json = True
            return 4, body_value(hint, default)
        self.query_names.add(alias)
        return 2, query_value(alias, hint, default)

    def _index_of(self, dependency: params.Depends) -> int:
        """Where its result stands."""
        function = dependency.dependency
        if function is None or inspect.iscoroutinefunction(function):
            raise TypeError(f"{function} is no plain function, and runs in no thread")
        if function not in self._places:
            step = self._step(function)  # What it depends on gets its index first.
            self._places[function] = len(self._steps)
            self._steps.append(step)
        return self._places[function]
