"""Flows, groups and the catalogue, which the contract's subset leaves out, from the platform's published document."""

from pathlib import Path
from typing import Any

import yaml  # Comes with Schemathesis.

PATHS = (
    "/{Version}/{Phone-Number-ID}/groups",
    "/{Version}/{group_id}",
    "/{Version}/{group_id}/invite_link",
    "/{Version}/{group_id}/join_requests",
    "/{Version}/{group_id}/participants",
    "/{Version}/{Phone-Number-ID}/whatsapp_commerce_settings",
    "/{Version}/{WABA-ID}/flows",
    "/{Version}/{WABA-ID}/migrate_flows",
    "/{Version}/{Flow-ID}",
    "/{Version}/{Flow-ID}/assets",
    "/{Version}/{Flow-ID}/publish",
    "/{Version}/{Flow-ID}/deprecate",
)
SCHEMAS = ("GroupInfo", "PagingInfo", "Error")


def add_published_operations(document: dict[str, Any], published: Path) -> None:
    """To the subset. Errors are as in the subset: the published document hardly describes them."""
    # Reading thirty thousand lines of YAML takes seconds, and two thousand of them are wanted.
    lines = published.read_text("utf-8").splitlines()
    for name in SCHEMAS:
        document["components"]["schemas"][name] = _part(lines, f"    {name}:")
    refused = document["paths"]["/{Version}/{Phone-Number-ID}/messages"]["post"]["responses"]["400"]
    for path in PATHS:
        operations = _part(lines, f"  {path}:")
        for method in ("get", "post", "delete"):
            if method in operations:
                operations[method]["responses"]["400"] = refused
        document["paths"][path] = operations


def _part(lines: list[str], first: str) -> dict[str, Any]:
    """What stands below that line, by its indentation."""
    start = lines.index(first)
    depth = len(first) - len(first.lstrip())
    end = next(
        number
        for number, line in enumerate(lines[start + 1 :], start + 1)
        if line.strip() and len(line) - len(line.lstrip()) <= depth
    )
    found: dict[str, Any] = yaml.load("\n".join(lines[start:end]), yaml.CSafeLoader)
    [part] = found.values()
    return dict(part)
