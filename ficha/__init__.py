"""Ficha: the emergency medical record behind a QR code."""

__version__ = "2.1.0"
