"""No private name of a library is used: an upgrade may take it away without a word."""

import ast

from tests.source_code import nodes_with

# Public in spite of their underscore: Python's own documentation describes them.
DOCUMENTED = {"_asdict", "_fields", "_make", "_replace", "_exit", "_value_"}


def test_no_private_name_of_a_library_is_used() -> None:
    for file, nodes in nodes_with():
        own = {node.name for node in nodes if isinstance(node, ast.FunctionDef)}
        own |= {node.attr for node in nodes if isinstance(node, ast.Attribute) and _is_self(node.value)}
        for node in nodes:
            if isinstance(node, ast.ImportFrom):
                names = {*(node.module or "").split("."), *(alias.name for alias in node.names)}
            elif isinstance(node, ast.Import):
                names = {name for alias in node.names for name in alias.name.split(".")}
            elif isinstance(node, ast.Attribute):
                names = {node.attr} - own
            else:
                continue
            private = {name for name in names if name.startswith("_") and not name.startswith("__")} - DOCUMENTED
            assert not private, f"{file}:{node.lineno} uses {private}"


def _is_self(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id in ("self", "cls")
