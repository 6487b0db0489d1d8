"""Names and short texts that others typed, made fit for a message in our name: no links, no hidden or odd spaces."""

import re
import unicodedata

LONGEST_NAME, MOST_WORDS = 60, 5
# Letters that show nothing: the fillers of Hangul, and the blank of Braille.
BLANK_LETTERS = frozenset("\u115f\u1160\u3164\uffa0\u2800")
BESIDE_LETTERS = frozenset("'’-.")
# What browsers and phones take for the dot of a link, or people do: the full stops of other scripts, and the signs that
# Unicode calls confusable with a dot. NFKC has made dots of the others before (U+FF0E, U+2024, U+FE52).
DOTS = dict.fromkeys(map(ord, "\u3002\u06d4\u0701\u0702\u2e3c\ua4f8\ua60e\U00010a50\U0001d16d"), ".")
# A dot between two signs makes a link of both; so do these.
DOT_INSIDE = re.compile(r"\.(?=\S)")
LINK_SIGNS = re.compile(r"://|\\\\|@|[/\\:](?=\S)")


def plain_name(text: str) -> str:
    """The name with single plain spaces; empty if it is none: with digits, signs or a link in it, or a whole sentence.

    `Ma.Elena` becomes `Ma. Elena`, and so no phone takes it for a link."""
    words = DOT_INSIDE.sub(". ", _without_hidden(text)).split()
    name = " ".join(words)
    if len(name) > LONGEST_NAME or len(words) > MOST_WORDS or not all(_is_of_name(letter) for letter in name):
        return ""
    return name


def first_name(text: str) -> str:
    """The first word of a plain name. Empty if the whole is none."""
    return plain_name(text).partition(" ")[0]


def without_links(text: str) -> str:
    """A sentence in one line of which no mailbox or phone makes a link."""
    line = " ".join(_without_hidden(text).split())
    return DOT_INSIDE.sub(". ", LINK_SIGNS.sub(" ", line))


def _without_hidden(text: str) -> str:
    """In NFKC, with a plain dot for every sign that counts as one, and a plain space for every sign that is a space, a
    control or invisible."""
    whole = unicodedata.normalize("NFKC", text).translate(DOTS)
    return "".join(" " if _is_hidden(letter) else letter for letter in whole)


def _is_hidden(letter: str) -> bool:
    return letter in BLANK_LETTERS or unicodedata.category(letter)[0] in "ZC"


def _is_of_name(letter: str) -> bool:
    return letter == " " or letter in BESIDE_LETTERS or unicodedata.category(letter)[0] in "LM"
