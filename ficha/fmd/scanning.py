"""Opens a record by its sticker, and tells a tag that ended, that is new or not confirmed yet from a wrong one."""

from typing import NamedTuple

from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.secrets import opened_key
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, ScannedFmd
from ficha.fmd.base import Door
from ficha.fmd.records import record_key_bound_to
from ficha.fmd.statements import record_by_code
from ficha.products.codes import EndedScan, UnopenedTag, unopened_tag
from ficha.products.product import tag_matches


class TagEnded(FmdNotFound):
    """`scan` says which, so that its owner can be told."""

    status = 409
    code = "etiqueta_terminada"
    message = "Esa etiqueta ya no sirve: se marcó como perdida, se retiró o se cambió por otra. No se creó nada."
    keeps_changes = True  # That it was scanned.

    def __init__(self, scan: EndedScan) -> None:
        super().__init__(self.message)
        self.scan = scan


class TagNew(FmdNotFound):
    status = 409
    code = "etiqueta_nueva"
    message = "Esa etiqueta es nueva: todavía no pertenece a nadie. No se creó nada."


class TagNotConfirmed(FmdNotFound):
    """It was claimed by its code alone."""

    status = 409
    code = "etiqueta_sin_activar"
    message = "Esa etiqueta todavía no está activa: falta confirmarla. No se creó nada."


class TaggedRecord(NamedTuple):
    """The record behind a live code, and the hash of its sticker's tag."""

    tag_hash: bytes | None
    id: int
    key_id: str | None
    wrapped_key: bytes | None

    def key_by(self, keyring: Keyring, tag: str) -> bytes | None:
        """None if this is not its tag. Raises KeyDestroyed, or Tampered if the key does not open."""
        if not tag_matches(self.tag_hash, tag):
            return None
        return opened_key(keyring, self.key_id, self.wrapped_key, record_key_bound_to(self.id))


def scan(tx: Transaction, keyring: Keyring, code: str, tag: str) -> ScannedFmd:
    """Opens a record by a live code and its tag. Raises FmdNotFound, the same for a wrong tag and for an unknown code;
    TagEnded, TagNew or TagNotConfirmed, which are such too, where the tag is or was that of the code."""
    found = record_by_code(tx, code)
    if found is not None:
        record, tag_hash = found
        key = TaggedRecord(tag_hash, record.id, record.key_id, record.wrapped_key).key_by(keyring, tag)
        if key is not None:
            return ScannedFmd(record, key, code.upper(), Door.R, Actor("tag"))
    raise _why_not(tx, code, tag)


def _why_not(tx: Transaction, code: str, tag: str) -> FmdNotFound:
    found = unopened_tag(tx, code, tag)
    if isinstance(found, EndedScan):
        return TagEnded(found)
    if found is None:
        return FmdNotFound()
    return TagNew() if found is UnopenedTag.NEW else TagNotConfirmed()
