"""Makes the fragment of a sticker's link from an opened record, and checks that it can be read again."""

from datetime import datetime

from ficha.core.crypto import Keyring
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.entries import stored_documents
from ficha.fmd.offline.keys import signing_key
from ficha.fmd.offline.packing import fits, pack, unpack
from ficha.fmd.offline.summary import offline_summary
from ficha.fmd.withdrawn_rules import withdrawn_rules


def offline_fragment(
    tx: Transaction, keyring: Keyring, fmd: OpenFmd, code: str, now: datetime, *, max_letters: int
) -> str:
    """At most `max_letters`, unless the name and the kinds of the stop signs alone take more."""
    documents = {model: entry.document for model, entry in stored_documents(tx, fmd.id, fmd.key).items()}
    summary = offline_summary(documents, code, now.date(), withdrawn=withdrawn_rules(tx))
    text = summary.text(lambda text: fits(text, max_letters))
    key = signing_key(tx, keyring, now)
    fragment = pack(text, key)
    if unpack(fragment, {key.id: key.public}) != text:
        raise AssertionError("a sticker that cannot be read again")
    return fragment
