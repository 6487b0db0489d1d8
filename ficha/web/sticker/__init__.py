"""The pages that a sticker opens, scanned or by its typed code, for a stranger."""
