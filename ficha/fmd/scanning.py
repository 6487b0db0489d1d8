"""Opens a record by its sticker, and tells a tag that ended, that is new or not confirmed yet from a wrong one."""

from ficha.audit.log import Actor
from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.fmd.access import FmdNotFound, ScannedFmd, record_with_code
from ficha.fmd.base import Door
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


def scan(tx: Transaction, keyring: Keyring, code: str, tag: str) -> ScannedFmd:
    """Opens a record by a live code and its tag. Raises FmdNotFound, the same for a wrong tag and for an unknown code;
    TagEnded, TagNew or TagNotConfirmed, which are such too, where the tag is or was that of the code."""
    try:
        record, stored_hash = record_with_code(tx, code)
    except FmdNotFound:
        record, stored_hash = None, None
    if record is not None and tag_matches(stored_hash, tag):
        return ScannedFmd(record, record.open_key(keyring), code.upper(), Door.R, Actor("tag"))
    raise _why_not(tx, code, tag)


def _why_not(tx: Transaction, code: str, tag: str) -> FmdNotFound:
    found = unopened_tag(tx, code, tag)
    if isinstance(found, EndedScan):
        return TagEnded(found)
    if found is None:
        return FmdNotFound()
    return TagNew() if found is UnopenedTag.NEW else TagNotConfirmed()
