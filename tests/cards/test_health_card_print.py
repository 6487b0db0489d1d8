"""No Health Card is printed on a carnet: beside the QR of its code there is no room for one that phones read."""

from ficha.cards.carnet_pages import QR_MM, SCALES, CarnetForm
from ficha.cards.health_card_qr import MOST_VERSION, health_card_symbol
from ficha.cards.qr import QUIET
from ficha.cards.stickers import SMALLEST_MODULE_MM
from ficha.exchange.health_cards.emergency_set import emergency_set
from ficha.exchange.health_cards.writing import CardClaims, written_card
from ficha.exchange.issuer_keys import IssuerSigningKey
from tests.cards.offline_sizes import BASE, NOW
from tests.exchange.cards import Issuer
from tests.exchange.samples import SMALL, stored

# Of carnet.typ: the card, its margins left and right, and what is between the QR and the words beside it.
WIDTH, MARGINS, GAP = 85.6, 2 * 4, 3


def side_mm(version: int) -> float:
    """Of a symbol with its quiet zone, whose modules are as small as phones still read."""
    return (17 + 4 * version + 2 * QUIET) * SMALLEST_MODULE_MM


def test_a_card_with_a_few_facts_is_wider_than_what_is_left_beside_the_code() -> None:
    issuer = Issuer()
    known = emergency_set(stored(SMALL), 1904221833, BASE, NOW.date())
    key = IssuerSigningKey(issuer.kid, issuer.private)
    symbol = health_card_symbol(written_card(known, CardClaims(BASE, "AQPCj4wwk6M", NOW, None), key).signed)
    left = (WIDTH - MARGINS - QR_MM - GAP) * SCALES[CarnetForm.WALLET]
    assert round(left, 1) == 38.6
    assert left < side_mm(symbol.version) <= side_mm(MOST_VERSION)
    assert round(side_mm(MOST_VERSION), 1) == 45.2
