"""What people type for a term: the term of the catalogue that says exactly that, or those that it may mean. And what
the buttons of a form do besides saving: add, remove, move and search. Nothing is stored by them."""

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
    """For the search step: the terms that the words at this path may mean."""
    node: Any = document
    for name in path.split("."):
        node = _below(node, name)
    typed = node.get("texto", "") if isinstance(node, dict) else ""
    if not typed:
        return {}
    options = [
        (f"{term.sistema}|{term.codigo}|{term.words.in_language(language)}", term.words.in_language(language))
        for term in likely_terms(typed, model, _terms_at(fields, path))
    ]
    return {path: [*options, (NO_TERM, as_typed.format(typed=typed))]}


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
