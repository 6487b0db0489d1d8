"""What a function asks for, and what it gets: the same as FastAPI, which describes it, would give."""

from collections.abc import Callable
from datetime import datetime
from enum import StrEnum
from typing import Annotated, Any

import pytest
from fastapi import Body, Depends, FastAPI, Header, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from hypothesis import given
from hypothesis import strategies as st
from pydantic import AwareDatetime, BaseModel, ConfigDict
from starlette.responses import JSONResponse
from starlette.testclient import TestClient

from ficha.asgi import served
from ficha.asgi.application import Application
from ficha.asgi.faults import fields_error
from ficha.asgi.plan import Plan
from ficha.asgi.routes import Routes
from ficha.core.errors import FichaError


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


class Thing(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    size: int = 1


def page(size: Annotated[int, Query(alias="page-size", ge=1, le=9)] = 3, cursor: str | None = None) -> str:
    return f"{size} {cursor}"


def language(request: Request, x_language: Annotated[str, Header(max_length=5)] = "es") -> str:
    return f"{x_language} {request.method}"


def heading(page: Annotated[str, Depends(page)], language: Annotated[str, Depends(language)]) -> str:
    return f"{page} | {language}"


def everything(
    number: Annotated[int, Path(ge=1)],
    heading: Annotated[str, Depends(heading)],
    language: Annotated[str, Depends(language)],
    body: Thing,
    response: Response,
    colour: Annotated[Colour, Query()] = Colour.RED,
    since: Annotated[AwareDatetime | None, Query()] = None,
    if_match: Annotated[str | None, Header(alias="If-Match")] = None,
    odd: Annotated[str, Header(alias="file_offset", convert_underscores=False, pattern="^[0-9]+$")] = "0",
) -> dict[str, Any]:
    response.headers["ETag"] = "thing-1"
    moment: datetime | None = since
    return {
        "number": number,
        "heading": heading,
        "language": language,
        "body": body.model_dump(),
        "colour": colour,
        "since": moment and moment.isoformat(),
        "if_match": if_match,
        "odd": odd,
    }


def maybe(body: Thing | None = None, rest: Annotated[str, Query()] = "none") -> dict[str, Any]:
    return {"body": body and body.model_dump(), "rest": rest}


def any_json(body: Annotated[dict[str, Any] | list[Any], Body()]) -> Any:
    return body


def refusing(request: Request, error: FichaError) -> Response:
    """FastAPI tells a fault of a dependency as often as the dependency is asked for; once is enough."""
    told = dict.fromkeys((problem.code, str(problem.source)) for problem in error.problems)
    return JSONResponse(list(told), error.status)


def by_fastapi() -> TestClient:
    app = FastAPI()

    def refuse(request: Request, error: Exception) -> Response:
        assert isinstance(error, RequestValidationError)
        return refusing(request, fields_error(error.errors()))

    app.add_exception_handler(RequestValidationError, refuse)
    for path, function in FUNCTIONS.items():
        app.post(path)(function)
    return TestClient(app)


def by_us() -> TestClient:
    routes = Routes()
    for path, function in FUNCTIONS.items():
        routes.post(path)(function)
    return TestClient(Application(refusing, checks_answers=True, routes=routes.under()))


FUNCTIONS: dict[str, Callable[..., Any]] = {"/all/{number}": everything, "/maybe": maybe, "/any": any_json}
THEIRS, OURS = by_fastapi(), by_us()

numbers = st.sampled_from(["1", "7", "0", "-1", "x", "1.5", "99999999999999999999"])
queries = st.fixed_dictionaries(
    {},
    optional={
        "page-size": st.sampled_from(["1", "9", "10", "x", ""]),
        "cursor": st.sampled_from(["", "abc"]),
        "colour": st.sampled_from(["red", "green", ""]),
        "since": st.sampled_from(["2026-11-15T12:00:00+00:00", "2026-11-15T12:00:00", "soon"]),
        "rest": st.sampled_from(["", "x"]),
    },
)
headers = st.fixed_dictionaries(
    {},
    optional={
        "X-Language": st.sampled_from(["pt", "toolong"]),
        "If-Match": st.just('"a-1"'),
        "file_offset": st.sampled_from(["12", "x"]),
    },
)
bodies = st.sampled_from(
    [
        None,
        {"name": "a"},
        {"name": "a", "size": 2},
        {"name": 1},
        {"name": "a", "size": "2"},
        {"name": "a", "more": 1},
        {},
        [],
        [1],
        "text",
        7,
    ]
)


@pytest.mark.slow
@given(path=st.sampled_from(sorted(FUNCTIONS)), number=numbers, query=queries, header=headers, body=bodies)
def test_a_plan_gives_what_fastapi_gives(
    path: str, number: str, query: dict[str, str], header: dict[str, str], body: Any
) -> None:
    told = [
        client.post(path.format(number=number), params=query, headers=header, json=body) for client in (THEIRS, OURS)
    ]
    theirs, ours = ((answer.status_code, answer.json(), answer.headers.get("etag")) for answer in told)
    assert ours == theirs


def test_what_a_plan_knows_beforehand() -> None:
    plan = Plan(everything, {"number"}, [])
    assert plan.query_names == {"page-size", "cursor", "colour", "since"}
    assert plan.takes_json and plan.takes_response
    assert not Plan(page, (), []).takes_json
    with_own = Plan(lambda: None, (), [Depends(page)])
    assert with_own.query_names == {"page-size", "cursor"}


def test_a_function_that_several_ask_for_runs_once() -> None:
    runs = []

    def counted() -> int:
        runs.append(1)
        return len(runs)

    def inner(counted: Annotated[int, Depends(counted)]) -> int:
        return counted

    def outer(counted: Annotated[int, Depends(counted)], inner: Annotated[int, Depends(inner)]) -> list[int]:
        return [counted, inner]

    routes = Routes()
    routes.get("/")(outer)
    app = Application(refusing, checks_answers=True, routes=routes.under())
    assert TestClient(app).get("/").json() == [1, 1] and runs == [1]


def test_a_dependency_that_is_no_plain_function_is_refused() -> None:
    async def late() -> None: ...

    with pytest.raises(TypeError):
        Plan(lambda: None, (), [Depends(late)])


def test_in_tests_an_answer_that_breaks_its_promise_is_an_error() -> None:
    def breaks() -> Thing:
        return {"name": 7}  # type: ignore[return-value]

    for promise_is_checked in (True, False):
        routes = Routes()
        routes.get("/")(breaks)
        client = TestClient(Application(refusing, checks_answers=promise_is_checked, routes=routes.under()))
        if promise_is_checked:
            with pytest.raises(ValueError, match="name"):
                client.get("/")
        else:
            assert client.get("/").json() == {"name": 7}


def test_headers_set_by_one_request_are_not_in_the_answer_to_another() -> None:
    assert served.NO_RESPONSE.raw_headers == Response().raw_headers
