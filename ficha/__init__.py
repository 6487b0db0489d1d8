"""Ficha: the emergency medical record behind a QR code."""

__version__ = "0.1.0"
