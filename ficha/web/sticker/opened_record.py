"""A record that was opened by its sticker: its sealed entries, its key, and what the page around it must show."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ficha.core.crypto import Tampered, cipher_of
from ficha.core.log import log
from ficha.fmd.base import Door
from ficha.fmd.entries import SealedEntry, open_document
from ficha.fmd.responder.view import DAMAGED
from ficha.fmd.rules.advice import rules_version
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules
from ficha.products.scans import scanned
from ficha.web.sticker.page_facts import AlertFacts, BreakGlassForm, RelayForm
from ficha.web.sticker.sticker_path import sticker_path


@dataclass(slots=True)
class OpenedRecord:
    """Made for every opening, so not frozen, as small_pages/page.py says."""

    code: str
    tag: str
    record_id: int
    key: bytes
    entries: Sequence[SealedEntry]
    written_in: str
    door: Door = Door.R
    glass_until: datetime | None = None
    alert: AlertFacts | None = None
    form: BreakGlassForm | None = None
    writing: RelayForm | None = None
    withdrawn: WithdrawnRules = NONE_WITHDRAWN
    # No way to any contact is left: they declined, or never agreed.
    is_everybody_closed: bool = False

    @property
    def path(self) -> str:
        return sticker_path(self.code, self.tag)

    @property
    def models(self) -> list[str]:
        return [entry.model for entry in self.entries]

    @property
    def noted(self) -> list[str]:
        """What the log says of this opening: by which sticker, by which rules, and what was in it."""
        return scanned(self.code, self.models, rules_version(self.withdrawn))

    @property
    def saved_at(self) -> dict[str, datetime]:
        return {entry.model: entry.updated_at for entry in self.entries}

    def documents(self) -> dict[str, Any]:
        """Decrypted, by model. One that does not open is DAMAGED: the reader still gets the others."""
        documents: dict[str, Any] = {}
        cipher = cipher_of(self.key)
        for model, version, _, sealed in self.entries:
            try:
                documents[model] = open_document(cipher, self.record_id, model, version, sealed)
            except (Tampered, ValueError):
                log().error("entry.damaged", record_id=self.record_id, model=model)
                documents[model] = DAMAGED
        return documents
