"""The `data` of the five answers, as bytes. What the owner reads goes from the cipher to the wire without being parsed;
what others read is taken apart, because `consentimiento` decides about single facts."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from ficha.core.crypto import Keyring, Tampered, unseal
from ficha.core.log import log
from ficha.fastlane.envelope_bytes import Payload
from ficha.fastlane.paths import Read
from ficha.fastlane.statements import FoundEntry, FoundRead
from ficha.fastlane.store import Store
from ficha.fmd.access import RecordAccess
from ficha.fmd.base import Document, has_data
from ficha.fmd.catalog import CATALOG
from ficha.fmd.consent import visible_documents
from ficha.fmd.entries import document_bound_to, open_document

ORDER = tuple(model.about.wire for model in CATALOG)
NEVER_SAVED = b'{"version":0,"updated_at":null,"data":{}}'


class LaneAnswers:
    def __init__(self, keyring: Keyring, store: Store) -> None:
        self._keyring = keyring
        self._wire = store.wire
        self.by_read: dict[Read, Callable[[RecordAccess, FoundRead, Sequence[str]], Payload]] = {
            Read.MODEL_EXISTS: self._model_exists,
            Read.RECORD_EXISTS: self._record_exists,
            Read.MODEL: self._model,
            Read.MODELS: self._models,
            Read.RECORD: self._record,
        }

    def _model_exists(self, access: RecordAccess, found: FoundRead, names: Sequence[str]) -> Payload:
        entry = _named(found.entries, names[0])
        exists = entry is not None and entry.has_data
        if entry is not None and exists and not access.sees_all:
            exists = has_data(self._part(access, entry, found.entries))
        return Payload(b'{"exists":true}' if exists else b'{"exists":false}', names)

    def _record_exists(self, access: RecordAccess, found: FoundRead, _names: Sequence[str]) -> Payload:
        if access.sees_all:
            with_data = {entry.model for entry in found.entries if entry.has_data}
        else:
            with_data = {model for model, part in self._parts(access, found.entries).items() if has_data(part)}
        models = [model for model in ORDER if model in with_data]
        listed = b",".join([b'"%b"' % model.encode() for model in models])
        return Payload(b'{"exists":%b,"models":[%b]}' % (b"true" if models else b"false", listed), models)

    def _model(self, access: RecordAccess, found: FoundRead, names: Sequence[str]) -> Payload:
        model = names[0]
        entry = _named(found.entries, model)
        if entry is None:
            return Payload(_resource(model, NEVER_SAVED), names, f"{model}-0")
        if access.sees_all:
            key = access.key(self._keyring)
            plain = unseal(key, entry.sealed, document_bound_to(access.record_id, model, entry.version))
        else:
            part = self._part(access, entry, found.entries)
            if not part:  # What may not be seen looks like what was never saved.
                return Payload(_resource(model, NEVER_SAVED), names, f"{model}-0")
            plain = _bytes(part)
        return Payload(_resource(model, self._attributes(entry, plain)), names, f"{model}-{entry.version}")

    def _models(self, access: RecordAccess, found: FoundRead, names: Sequence[str]) -> Payload:
        shown, damaged = self._shown(access, found.entries)
        resources = [_resource(name, shown.get(name, NEVER_SAVED)) for name in names if name not in damaged]
        return Payload(b"[%b]" % b",".join(resources), names, size=len(resources))

    def _record(self, access: RecordAccess, found: FoundRead, _names: Sequence[str]) -> Payload:
        assert found.about is not None
        relacion, template_type, version = found.about
        shown, _ = self._shown(access, found.entries)
        listed = [name for name in ORDER if name in shown]
        models = b",".join([b'"%b":%b' % (name.encode(), shown[name]) for name in listed])
        data = b'{"type":"fmd","id":%d,"attributes":{"relacion":%b,"template_type":%b,"version":%d,"models":{%b}}}' % (
            access.record_id,
            _bytes(relacion),
            _bytes(template_type),
            version,
            models,
        )
        return Payload(data, listed, f"r-{version}" if access.sees_all else "")

    def _shown(self, access: RecordAccess, entries: Iterable[FoundEntry]) -> tuple[dict[str, bytes], set[str]]:
        """The attributes of each model that may be seen, and the models that cannot be read."""
        damaged: set[str] = set()
        if not access.sees_all:
            by_model = {entry.model: entry for entry in entries}
            parts = self._parts(access, by_model.values(), damaged)
            return {model: self._attributes(by_model[model], _bytes(part)) for model, part in parts.items()}, damaged
        key = access.key(self._keyring)
        shown = {}
        for entry in entries:
            try:
                plain = unseal(key, entry.sealed, document_bound_to(access.record_id, entry.model, entry.version))
            except Tampered:
                _log_damaged(access, entry)
                damaged.add(entry.model)
            else:
                shown[entry.model] = self._attributes(entry, plain)
        return shown, damaged

    def _part(self, access: RecordAccess, entry: FoundEntry, entries: Sequence[FoundEntry]) -> Document:
        """What of one model may be seen by somebody who does not see all. `entries` has `consentimiento` too."""
        damaged: set[str] = set()
        part = self._parts(access, entries, damaged).get(entry.model, {})
        if entry.model in damaged:
            raise Tampered(document_bound_to(access.record_id, entry.model, entry.version))
        return part

    def _parts(
        self, access: RecordAccess, entries: Iterable[FoundEntry], damaged: set[str] | None = None
    ) -> dict[str, Document]:
        key = access.key(self._keyring)
        documents: dict[str, Document | None] = {}
        for entry in entries:
            try:
                opened = open_document(key, access.record_id, entry.model, entry.version, entry.sealed)
            except (Tampered, ValueError):
                _log_damaged(access, entry)
                opened = None  # For `visible_documents`, a consent that cannot be read hides everything.
                if damaged is not None:
                    damaged.add(entry.model)
            documents[entry.model] = opened
        return visible_documents(documents, access.rights.door)

    def _attributes(self, entry: FoundEntry, plain: bytes) -> bytes:
        updated_at = self._wire(entry.updated_at).encode()
        return b'{"version":%d,"updated_at":"%b","data":%b}' % (entry.version, updated_at, plain)


def _named(entries: Iterable[FoundEntry], model: str) -> FoundEntry | None:
    for entry in entries:
        if entry.model == model:
            return entry
    return None


def _resource(model: str, attributes: bytes) -> bytes:
    return b'{"type":"fmd_model","id":"%b","attributes":%b}' % (model.encode(), attributes)


def _bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _log_damaged(access: RecordAccess, entry: FoundEntry) -> None:
    log().error("entry.damaged", place=document_bound_to(access.record_id, entry.model, entry.version))
