"""Ficha: the emergency medical record behind a QR code."""

__version__ = "2.0.0"
