"""How slow this machine is at the moment: what else runs on it, and on its neighbours, can double what the same work
takes of a core."""

import time
from functools import cache

from jinja2 import Environment, Template

# Of the work below, where a page's bound holds as it stands.
QUIET_MILLISECONDS = 2.2
TABLE = """
{% for row in rows %}<tr>{% for one in row %}<td data-label="{{ one }}">{{ one }}</td>{% endfor %}</tr>{% endfor %}
"""
ROWS = [[f"{row}·{column} <b>" for column in range(10)] for row in range(100)]


@cache
def _template() -> Template:
    return Environment(autoescape=True).from_string(TABLE)


def slowness() -> float:
    """By how much everything takes longer now than in quiet. What is measured is divided by it."""
    template = _template()
    spent = []
    for _ in range(3):
        began = time.thread_time()
        template.render(rows=ROWS)
        spent.append((time.thread_time() - began) * 1000)
    return max(1.0, min(spent) / QUIET_MILLISECONDS)
