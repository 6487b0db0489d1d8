"""A Health Card as a QR, which is read where it is shown 4 cm wide or printed 48 mm wide, or more."""

from ficha.cards.qr import Level, NotReadable, Symbol, symbol_of
from ficha.exchange.health_cards.writing import qr_text

# As Health Cards want it: nothing that is larger is still read at that size.
LEVEL: Level = "L"
MOST_VERSION = 22


def health_card_symbol(signed: str) -> Symbol:
    """Two segments: the scheme as bytes, all else as digits. Raises NotReadable, which is a bug."""
    symbol = symbol_of(qr_text(signed), LEVEL)
    if symbol.version > MOST_VERSION:
        raise NotReadable
    return symbol
