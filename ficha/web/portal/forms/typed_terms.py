"""What people type for a term, and the terms of the catalogue that it may mean: the words stay as they were typed until
somebody chooses one. And what the buttons of a form do besides saving: add, remove, move and search. Nothing is stored
by them."""

from collections.abc import Sequence
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.fmd.base import Document
from ficha.fmd.fields import FormField
from ficha.fmd.terms import Term, folded, search

MOST = 6
# What is chosen where none of the terms is meant.
NO_TERM = "|"

Found = dict[str, list[tuple[str, str]]]


def exact_term(typed: str, model: str, campo: str = "") -> Term | None:
    """The term with exactly these words in any of our languages; accents and capitals do not matter."""
    wanted = folded(typed).strip()
    found = search(typed, model, limit=MOST, campo=campo)
    return next((term for term in found if wanted in {folded(words) for words in term.words}), None)


def likely_terms(typed: str, model: str, campo: str = "") -> list[Term]:
    return search(typed, model, limit=MOST, campo=campo)


def coded(term: Term, language: Idioma) -> dict[str, str]:
    return {"texto": term.words.in_language(language), "sistema": term.sistema, "codigo": term.codigo}


def take_step(document: Document, step: str, path: str) -> None:
    """`path` is the path of a list, or of an item of one. A path that leads nowhere changes nothing."""
    *above, last = path.split(".")
    node: Any = document
    for name in above:
        node = _below(node, name)
        if node is None:
            return
    if step == "add" and isinstance(node, dict):
        items = node.setdefault(last, [])
        if isinstance(items, list):
            items.append({})
        return
    if not isinstance(node, list) or not last.isdigit() or int(last) >= len(node):
        return
    item = node.pop(int(last))
    if step != "remove":
        node.insert(max(0, int(last) + (-1 if step == "up" else 1)), item)


def found_terms(
    document: Document, fields: Sequence[FormField], model: str, path: str, language: Idioma, as_typed: str
) -> Found:
    """For the search step: what the words at this path are now, which is chosen already, and the terms that they may
    mean."""
    node: Any = document
    for name in path.split("."):
        node = _below(node, name)
    typed = node.get("texto", "") if isinstance(node, dict) else ""
    if not typed:
        return {}
    options = dict(term_options(typed, model, _terms_at(fields, path), language))
    words_alone = {NO_TERM: as_typed.format(typed=typed)}
    now = {packed(node["sistema"], node["codigo"], typed): typed} if node.get("codigo") else words_alone
    return {path: list((now | options | words_alone).items())}


def term_options(typed: str, model: str, campo: str, language: Idioma) -> list[tuple[str, str]]:
    """The terms that the words may mean, as a form sends and as it shows them."""
    found = [coded(term, language) for term in likely_terms(typed, model, campo)]
    return [(packed(one["sistema"], one["codigo"], one["texto"]), one["texto"]) for one in found]


def packed(sistema: str, codigo: str, texto: str) -> str:
    return f"{sistema}|{codigo}|{texto}"


def unpacked(chosen: str) -> dict[str, str]:
    """Empty if it names no term."""
    sistema, codigo, texto = [*chosen.split("|", 2), "", ""][:3]
    return {"texto": texto, "sistema": sistema, "codigo": codigo} if codigo else {}


def _below(node: Any, name: str) -> Any:
    if isinstance(node, dict):
        return node.get(name)
    if isinstance(node, list) and name.isdigit() and int(name) < len(node):
        return node[int(name)]
    return None


def _terms_at(fields: Sequence[FormField], path: str) -> str:
    terms = ""
    for name in path.split("."):
        field = next((field for field in fields if field.name == name), None)
        if field is not None:
            fields, terms = field.fields, field.terms
    return terms
