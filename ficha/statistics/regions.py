"""Where people are, by what is stored in clear: the country of the number of the account that owns the record. Where an
alert happened is sealed with the record's key, and an institution has no address."""

from ficha.core.phones import ZONES_OF_PREFIXES

OTHER = "other"
# Always all of them: that one is missing or appears would say something, too.
REGIONS = (*sorted(ZONES_OF_PREFIXES, key=lambda prefix: (len(prefix), prefix)), OTHER)


def region_of(prefix: str | None) -> str:
    """Of nobody's record, or of a country that is not listed: OTHER."""
    return prefix if prefix in ZONES_OF_PREFIXES else OTHER
