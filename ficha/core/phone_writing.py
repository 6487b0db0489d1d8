"""Phone numbers as their countries write them, from the tables of `phonenumbers`.

Its own function works out the same again for every number; here the rules of a country are compiled once. A number is
never kept.
"""

import re
from functools import cache
from typing import NamedTuple

GROUP = re.compile(r"\\([1-9])")


class WritingRule(NamedTuple):
    """For numbers that begin so: their digits in groups, and how the groups are written (`{1} {2}-{3}`)."""

    begins: re.Pattern[str]
    groups: re.Pattern[str]
    written: str


def international(prefix: str, national: str) -> str:
    """`+55` and `11987654321` as `+55 11 98765-4321`. Without its prefix if no country has that one."""
    if prefix not in regions():
        return national
    for begins, groups, written in _rules(prefix):
        found = groups.fullmatch(national) if begins.match(national) else None
        if found:
            return f"{prefix} {written.format('', *found.groups())}"
    return f"{prefix} {national}"


@cache
def regions() -> dict[str, str]:
    """The country of each prefix: `{"+58": "VE"}`. Of countries that share one, the largest."""
    import phonenumbers  # noqa: PLC0415  Six megabytes of metadata that most requests never need.

    return {f"+{code}": countries[0] for code, countries in phonenumbers.COUNTRY_CODE_TO_REGION_CODE.items()}


@cache
def _rules(prefix: str) -> tuple[WritingRule, ...]:
    import phonenumbers  # noqa: PLC0415  As above.

    found = phonenumbers.PhoneMetadata.metadata_for_region_or_calling_code(int(prefix), regions()[prefix])
    assert found
    return tuple(
        # The last is the most detailed one.
        WritingRule(
            re.compile(one.leading_digits_pattern[-1] if one.leading_digits_pattern else ""),
            re.compile(one.pattern),
            GROUP.sub(r"{\1}", one.format),
        )
        for one in found.intl_number_format or found.number_format
        if one.pattern and one.format
    )
