"""The error classes: each has a code of its own and answers in our shape."""

import ast
import re
from collections.abc import Collection
from pathlib import Path
from typing import get_type_hints

import pytest

from ficha.asgi.faults import FAULT_SENTENCES, OTHER_FAULT, REPEATED_PARAMETER, UNKNOWN_PARAMETER
from ficha.asgi.routes import RouteGroup, Routes
from ficha.core.errors import TITLES, FichaError, Problem
from ficha.describe import all_errors
from ficha.fmd.faults import field_fault
from ficha.http.errors import OWN_FAULT_TYPES
from ficha.http.languages import error_sentences
from ficha.products.codes import EndedScan, TagEnd
from tests.source_code import nodes_with
from tests.world import World

ROOT = Path(__file__).parents[2]
PARAMETER_FAULTS = (OTHER_FAULT, UNKNOWN_PARAMETER, REPEATED_PARAMETER)
# Where a code stands in what makes a problem of a field.
MAKERS = {"Problem": 0, "PydanticCustomError": 0, "field_fault": 0, "fault_at": 1, "_fault": 1}
PLACEHOLDERS = re.compile(r"\{(\w*)\}")
# Where the sentence stands in what makes a fault or a problem of it.
SENTENCE_MAKERS = {"Sentence": 0, "BadContent": 1, **{maker: place + 1 for maker, place in MAKERS.items()}}


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
        routes = Routes()
        routes.get(path)(fail)
        world.app.router.routes.append(RouteGroup(routes.under))
        answer = world.client.get(path)
        content = answer.json()
        assert answer.status_code == content["meta"]["status"] == error.status, error
        assert set(content) == {"meta", "errors"}
        for entry in content["errors"]:
            assert set(entry) - {"source"} == {"status", "code", "title", "detail"}
            assert entry["title"] == TITLES[error.status]


# Those that bring a sentence of their own, which is told only if the code is known.
WITH_SENTENCE = ("PydanticCustomError", "fault_at")


def raised_codes(makers: Collection[str] = MAKERS) -> set[str]:
    """Every code that is written anywhere in the package, of errors and of fields; or those of these makers."""
    found: set[str] = set()
    words = (*makers, "code", '"loc"') if makers is MAKERS else makers
    for file, nodes in nodes_with(*words):
        if "sandbox" in file.parts:  # The platform's own errors.
            continue
        for node in nodes:
            if isinstance(node, ast.Call) and (maker := _name(node.func)) in makers:
                place = MAKERS[maker]
                found |= {str(code.value) for code in node.args[place : place + 1] if isinstance(code, ast.Constant)}
            elif makers is not MAKERS:
                continue
            elif isinstance(node, ast.Dict):
                names = [key.value if isinstance(key, ast.Constant) else None for key in node.keys]
                kind = dict(zip(names, node.values, strict=True)).get("type")
                if "loc" in names and isinstance(kind, ast.Constant):
                    found.add(FAULT_SENTENCES.get(str(kind.value), (str(kind.value), ""))[0])
            elif isinstance(node, ast.ClassDef):
                found |= {
                    str(line.value.value)
                    for line in node.body
                    if isinstance(line, ast.Assign)
                    and isinstance(line.value, ast.Constant)
                    and isinstance(line.targets[0], ast.Name)
                    and line.targets[0].id == "code"
                }
    return {code for code in found if code != "None"}


def _name(function: ast.expr) -> str:
    """Of a function or of a method."""
    if isinstance(function, ast.Attribute):
        return function.attr
    return function.id if isinstance(function, ast.Name) else ""


def test_what_brings_a_sentence_of_its_own_is_told_with_it() -> None:
    found = raised_codes(WITH_SENTENCE)
    assert {"correo_o_telefono", "telefono_incompleto", "una_linea"} <= found
    assert found <= OWN_FAULT_TYPES, sorted(found - OWN_FAULT_TYPES)


def test_every_code_that_is_raised_is_listed() -> None:
    listed = set(re.findall(r"`([a-z0-9_]+)`", (ROOT / "docs" / "errors.md").read_text()))
    raised = raised_codes() | {code for code, _ in (*FAULT_SENTENCES.values(), *PARAMETER_FAULTS)}
    assert {"falta", "telefono_invalido", "id_repetido", "valor_desconocido", "no_encontrado"} <= raised
    assert raised | OWN_FAULT_TYPES <= listed, sorted((raised | OWN_FAULT_TYPES) - listed)


def test_every_sentence_is_told_in_three_languages_with_the_same_values_in_it() -> None:
    table = error_sentences()
    for words in table.values():
        assert len(set(words)) > 1 and all(words), words
        assert len({frozenset(PLACEHOLDERS.findall(text)) for text in words}) == 1, words
    said = {error.message for error in all_errors()} | {
        told for _, told in (*FAULT_SENTENCES.values(), *PARAMETER_FAULTS)
    }
    assert said | _written_sentences() <= set(table), sorted((said | _written_sentences()) - set(table))


def _written_sentences() -> set[str]:
    """Those that stand as they are where a fault is made of them."""
    found: set[str] = set()
    for file, nodes in nodes_with(*SENTENCE_MAKERS):
        for node in nodes if "sandbox" not in file.parts else ():
            if isinstance(node, ast.Call) and (place := SENTENCE_MAKERS.get(_name(node.func))) is not None:
                written = node.args[place : place + 1]
                found |= {one.value for one in written if isinstance(one, ast.Constant) and isinstance(one.value, str)}
    return found - {"{text}"}


def test_a_rule_of_the_record_raises_only_what_is_listed() -> None:
    with pytest.raises(AssertionError):
        field_fault("codigo_nuevo", "Algo nuevo.")


def _sample(kind: type[FichaError]) -> FichaError:
    """Some carry what went wrong: a list of problems, a number of seconds, a name."""
    ended = EndedScan("K7M2QX", b"", None, TagEnd.LOST, None)
    samples = {str: "x", int: 1, list[Problem]: [Problem("falta", "Falta.")], EndedScan: ended}
    if kind.__init__ is FichaError.__init__:
        return kind()
    carried = {name: type_ for name, type_ in get_type_hints(kind.__init__).items() if name != "return"}
    return kind(*(samples[type_] for type_ in carried.values()))
