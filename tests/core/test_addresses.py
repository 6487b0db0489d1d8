"""Which addresses count as one caller."""

import pytest

from ficha.core.addresses import address_group


@pytest.mark.parametrize(
    ("origin", "group"),
    [
        ("203.0.113.9", "203.0.113.9"),
        ("::ffff:203.0.113.9", "203.0.113.9"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::1", "::/64"),
        ("testclient", "testclient"),
        ("", ""),
    ],
)
def test_one_household_is_one_caller(origin: str, group: str) -> None:
    assert address_group(origin) == group
