"""How many examples a property is tried with. Each run thinks of others, so that many runs try many."""

import os


def examples(number: int) -> int:
    """All of them at full size, a quarter with the other tests."""
    return number if os.environ.get("FICHA_STORM") else -(-number // 4)
