"""Responses of the Graph API: success, an error with its headers, and a page of a list."""

from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import GraphError


def success_response() -> HttpResponse:
    return json_response({"success": True})


def error_response(error: GraphError) -> HttpResponse:
    plain = json_response(error.body, error.status)
    return HttpResponse(plain.status, plain.body, {**plain.headers, **error.headers})


def page(items: list[dict[str, Any]], query: Mapping[str, str], address: str) -> dict[str, Any]:
    """A page with its cursors. `address` is the list's own, for the link to the next page."""
    limit = int(query["limit"]) if query.get("limit", "").isdigit() and int(query["limit"]) > 0 else 25
    after = query.get("after", "")
    start = int(after[1:]) if after[:1] == "Q" and after[1:].isdigit() else 0
    shown = items[start : start + limit]
    if not shown:
        return {"data": []}
    paging: dict[str, Any] = {"cursors": {"before": f"Q{start}", "after": f"Q{start + len(shown)}"}}
    if start + limit < len(items):
        # What was asked for is asked for on the next page too; the token is not shown.
        kept = {name: value for name, value in query.items() if name not in ("access_token", "after", "limit")}
        paging["next"] = f"{address}?{urlencode({**kept, 'limit': limit, 'after': f'Q{start + limit}'})}"
    return {"data": shown, "paging": paging}
