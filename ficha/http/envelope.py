"""The envelope of every JSON answer: `meta` beside `data` or `errors`."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, Generic, TypeVar

from pydantic import ConfigDict, Field, PlainSerializer, WithJsonSchema

from ficha.accounts.accounts import Idioma
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import TITLES, Problem
from ficha.core.settings import Settings
from ficha.http.languages import told_in

T = TypeVar("T")
M = TypeVar("M", bound=DeferredModel)

# Always written with a numeric offset, as the seed shows it.
Moment = Annotated[
    datetime,
    PlainSerializer(lambda moment: moment.isoformat(), return_type=str),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]


class Meta(DeferredModel):
    timestamp: Moment = Field(description="When the answer was made, ISO 8601 with an offset.")
    api_version: str = Field(examples=["v2.0.0"])
    status: int = Field(description="Equals the HTTP status.")
    copyright: str


class Page(DeferredModel):
    size: int
    next: str | None = Field(description="Pass it as `cursor` for the next page; null on the last one.")


class PagedMeta(Meta):
    page: Page


class Resource(DeferredModel, Generic[T]):
    type: str
    id: int | str
    attributes: T


class Answer(DeferredModel, Generic[T]):
    meta: Meta
    data: T


class Listing(DeferredModel, Generic[T]):
    meta: PagedMeta
    data: list[T]


def filled(model: type[M], source: object, **more: Any) -> M:
    """The model with what `more` says, and for its other fields what `source` has under the same name."""
    return model(**{name: getattr(source, name) for name in model.model_fields if name not in more}, **more)


# These are also used without a type in brackets.
for generic in (Resource, Answer, Listing):
    generic.model_rebuild(force=True)


class ErrorSource(DeferredModel):
    model_config = ConfigDict(extra="forbid")

    pointer: str | None = None
    parameter: str | None = None
    header: str | None = None


class ErrorEntry(DeferredModel):
    status: int
    code: str
    title: str
    detail: str
    source: ErrorSource | None = None


class ErrorBody(DeferredModel):
    meta: Meta
    errors: list[ErrorEntry]


@dataclass(frozen=True)
class Reply:
    """Makes answers: puts data into the envelope, with the time, the version and the operation's status."""

    settings: Settings
    now: datetime
    status: int = 200

    def __call__(self, data: T) -> Answer[T]:
        return Answer(meta=Meta(**self._meta()), data=data)

    def listing(self, data: Iterable[T], size: int, following: str | None) -> Listing[T]:
        return Listing(meta=PagedMeta(**self._meta(), page=Page(size=size, next=following)), data=list(data))

    def errors(self, problems: list[Problem], language: Idioma = Idioma.ES) -> dict[str, Any]:
        """Plain values: an error must be answerable even when everything else fails."""
        meta = self._meta()
        return {
            "meta": meta | {"timestamp": meta["timestamp"].isoformat()},
            "errors": [_entry(self.status, problem, language) for problem in problems],
        }

    def _meta(self) -> dict[str, Any]:
        return {
            "timestamp": self.now,
            "api_version": self.settings.api_version,
            "status": self.status,
            "copyright": self.settings.copyright,
        }


def _entry(status: int, problem: Problem, language: Idioma) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "status": status,
        "code": problem.code,
        "title": TITLES.get(status, "Error"),
        "detail": told_in(language, problem.detail),
    }
    if problem.source is not None:
        entry["source"] = {problem.source.kind: problem.source.name}
    return entry
