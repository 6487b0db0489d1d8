"""Faults in a body that only the messaging rules can see, as the errors of its fields."""

from collections.abc import Iterable

from ficha.core.errors import InvalidFields, Problem, Source

# A JSON pointer into the body, and a sentence for people.
Fault = tuple[str, str]


def raise_if_faults(faults: Iterable[Fault]) -> None:
    """Raises InvalidFields if there are any."""
    problems = [Problem("valor_invalido", sentence, Source("pointer", pointer)) for pointer, sentence in faults]
    if problems:
        raise InvalidFields(problems)
