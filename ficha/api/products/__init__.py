"""Codes, stickers and their QR."""

from ficha.api.products import batches, carnet, codes, products, qr, stickers

OPERATIONS = (
    products.operations,
    qr.operations,
    codes.operations,
    batches.operations,
    stickers.operations,
    carnet.operations,
)
