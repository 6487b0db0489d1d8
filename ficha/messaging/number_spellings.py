"""The two ways to write one number in some countries. The platform may answer with the one that we did not use."""

import re

MEXICO = re.compile(r"52(1?)(\d{10})")
ARGENTINA = re.compile(r"54(9?)(\d{10})")
# Two digits of area, then eight; mobiles got a 9 in front of them.
BRAZIL = re.compile(r"55(\d{2})(9?)(\d{8})")


def digits_of(number: str) -> str:
    """The number as the platform writes it: without the plus sign."""
    return number.removeprefix("+")


def spellings(digits: str) -> list[str]:
    """The given one first, then the other way to write the same number, where there is one."""
    for pattern, prefix, mark in ((MEXICO, "52", "1"), (ARGENTINA, "54", "9")):
        if found := pattern.fullmatch(digits):
            return [digits, prefix + ("" if found[1] else mark) + found[2]]
    if found := BRAZIL.fullmatch(digits):
        return [digits, "55" + found[1] + ("" if found[2] else "9") + found[3]]
    return [digits]
