"""What is printed: QR codes, stickers, the carnet, a page for the school, lock screens, a patient summary."""
