"""Whatever is noted in a record's log has its sentence in "who looked": no owner reads "did something else"."""

import ast
from collections.abc import Iterator
from enum import StrEnum
from re import compile as pattern

from ficha.cards.qr import QrKind
from ficha.emergencies.emergency import EmergencyState
from ficha.events import kinds
from ficha.products.product import ProductState
from ficha.web.portal.log.who_looked import ACTIONS, SENTENCES
from tests.source_code import nodes_with

ACTION = pattern(r"[a-z]+\.[a-z_]+")
BEGINNINGS = {action.partition(".")[0] for action in ACTIONS}
NOTED_BY = ("note", "note_opened", "Fact")
LOGGED_BY = ("debug", "info", "warning", "error", "exception")
# Actions that are put together where they are noted.
JOINED: dict[str, list[StrEnum]] = {
    "emergency.": [state for state in EmergencyState if state is not EmergencyState.OPEN],
    "qr.": list(QrKind),
    "code.": [ProductState.LOST, ProductState.RETIRED],
}


def name_called(call: ast.Call) -> str:
    return call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")


def texts_in(node: ast.AST) -> Iterator[str]:
    return (one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str))


def actions_in(nodes: list[ast.AST]) -> set[str]:
    """Every text that is noted or begins like an action, but for the names of events and lines of the server's log."""
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    logged = {text for call in calls if name_called(call) in LOGGED_BY for text in texts_in(call)}
    noted = {text for call in calls if name_called(call) in NOTED_BY for text in texts_in(call)}
    texts = {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}
    others = {text for text in texts if text.partition(".")[0] in BEGINNINGS} - logged - set(kinds.EVENT_KINDS)
    begun = {next(texts_in(node), "") for node in nodes if isinstance(node, ast.JoinedStr)}
    joined = {f"{begin}{end}" for begin in begun for end in JOINED.get(begin, ())}
    return {text for text in noted | others if ACTION.fullmatch(text)} | joined


def test_every_action_of_the_log_has_its_sentence() -> None:
    words = [*(f'"{begin}.' for begin in BEGINNINGS), *(f"{name}(" for name in NOTED_BY)]
    files = [
        (file, nodes) for file, nodes in nodes_with(*words) if file.parent.name not in ("events", "log", "sandbox")
    ]
    found = set().union(*(actions_in(nodes) for _, nodes in files))
    assert len(found) > 30, "the actions were not found"
    assert found - ACTIONS.keys() == set()
    assert {f"did_{told}" for told in ACTIONS.values()} <= SENTENCES.keys()
