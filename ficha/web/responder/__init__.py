"""The pages behind a sticker: small enough for one round trip, readable with scripts off, at night and in print."""
