"""Prepared statements have one home in each folder, and nobody else sees them: other modules call functions that
return rows or plain values. One file has to be read to know what a package asks its database all the time; where a
package has several rooms, each with tables of its own, one in each.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.source_code import PACKAGE, nodes_with

# What a folder that has no `statements.py` may keep beside its one table.
FEW = 2
# Where statements are made for others.
MAKERS = {
    "core": "it runs them, and makes some from what it is given",
}


def test_each_folder_has_one_home_for_its_statements() -> None:
    scattered = {folder for folder, homes in _homes().items() if not _is_one_home(homes)}
    assert scattered == set(), "their statements belong into statements.py"


def test_nobody_imports_a_statement() -> None:
    statements = {
        (_module(file), name) for homes in _homes().values() for file, nodes in homes.items() for name in _names(nodes)
    }
    assert statements
    for file, nodes in nodes_with("import "):
        for node in nodes:
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                taken = {alias.name for alias in node.names if (node.module, alias.name) in statements}
                assert not taken, f"{file} imports {taken}: call a function instead"


def _homes() -> dict[str, dict[Path, list[ast.AST]]]:
    """By folder, the files that make statements."""
    found: dict[str, dict[Path, list[ast.AST]]] = {}
    for file, nodes in nodes_with("Prepared("):
        if any(_makes(node) for node in nodes) and _package(file) not in MAKERS:
            found.setdefault(_folder(file), {})[file] = nodes
    return found


def _is_one_home(homes: dict[Path, list[ast.AST]]) -> bool:
    if len(homes) > 1:
        return False
    [(file, nodes)] = homes.items()
    return file.name == "statements.py" or (_has_table(nodes) and sum(map(_makes, nodes)) <= FEW)


def _makes(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Prepared"


def _names(nodes: list[ast.AST]) -> Iterator[str]:
    """What is made from a statement, whatever is put around it."""
    for node in nodes:
        if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            if any(_makes(each) for each in ast.walk(node.value)):
                yield from (target.id for target in targets if isinstance(target, ast.Name))


def _has_table(nodes: list[ast.AST]) -> bool:
    return any(isinstance(node, ast.Name) and node.id == "__tablename__" for node in nodes)


def _package(file: Path) -> str:
    return file.relative_to(PACKAGE).parts[0]


def _folder(file: Path) -> str:
    return str(file.relative_to(PACKAGE).parent)


def _module(file: Path) -> str:
    return ".".join(["ficha", *file.relative_to(PACKAGE).with_suffix("").parts])
