"""Relations between people ("madre", "vecino") in three languages."""

from collections.abc import Callable

from ficha.fmd.terms import folded
from ficha.fmd.translations import Translated

RELATIONS = (
    Translated("madre", "mother", "mãe"),
    Translated("padre", "father", "pai"),
    Translated("mamá", "mum", "mamãe"),
    Translated("papá", "dad", "papai"),
    Translated("hija", "daughter", "filha"),
    Translated("hijo", "son", "filho"),
    Translated("hermana", "sister", "irmã"),
    Translated("hermano", "brother", "irmão"),
    Translated("esposa", "wife", "esposa"),
    Translated("esposo", "husband", "marido"),
    Translated("pareja", "partner", "companheiro(a)"),
    Translated("abuela", "grandmother", "avó"),
    Translated("abuelo", "grandfather", "avô"),
    Translated("nieta", "granddaughter", "neta"),
    Translated("nieto", "grandson", "neto"),
    Translated("tía", "aunt", "tia"),
    Translated("tío", "uncle", "tio"),
    Translated("prima", "cousin", "prima"),
    Translated("primo", "cousin", "primo"),
    Translated("amiga", "friend", "amiga"),
    Translated("amigo", "friend", "amigo"),
    Translated("vecina", "neighbour", "vizinha"),
    Translated("vecino", "neighbour", "vizinho"),
    Translated("tutora", "guardian", "tutora"),
    Translated("tutor", "guardian", "tutor"),
    Translated("cuidadora", "carer", "cuidadora"),
    Translated("cuidador", "carer", "cuidador"),
    Translated("docente", "teacher", "docente"),
    Translated("maestra", "teacher", "professora"),
    Translated("maestro", "teacher", "professor"),
)


# What somebody is to who says to be this of hers: in a few kinds, whose words depend on the sex that is recorded.
OTHER_SIDE = {
    "titular": "self",
    "pareja": "partner",
    **dict.fromkeys(("madre", "padre", "mama", "papa"), "child"),
    **dict.fromkeys(("hija", "hijo"), "parent"),
    **dict.fromkeys(("hermana", "hermano"), "sibling"),
    **dict.fromkeys(("abuela", "abuelo"), "grandchild"),
}


# Those whose article does not follow from their last letter.
FEMININE = frozenset({"madre", "mamá", "mãe", "mamãe", "irmã", "avó", "pareja"})
SEXES = ("femenino", "masculino")
EITHER = frozenset({"docente", "companheiro(a)"})


def with_article(words: Translated) -> Translated:
    """ "la madre", "the mother", "a mãe"."""
    es, en, pt = words
    return Translated(
        es if es in EITHER else f"{'la' if _is_feminine(es) else 'el'} {es}",
        f"the {en}",
        pt if pt in EITHER else f"{'a' if _is_feminine(pt) else 'o'} {pt}",
    )


def to_whom(words: Translated) -> Translated:
    """ "a la madre", "al padre"; "to the mother"; "à mãe", "ao pai"."""
    es, en, pt = with_article(words)
    return Translated(
        f"al {es[3:]}" if es.startswith("el ") else f"a {es}",
        f"to {en}",
        f"à {pt[2:]}" if pt.startswith("a ") else f"ao {pt[2:]}" if pt.startswith("o ") else f"a {pt}",
    )


def _is_feminine(word: str) -> bool:
    return word in FEMININE or word.endswith("a")


def _unambiguous(spelling: Callable[[str], str]) -> dict[str, Translated]:
    """By spelling, words with one meaning only: "friend" may be an amiga or an amigo, so it is left out."""
    found: dict[str, set[Translated]] = {}
    for words in RELATIONS:
        for word in words:
            found.setdefault(spelling(word), set()).add(words)
    return {word: next(iter(meanings)) for word, meanings in found.items() if len(meanings) == 1}


_BY_WORD = _unambiguous(str.lower)
_BY_WORD_WITHOUT_ACCENTS = _unambiguous(folded)


def other_side(written: str, sex: str) -> str:
    """`child_femenino` for who wrote "madre" in the record of a girl: the kind of the other, and the sex if that is
    recorded and makes a difference. `charge` where the words say nothing of it."""
    kind = OTHER_SIDE.get(folded(written).strip(), "charge")
    return f"{kind}_{sex}" if sex in SEXES and kind not in ("self", "partner", "charge") else kind


def relation(written: str) -> Translated | None:
    """The relation in three languages; None for anything that is not one common word."""
    word = written.strip().lower()
    return _BY_WORD.get(word) or _BY_WORD_WITHOUT_ACCENTS.get(folded(word))
