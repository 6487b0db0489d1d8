"""The fragment of a sticker's link: made from an opened record, and opened again before anybody prints it."""

from datetime import datetime

from sqlalchemy.orm import Session

from ficha.core.crypto import Keyring
from ficha.fmd.access import OpenFmd
from ficha.fmd.entries import stored
from ficha.fmd.offline.keys import signing_key
from ficha.fmd.offline.lines import card_of
from ficha.fmd.offline.packing import fits, pack, unpack


def offline_fragment(session: Session, keyring: Keyring, fmd: OpenFmd, code: str, now: datetime, *, room: int) -> str:
    """At most `room` letters, unless the name and the kinds of the stop signs alone take more."""
    documents = {model: entry.document for model, entry in stored(session, fmd.id, fmd.key).items()}
    text = card_of(documents, code, now.date()).text(lambda text: fits(text, room))
    key = signing_key(session, keyring, now)
    fragment = pack(text, key)
    if unpack(fragment, {key.id: key.public}) != text:
        raise AssertionError("a sticker that cannot be read again")
    return fragment
