"""The `data` of the five answers, as bytes. What the owner reads goes from the cipher to the wire without being parsed;
what others read is taken apart, because `consentimiento` decides about single facts."""

import json
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

from ficha.core.crypto import Keyring, Tampered, unseal
from ficha.core.log import log
from ficha.fastlane.callers import WAY_COLUMNS, Way
from ficha.fastlane.model_names import ORDER
from ficha.fastlane.paths import Read
from ficha.fastlane.stores import Row, Store
from ficha.fmd.base import Document, has_data
from ficha.fmd.consent import CONSENT, visible
from ficha.fmd.entries import open_document, place_of

NEVER_SAVED = b'{"version":0,"updated_at":null,"data":{}}'


class Found(NamedTuple):
    """`what` names the models that the answer speaks of, for the log. `size` is set when it is a list."""

    data: bytes
    what: Sequence[str]
    etag: str = ""
    size: int | None = None


class Stored(NamedTuple):
    model: str
    version: int
    updated_at: Any
    sealed: bytes


class RecordAnswers:
    def __init__(self, keyring: Keyring, store: Store) -> None:
        self._keyring = keyring
        self._wire = store.wire
        self.of: dict[Read, Callable[[Way, Sequence[Row], Sequence[str]], Found]] = {
            Read.MODEL_EXISTS: self._model_exists,
            Read.RECORD_EXISTS: self._record_exists,
            Read.MODEL: self._model,
            Read.MODELS: self._models,
            Read.RECORD: self._record,
        }

    def _model_exists(self, way: Way, rows: Sequence[Row], names: Sequence[str]) -> Found:
        exists, version, sealed, consent_version, consent = rows[0][WAY_COLUMNS:]
        if exists and not way.sees_all:
            entry = Stored(names[0], version, None, sealed)
            exists = has_data(self._part(way, entry, consent_version, consent))
        return Found(b'{"exists":true}' if exists else b'{"exists":false}', names)

    def _record_exists(self, way: Way, rows: Sequence[Row], _names: Sequence[str]) -> Found:
        if way.sees_all:
            with_data = {row[WAY_COLUMNS] for row in rows if row[WAY_COLUMNS + 1]}
        else:
            entries = [
                Stored(model, version, None, sealed)
                for model, _, version, sealed in (row[WAY_COLUMNS:] for row in rows)
                if model is not None
            ]
            with_data = {model for model, part in self._parts(way, entries).items() if has_data(part)}
        models = [model for model in ORDER if model in with_data]
        told = b",".join([b'"%b"' % model.encode() for model in models])
        return Found(b'{"exists":%b,"models":[%b]}' % (b"true" if models else b"false", told), models)

    def _model(self, way: Way, rows: Sequence[Row], names: Sequence[str]) -> Found:
        model = names[0]
        version, updated_at, sealed, consent_version, consent = rows[0][WAY_COLUMNS:]
        if version is None:
            return Found(_resource(model, NEVER_SAVED), names, f"{model}-0")
        entry = Stored(model, version, updated_at, sealed)
        if way.sees_all:
            key = way.key(self._keyring)
            plain = unseal(key, sealed, place_of(way.record_id, model, version))
        else:
            part = self._part(way, entry, consent_version, consent)
            if not part:  # What may not be seen looks like what was never saved.
                return Found(_resource(model, NEVER_SAVED), names, f"{model}-0")
            plain = _bytes(part)
        return Found(_resource(model, self._attributes(entry, plain)), names, f"{model}-{version}")

    def _models(self, way: Way, rows: Sequence[Row], names: Sequence[str]) -> Found:
        entries = [Stored(*row[WAY_COLUMNS:]) for row in rows if row[WAY_COLUMNS] is not None]
        shown, damaged = self._shown(way, entries)
        told = [_resource(name, shown.get(name, NEVER_SAVED)) for name in names if name not in damaged]
        return Found(b"[%b]" % b",".join(told), names, size=len(told))

    def _record(self, way: Way, rows: Sequence[Row], _names: Sequence[str]) -> Found:
        entries = [Stored(*row[WAY_COLUMNS:-3]) for row in rows if row[WAY_COLUMNS] is not None]
        shown, _ = self._shown(way, entries)
        told = [name for name in ORDER if name in shown]
        models = b",".join([b'"%b":%b' % (name.encode(), shown[name]) for name in told])
        relacion, template_type, version = rows[0][-3:]
        data = b'{"type":"fmd","id":%d,"attributes":{"relacion":%b,"template_type":%b,"version":%d,"models":{%b}}}' % (
            way.record_id,
            _bytes(relacion),
            _bytes(template_type),
            version,
            models,
        )
        return Found(data, told, f"r-{version}" if way.sees_all else "")

    def _shown(self, way: Way, entries: Iterable[Stored]) -> tuple[dict[str, bytes], set[str]]:
        """The attributes of each model that may be seen, and the models that cannot be read."""
        damaged: set[str] = set()
        if not way.sees_all:
            by_model = {entry.model: entry for entry in entries}
            parts = self._parts(way, by_model.values(), damaged)
            return {model: self._attributes(by_model[model], _bytes(part)) for model, part in parts.items()}, damaged
        key = way.key(self._keyring)
        shown = {}
        for entry in entries:
            try:
                plain = unseal(key, entry.sealed, place_of(way.record_id, entry.model, entry.version))
            except Tampered:
                _say_damaged(way, entry)
                damaged.add(entry.model)
            else:
                shown[entry.model] = self._attributes(entry, plain)
        return shown, damaged

    def _part(self, way: Way, entry: Stored, consent_version: int | None, consent: bytes | None) -> Document:
        """What of one model may be seen by somebody who does not see all."""
        entries = [entry]
        if consent_version is not None and consent is not None and entry.model != CONSENT:
            entries.append(Stored(CONSENT, consent_version, None, consent))
        damaged: set[str] = set()
        part = self._parts(way, entries, damaged).get(entry.model, {})
        if entry.model in damaged:
            raise Tampered(place_of(way.record_id, entry.model, entry.version))
        return part

    def _parts(self, way: Way, entries: Iterable[Stored], damaged: set[str] | None = None) -> dict[str, Document]:
        key = way.key(self._keyring)
        documents: dict[str, Document | None] = {}
        for entry in entries:
            try:
                opened = open_document(key, way.record_id, entry.model, entry.version, entry.sealed)
            except (Tampered, ValueError):
                _say_damaged(way, entry)
                opened = None  # For `visible`, a consent that cannot be read hides everything.
                if damaged is not None:
                    damaged.add(entry.model)
            documents[entry.model] = opened
        return visible(documents, way.rights.door)

    def _attributes(self, entry: Stored, plain: bytes) -> bytes:
        return b'{"version":%d,"updated_at":"%b","data":%b}' % (
            entry.version,
            self._wire(entry.updated_at).encode(),
            plain,
        )


def _resource(model: str, attributes: bytes) -> bytes:
    return b'{"type":"fmd_model","id":"%b","attributes":%b}' % (model.encode(), attributes)


def _bytes(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _say_damaged(way: Way, entry: Stored) -> None:
    log().error("entry.damaged", place=place_of(way.record_id, entry.model, entry.version))
