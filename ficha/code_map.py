"""The map in CONTRIBUTING.md, made from the order of the import contract and the docstrings of the packages."""

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
BEGIN, END = "<!-- map: made by `make docs` -->", "<!-- end of map -->"
COLUMN = 25


def contributing_page() -> str:
    """CONTRIBUTING.md with the map as it is now; everything else in it is written by hand."""
    before, _, rest = (ROOT / "CONTRIBUTING.md").read_text().partition(BEGIN)
    after = rest.partition(END)[2]
    return f"{before}{BEGIN}\n```\n{code_map()}```\n{END}{after}"


def code_map() -> str:
    return "".join(f"{line}\n" for floor in floors() for module in floor for line in _lines(module))


def floors() -> list[list[Path]]:
    """The packages and modules of `ficha/`, from the top floor down, as the import contract orders them."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers: list[str] = next(contract["layers"] for contract in contracts if contract["type"] == "layers")
    return [[ROOT / name.strip().replace(".", "/") for name in layer.split("|")] for layer in layers]


def _lines(module: Path, depth: int = 0) -> Iterator[str]:
    is_package = module.is_dir()
    name = "  " * depth + (f"{module.name}/" if is_package else f"{module.name}.py")
    yield f"{name:<{COLUMN}} {sentence_of(module)}"
    if is_package:
        for inner in sorted(file.parent for file in module.glob("*/__init__.py")):
            yield from _lines(inner, depth + 1)


def sentence_of(module: Path) -> str:
    """The first sentence of the docstring of a package or module; raises ValueError if there is none."""
    file = module / "__init__.py" if module.is_dir() else module.with_suffix(".py")
    docstring = ast.get_docstring(ast.parse(file.read_text())) or ""
    paragraph = " ".join(docstring.partition("\n\n")[0].split())
    if not paragraph:
        raise ValueError(f"{file} has no docstring")
    return re.split(r"(?<=\.) ", paragraph)[0]
