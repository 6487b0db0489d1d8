"""What people type for a term: the term of the catalogue that says exactly that, or those that it may mean."""

from ficha.accounts.accounts import Idioma
from ficha.fmd.terms import Term, folded, search

MOST = 6


def exact_term(typed: str, model: str, campo: str = "") -> Term | None:
    """The term with exactly these words in any of our languages; accents and capitals do not matter."""
    wanted = folded(typed).strip()
    found = search(typed, model, limit=MOST, campo=campo)
    return next((term for term in found if wanted in {folded(words) for words in term.words}), None)


def likely_terms(typed: str, model: str, campo: str = "") -> list[Term]:
    return search(typed, model, limit=MOST, campo=campo)


def coded(term: Term, language: Idioma) -> dict[str, str]:
    return {"texto": term.words.in_language(language), "sistema": term.sistema, "codigo": term.codigo}
