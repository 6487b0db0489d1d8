"""At which size of its modules the QR of a full Health Card is read from the back of a carnet.

`python -m tests.cards.health_card_sizes` writes the table that decision 43 shows.
"""

import sys
from datetime import timedelta
from io import BytesIO

from PIL import Image

from ficha.accounts.accounts import Idioma
from ficha.cards import printing
from ficha.cards.carnet_pages import HEALTH_CARD_MM, SCALES, CarnetForm, PrintedCarnet, carnet_data
from ficha.cards.printing import PrintTemplate
from ficha.cards.qr import MOST_HEALTH_CARD_VERSION, QUIET, health_card_symbol, link_of, side_of
from ficha.exchange.health_cards.emergency_set import emergency_set
from ficha.exchange.health_cards.writing import CardClaims, qr_text, written_card
from ficha.exchange.issuer_keys import YEAR, IssuerSigningKey
from tests.cards.offline_sizes import BASE, CODE, DOTS_PER_INCH, NOW, TAG, WAYS, on_a_table
from tests.exchange.health_cards.cards import Issuer
from tests.exchange.samples import WHOLE, stored
from tests.qr_reader import read_qr

SAMPLES = 16
SCALE = SCALES[CarnetForm.LARGE]
LARGEST_SIDE = side_of(MOST_HEALTH_CARD_VERSION) + 2 * QUIET
OFFERED = round(HEALTH_CARD_MM * SCALE / LARGEST_SIDE, 2)
MODULES_MM = (0.32, 0.34, 0.36, 0.38, 0.40, 0.42, OFFERED, 0.48)


def full_card(issuer: Issuer) -> str:
    """Of a record with more than a card holds. Each issuer's looks another."""
    known = emergency_set(stored(WHOLE), 1904221833, BASE, NOW.date())
    claims = CardClaims(BASE, "AQPCj4wwk6M", NOW, NOW + YEAR)
    made = written_card(known, claims, IssuerSigningKey(issuer.kid, issuer.private)).signed
    assert health_card_symbol(made).version == MOST_HEALTH_CARD_VERSION
    return made


def carnet_with(health_card: str) -> PrintedCarnet:
    ends = NOW + timedelta(days=365)
    link = link_of(BASE, CODE, TAG)
    return PrintedCarnet(CODE, link, "K7M2QXR5T8W3", NOW, ends, None, None, stored(WHOLE), health_card=health_card)


def drawn_back(health_card: str, module_mm: float) -> Image.Image:
    """The half that has the Health Card, as somebody who scans it frames it."""
    data = carnet_data(carnet_with(health_card), CarnetForm.LARGE, Idioma.ES, BASE, NOW)
    data["health_card"]["mm"] = module_mm * LARGEST_SIDE / SCALE
    [page] = printing.png(PrintTemplate.CARNET, data, DOTS_PER_INCH)
    drawn = Image.open(BytesIO(page)).convert("L")
    return drawn.crop((drawn.width // 2, drawn.height // 2, drawn.width, drawn.height))


def times_read(module_mm: float, samples: int) -> dict[str, int]:
    """Of so many cards, each signed by somebody else, how many were read in each way."""
    read = dict.fromkeys(WAYS, 0)
    for seed in range(samples):
        card = full_card(Issuer())
        page = on_a_table(drawn_back(card, module_mm))
        for way, seen in WAYS.items():
            found = read_qr(seen(page, seed))
            read[way] += found is not None and found.text == qr_text(card)
    return read


if __name__ == "__main__":
    sys.stdout.write(f"| module mm | QR mm | {' | '.join(WAYS)} |\n| --- |{' --- |' * 4}\n")
    for module_mm in MODULES_MM:
        counts = " | ".join(f"{count} of {SAMPLES}" for count in times_read(module_mm, SAMPLES).values())
        mark = " (printed)" if module_mm == OFFERED else ""
        sys.stdout.write(f"| {module_mm:.2f}{mark} | {module_mm * LARGEST_SIDE:.1f} | {counts} |\n")
        sys.stdout.flush()
