"""The responder page of a record that was opened by its sticker, for both lanes: values in, bytes out."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from ficha.accounts.accounts import Idioma
from ficha.core.crypto import Tampered
from ficha.core.log import log
from ficha.fmd.base import Door
from ficha.fmd.entries import open_document
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.responder.view import DAMAGED
from ficha.web.kit.compression import encoded
from ficha.web.kit.content_policy import policy
from ficha.web.sticker.html import render, render_ended
from ficha.web.sticker.page_facts import Alert, EndedFacts, GlassForm, PageFacts
from ficha.web.sticker.script import SCRIPT

# While an alert is under way the page loads itself again, for phones without scripts.
REFRESH_SECONDS = 5


class Sealed(NamedTuple):
    """An entry as it lies in the database."""

    model: str
    version: int
    updated_at: Any
    sealed: bytes


@dataclass(frozen=True)
class OpenedRecord:
    """A record opened by its sticker, and how."""

    code: str
    tag: str
    record_id: int
    key: bytes
    entries: Sequence[Sealed]
    written_in: str
    door: Door = Door.R
    glass_until: datetime | None = None
    alert: Alert | None = None
    glass: GlassForm | None = None

    @property
    def path(self) -> str:
        return f"/e/{self.code}/{self.tag}"

    @property
    def what(self) -> list[str]:
        return [entry.model for entry in self.entries]

    def documents(self) -> dict[str, Any]:
        return {entry.model: self._document(entry) for entry in self.entries}

    def _document(self, entry: Sealed) -> Any:
        try:
            return open_document(self.key, self.record_id, entry.model, entry.version, entry.sealed)
        except (Tampered, ValueError):
            # One that does not open never costs the reader the others.
            log().error("entry.damaged", record_id=self.record_id, model=entry.model)
            return DAMAGED


def page_of(opened: OpenedRecord, language: Idioma, now: datetime, saved: Mapping[str, datetime]) -> bytes:
    view = responder_view(
        opened.documents(), opened.door, now, language.value, written_in=opened.written_in, saved=saved
    )
    glass = opened.glass
    if glass is None and opened.glass_until is None:
        glass = GlassForm(action=f"{opened.path}/mas", page=f"{opened.path}?mas=1&l={language.value}")
    facts = PageFacts(
        language=language,
        code=opened.code,
        read_at=now,
        alert_action=f"{opened.path}/avisar",
        fields={"l": language.value},
        glass=glass,
        glass_until=opened.glass_until,
        alert=opened.alert,
        refresh=REFRESH_SECONDS if opened.alert is not None else 0,
        script=SCRIPT,
    )
    return render(view, facts)


def ended_page(language: Idioma, code: str) -> bytes:
    """Lost, retired, mistyped or never there: one page."""
    return render_ended(EndedFacts(language=language, emergency=("112",), code=code))


def headers_of(body: bytes, accept_encoding: str, *, script: str = SCRIPT) -> tuple[bytes, dict[str, str]]:
    """The bytes for the wire and what goes with them. Nothing on the way may keep them."""
    content, encoding = encoded(body, accept_encoding)
    headers = {
        "Content-Type": "text/html; charset=utf-8",
        "Content-Security-Policy": policy(script),
        "Vary": "Accept-Language, Accept-Encoding",
        # The address is a secret: it goes to nobody, not even to ourselves as a referrer.
        "Referrer-Policy": "no-referrer",
        "X-Robots-Tag": "noindex",
    }
    if encoding:
        headers["Content-Encoding"] = encoding
    return content, headers
