"""What the owner calls a sticker: helmet, wheelchair. Sealed with the record's key, for it may tell much."""

from ficha.core.crypto import Tampered, seal, unseal
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.record_codes import CodeUnknown
from ficha.products.product import LiveCode, Product

MOST_LETTERS = 40


def name_sticker(tx: Transaction, fmd: OpenFmd, code: str, name: str) -> None:
    """An empty name takes the one it has away. Raises MayNotManage, or CodeUnknown for one that is not the record's."""
    fmd.must_manage()
    product = tx.orm.get(Product, code.upper())
    if product is None or product.record_id != fmd.id:
        raise CodeUnknown
    words = " ".join(name.split())[:MOST_LETTERS]
    product.sealed_name = seal(fmd.key, words.encode("utf-8", "replace"), _place(product)) if words else None


def sticker_name(product: Product | LiveCode, key: bytes) -> str:
    """Empty where it has none. `key` is the record's."""
    if product.sealed_name is None:
        return ""
    try:
        return unseal(key, product.sealed_name, _place(product)).decode()
    except Tampered:
        return ""


def _place(product: Product | LiveCode) -> str:
    return f"product:{product.code}:name"
