"""Codes, stickers and their QR."""

from ficha.api.products import products, qr

OPERATIONS = (products.operations, qr.operations)
