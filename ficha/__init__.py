"""Ficha: the emergency medical record behind a QR code."""

__version__ = "1.0.0"
