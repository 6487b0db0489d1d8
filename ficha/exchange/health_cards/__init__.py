"""SMART Health Cards: the emergency part of a record as a signed card that fits one QR, and cards of others read."""
