"""A Health Card is printed on a carnet only where phones read it: on the large one."""

import pytest

from ficha.accounts.accounts import Idioma
from ficha.cards.carnet_pages import (
    HEALTH_CARD_FORMS,
    HEALTH_CARD_MODULE_MM,
    QR_MM,
    SCALES,
    CarnetForm,
    TooSmallForHealthCard,
    drawn_carnet,
)
from ficha.cards.printing import FileType
from tests.cards.health_card_sizes import (
    LARGEST_SIDE,
    OFFERED,
    SAMPLES,
    carnet_with,
    full_card,
    times_read,
)
from tests.cards.offline_sizes import BASE, NOW
from tests.exchange.health_cards.cards import Issuer

# Of carnet.typ: the card, its margins left and right, and what is between the QR and the words beside it.
WIDTH, MARGINS, GAP = 85.6, 2 * 4, 3


def test_on_the_small_carnet_there_is_no_room_for_one_that_is_read() -> None:
    """Not even with nothing else beside the QR of its code."""
    left = (WIDTH - MARGINS - QR_MM - GAP) * SCALES[CarnetForm.WALLET]
    assert left / LARGEST_SIDE < HEALTH_CARD_MODULE_MM <= OFFERED
    assert HEALTH_CARD_FORMS == [CarnetForm.LARGE]
    carnet = carnet_with(full_card(Issuer()))
    for file_type in FileType:
        with pytest.raises(TooSmallForHealthCard):
            drawn_carnet(file_type, carnet, CarnetForm.WALLET, Idioma.ES, BASE, NOW)


@pytest.mark.slow
def test_from_the_large_one_a_full_card_is_read_always() -> None:
    assert times_read(OFFERED, SAMPLES) == {"150 dpi": SAMPLES, "blurred": SAMPLES, "photo": SAMPLES}


@pytest.mark.slow
def test_as_small_as_the_small_one_would_need_it_hardly_any_photo_is_read() -> None:
    """Cards differ by chance: about one photo in thirty is read."""
    assert times_read(0.34, 24)["photo"] <= 5
