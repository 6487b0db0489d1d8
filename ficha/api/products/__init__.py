"""Codes, stickers and their QR."""

from ficha.api.products import batches, codes, products, qr, stickers

OPERATIONS = (
    products.operations,
    qr.operations,
    codes.operations,
    batches.operations,
    stickers.operations,
)
