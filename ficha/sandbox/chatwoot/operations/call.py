"""A request to Chatwoot as its operations see it: who asks, and the parameters wherever they stand."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ficha.core.multipart import FormPart
from ficha.sandbox.chatwoot.agents import User
from ficha.sandbox.chatwoot.errors import not_allowed, not_found, text_error
from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.chatwoot.records import Contact, Conversation
from ficha.sandbox.http_messages import HttpRequest


@dataclass(frozen=True)
class Call:
    """`asker` is None in the public API."""

    platform: ChatwootPlatform
    request: HttpRequest
    asker: User | None = field(default=None)

    @property
    def user(self) -> User:
        assert self.asker is not None
        return self.asker

    @cached_property
    def parts(self) -> list[FormPart]:
        return self.request.parts()

    @cached_property
    def params(self) -> dict[str, Any]:
        """Of the query, then of the body: JSON, or the text fields of a form."""
        found: dict[str, Any] = dict(self.request.query)
        if self.request.content_type == "multipart/form-data":
            found |= {part.name: part.text for part in self.parts if part.filename is None}
        elif isinstance(body := self.request.json(), dict):
            found |= body
        return found

    def list_of(self, name: str) -> list[str]:
        """`labels[]=a&labels[]=b`, or a list in the body."""
        given = [value for key, value in self.request.query_pairs if key == f"{name}[]"]
        if not given and isinstance(self.params.get(name), list):
            given = [str(each) for each in self.params[name]]
        return given

    def text(self, name: str) -> str | None:
        value = self.params.get(name)
        return None if value is None or value == "" else str(value)

    def object(self, name: str) -> dict[str, Any]:
        value = self.params.get(name)
        return value if isinstance(value, dict) else {}

    @property
    def page(self) -> int:
        given = str(self.params.get("page", "1"))
        return max(1, int(given)) if given.isdigit() and len(given) < 10 else 1

    @property
    def current_page(self) -> int | str:
        """A number, but the text that was sent if a page was."""
        return str(self.params["page"]) if "page" in self.params else 1

    def contact(self, contact_id: str) -> Contact:
        found = self.platform.contacts.get(_number(contact_id))
        if found is None:
            raise not_found()
        return found

    def conversation(self, display_id: str) -> Conversation:
        found = self.platform.conversations.get(_number(display_id))
        if found is None:
            raise not_found()
        if not self.user.sees(found.inbox.id):
            raise not_allowed()
        return found

    def require_administrator(self) -> None:
        if not self.user.is_administrator:
            raise not_allowed()

    def refuse_bots(self) -> None:
        if self.user.role == "bot":
            raise text_error(401, "Access to this endpoint is not authorized for bots")


def page_of(items: Sequence[Any], page: int, size: int) -> Sequence[Any]:
    return items[(page - 1) * size : page * size]


def _number(text: str) -> int:
    """As the framework reads an id: the digits at its beginning."""
    found = re.match(r"\d{1,18}", text)
    return int(found[0]) if found else 0
