"""What is wrong with a request is told in our words, and briefly."""

from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, Field, ValidationError
from pydantic_core import PydanticCustomError

from ficha.asgi.faults import MOST_PROBLEMS, fields_error


class Colour(StrEnum):
    RED = "red"
    BLUE = "blue"


def even(value: int) -> int:
    if value % 2:
        raise PydanticCustomError("impar", "Debe ser par.")
    return value


class Thing(BaseModel):
    colour: Colour = Colour.RED
    size: Annotated[int, Field(le=9), AfterValidator(even)] = 2
    names: dict[str, int] = {}


def told(where: str, **values: Any) -> list[tuple[str, str, str]]:
    """Code, sentence and place of each problem."""
    try:
        Thing(**values)
    except ValidationError as refused:
        faults = [{**fault, "loc": (where, *fault["loc"])} for fault in refused.errors()]
        return [(one.code, str(one.detail), one.source.name) for one in fields_error(faults).problems if one.source]
    return []


def test_each_fault_has_our_code_our_sentence_and_its_place() -> None:
    assert told("body", colour="green", size=11) == [
        ("valor_desconocido", "Debe ser uno de: red, blue.", "/colour"),
        ("fuera_de_rango", "Debe ser 9 o menos.", "/size"),
    ]
    assert told("query", size="x") == [("tipo_invalido", "Debe ser un número entero.", "size")]


def test_a_type_of_ours_says_its_own_sentence() -> None:
    assert told("body", size=3) == [("impar", "Debe ser par.", "/size")]


def test_a_name_that_a_caller_invented_is_escaped_and_cut() -> None:
    [(_, _, where)] = told("body", names={"a/b~" + "c" * 500: "x"})
    assert where.startswith("/names/a~1b~0c") and len(where) < 220


def test_no_request_makes_a_long_list() -> None:
    assert len(told("body", names={str(number): "x" for number in range(500)})) == MOST_PROBLEMS
