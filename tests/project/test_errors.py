"""The error classes: each has a code of its own and answers in our shape."""

from typing import get_type_hints

from fastapi.routing import APIRoute

from ficha.core.errors import TITLES, FichaError, Problem
from ficha.describe import all_errors
from tests.world import World


def test_every_error_has_a_code_of_its_own_and_a_sentence() -> None:
    errors = all_errors()
    codes = [error.code for error in errors]
    assert len(codes) == len(set(codes))
    for error in errors:
        assert error.status in TITLES, error
        assert error.code.isascii() and error.code == error.code.lower() and " " not in error.code
        assert error.message.endswith(".") and "!" not in error.message


def test_every_error_answers_in_our_shape(world: World) -> None:
    """Each class is raised inside a real operation, and its answer looked at."""
    for number, error in enumerate(all_errors()):

        def fail(kind: type[FichaError] = error) -> None:
            raise _sample(kind)

        path = f"/v2/falla/{number}"
        world.app.router.routes.append(APIRoute(path, fail, methods=["GET"]))
        answer = world.client.get(path)
        content = answer.json()
        assert answer.status_code == content["meta"]["status"] == error.status, error
        assert set(content) == {"meta", "errors"}
        for entry in content["errors"]:
            assert set(entry) - {"source"} == {"status", "code", "title", "detail"}
            assert entry["title"] == TITLES[error.status]


def _sample(kind: type[FichaError]) -> FichaError:
    """Some carry what went wrong: a list of problems, a number of seconds, a name."""
    samples = {str: "x", int: 1, list[Problem]: [Problem("falta", "Falta.")]}
    if "__init__" not in vars(kind):
        return kind()
    carried = {name: type_ for name, type_ in get_type_hints(kind.__init__).items() if name != "return"}
    return kind(*(samples[type_] for type_ in carried.values()))
