"""The base class of all errors that a caller is told: a status, a stable code and a sentence to act on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

# What OpenAPI calls good answers, in the words of the first version of the API.
GOOD_TITLES: Mapping[int, str] = {200: "Success", 201: "Created", 202: "Accepted", 204: "No Content"}

# The titles of the first version of the API, and ours for statuses that it did not use.
TITLES: Mapping[int, str] = {
    400: "Bad Request",
    401: "Unauthenticated",
    403: "Forbidden",
    404: "Record Not Found",
    405: "Method Not Allowed",
    406: "Not Acceptable",
    408: "Request Timeout",
    409: "Conflict",
    410: "Gone",
    412: "Precondition Failed",
    413: "Payload Too Large",
    415: "Unsupported Media Type",
    416: "Range Not Satisfiable",
    419: "CSRF Token Mismatch",
    422: "Parameter Error",
    429: "Too Many Requests",
    500: "Internal Error",
    502: "Platform Error",
    503: "Not Ready",
    504: "Platform Timeout",
}


@dataclass(frozen=True)
class Source:
    """The part of the request that is wrong."""

    kind: Literal["pointer", "parameter", "header"]
    name: str


class Sentence(str):
    """A Spanish sentence with values in it. `template` and `values` are what makes the same of it in another language
    (http/languages.py). Where Spanish can say more than others, `spanish` stands in the template's place."""

    __slots__ = ("template", "values")
    template: str
    values: Mapping[str, object]

    def __new__(cls, template: str, *, spanish: str | None = None, **values: object) -> "Sentence":
        made = super().__new__(cls, template.format(**values) if spanish is None else spanish)
        made.template, made.values = template, values
        return made


@dataclass(frozen=True)
class Problem:
    """One entry of the `errors` list. `detail` is Spanish; answers tell it in the caller's language."""

    code: str
    detail: str
    source: Source | None = None


class FichaError(Exception):
    """Raised by the rule that was broken; one handler turns it into JSON, another into a page."""

    status: ClassVar[int]
    code: ClassVar[str]
    message: ClassVar[str]
    source: ClassVar[Source | None] = None
    # Whether the transaction is committed all the same, to remember the refusal (a wrong try was counted).
    keeps_changes: ClassVar[bool] = False
    # Whether something outside may have been done all the same, so that a repetition must not do it again unasked.
    may_have_acted: ClassVar[bool] = False

    headers: Mapping[str, str] = {}

    @property
    def problems(self) -> list[Problem]:
        return [Problem(self.code, self.message, self.source)]


class InvalidFields(FichaError):
    """Several wrong fields, with one problem each."""

    status = 422
    code = "parametro_invalido"
    message = "Revise los campos indicados."

    def __init__(self, problems: list[Problem]) -> None:
        super().__init__(self.message)
        self._problems = problems

    @property
    def problems(self) -> list[Problem]:
        return self._problems


class NotFound(FichaError):
    status = 404
    code = "no_encontrado"
    message = "No hay nada en esa dirección, o usted no puede verlo."
