"""What a sticker tells without a network: a few signed lines that its QR holds after the `#` of its link."""
