"""What is printed: the QR of a sticker."""
