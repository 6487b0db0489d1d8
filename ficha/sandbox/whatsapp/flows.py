"""Flows of the business account: forms that people fill in within a chat. A draft is changed, published once and then
deprecated."""

import itertools
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter, no_such_object
from ficha.sandbox.whatsapp.flow_json import validation_errors

CATEGORIES = (
    "SIGN_UP", "SIGN_IN", "APPOINTMENT_BOOKING", "LEAD_GENERATION", "CONTACT_US", "CUSTOMER_SUPPORT", "SURVEY", "OTHER",
)  # fmt: skip
NAME_IS_TAKEN = 4016019
_FIRST_ID = 550003481400100


@dataclass
class Flow:
    id: str
    name: str
    categories: list[str]
    updated_at: datetime
    endpoint_uri: str | None = None
    status: str = "DRAFT"
    # As it was uploaded, right or wrong.
    content: bytes | None = None
    errors: list[dict[str, Any]] = field(default_factory=list)

    @property
    def document(self) -> dict[str, Any]:
        """What was uploaded, if it is a JSON object."""
        try:
            found = json.loads(self.content or b"{}")
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}

    def set_content(self, content: bytes, now: datetime) -> None:
        """Raises GraphError unless it is a draft. Errors in the content are kept and shown, and hinder publishing."""
        self.check_draft()
        self.content, self.errors, self.updated_at = content, validation_errors(content), now

    def check_draft(self) -> None:
        if self.status != "DRAFT":
            raise GraphError(139001)

    def publish(self, now: datetime) -> None:
        if self.status != "DRAFT":
            raise GraphError(139002, "Publishing Flow in invalid state.")
        if self.content is None or self.errors:
            raise GraphError(139002, "Publishing Flow with validation errors.")
        self.status, self.updated_at = "PUBLISHED", now

    def deprecate(self, now: datetime) -> None:
        if self.status == "DEPRECATED":
            raise GraphError(139003, "Flow is already deprecated.")
        if self.status != "PUBLISHED":
            raise GraphError(139003, "Can't deprecate unpublished flow.")
        self.status, self.updated_at = "DEPRECATED", now


@dataclass
class Flows:
    known: dict[str, Flow] = field(default_factory=dict)
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(_FIRST_ID))

    def create(self, asked: Mapping[str, Any], now: datetime) -> Flow:
        """Raises GraphError if a value is missing, wrong or taken."""
        cloned = asked.get("clone_flow_id")
        source = self.find(str(cloned), "GET") if cloned is not None else None
        name = self._free_name(asked.get("name"), None)
        if source is not None and "categories" not in asked:
            categories = source.categories
        else:
            categories = _categories(asked.get("categories"))
        flow = Flow(str(next(self.ids)), name, categories, now, _endpoint(asked.get("endpoint_uri")))
        if source is not None and source.content is not None:
            flow.set_content(source.content, now)
        self.known[flow.id] = flow
        return flow

    def change(self, flow: Flow, asked: Mapping[str, Any], now: datetime) -> None:
        """Its name, categories and endpoint; raises GraphError."""
        given = {name: asked[name] for name in ("name", "categories", "endpoint_uri") if asked.get(name) is not None}
        if not given:
            raise invalid_parameter("One of the parameters name, categories and endpoint_uri is required.")
        flow.check_draft()
        name = self._free_name(given.get("name", flow.name), flow)
        categories = _categories(given["categories"]) if "categories" in given else flow.categories
        endpoint_uri = _endpoint(given.get("endpoint_uri", flow.endpoint_uri))
        flow.name, flow.categories, flow.endpoint_uri, flow.updated_at = name, categories, endpoint_uri, now

    def delete(self, flow: Flow) -> None:
        """Raises GraphError unless it is a draft."""
        if flow.status != "DRAFT":
            raise GraphError(139004)
        del self.known[flow.id]

    def find(self, flow_id: str, method: str) -> Flow:
        """Raises GraphError."""
        if (flow := self.known.get(flow_id)) is None:
            raise no_such_object(flow_id, method)
        return flow

    def _free_name(self, name: Any, own: Flow | None) -> str:
        if not isinstance(name, str) or not name.strip():
            raise invalid_parameter("The parameter name is required.")
        if any(each.name == name and each is not own for each in self.known.values()):
            raise GraphError(100, "Flow name is not unique.", subcode=NAME_IS_TAKEN)
        return name


def _categories(given: Any) -> list[str]:
    """A list, or its JSON as forms have it; raises GraphError."""
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except ValueError:
            given = None
    if not isinstance(given, list) or not given or not all(each in CATEGORIES for each in given):
        raise invalid_parameter(f"Param categories must be an array of {{{', '.join(CATEGORIES)}}}.")
    return list(dict.fromkeys(given))


def _endpoint(given: Any) -> str | None:
    if given is None:
        return None
    if not isinstance(given, str) or not given.startswith("https://"):
        raise invalid_parameter("Param endpoint_uri must be an https address.")
    return given
