"""Codes, stickers and their QR."""

from ficha.api.products import batches, codes, products, qr

OPERATIONS = (products.operations, qr.operations, codes.operations, batches.operations)
