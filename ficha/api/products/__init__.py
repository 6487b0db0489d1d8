"""Codes, stickers and their QR."""
