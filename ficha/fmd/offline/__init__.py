"""What a sticker says without a network: a few signed lines that its QR carries after the `#` of its link."""
