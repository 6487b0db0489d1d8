"""What a Health Card and a patient summary cost: CPU milliseconds of one, of a demo record and of the examples of all
models in one record."""

import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import partial

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from joserfc.jwk import ECKey
from pydantic_core import to_json
from rich.console import Console
from rich.table import Table

from ficha.demo.records import PUPIL
from ficha.exchange.health_cards.emergency_set import emergency_set
from ficha.exchange.health_cards.writing import CardClaims, written_card
from ficha.exchange.ips.document import RecordToTell, patient_summary
from ficha.exchange.issuer_keys import IssuerSigningKey
from ficha.fmd.base import Document, Door
from ficha.fmd.catalog import CATALOG

BASE = "https://ficha.example"
TIMES = 100
ROUNDS = 5
# Milliseconds: of a card beyond its signature, and of a summary.
MOST_CARD, MOST_SUMMARY = 3.0, 5.0
RECORDS: Mapping[str, Mapping[str, Document]] = {
    "a pupil of the demo": PUPIL,
    "all seventeen examples": {model.about.wire: dict(model.about.example) for model in CATALOG},
}


def measure_exchange(console: Console) -> bool:
    """False if one takes longer than it may."""
    table = Table("record", "card beyond ES256, ms", "summary, ms", title="Health Card and patient summary, CPU of one")
    key, now = IssuerSigningKey("bench", ECKey.generate_key("P-256")), datetime.now(UTC)
    bare = ec.generate_private_key(ec.SECP256R1())
    signature = _milliseconds(lambda: bare.sign(b"x" * 1_000, ec.ECDSA(hashes.SHA256())))
    is_good = True
    for name, documents in RECORDS.items():
        card = _milliseconds(partial(_card, documents, key, now)) - signature
        told = RecordToTell(1, documents, Door.B, "es", BASE)
        summary = _milliseconds(lambda: to_json(patient_summary(told, now).bundle))  # noqa: B023 - called at once.
        table.add_row(name, f"{card:.2f}", f"{summary:.2f}")
        is_good = is_good and card <= MOST_CARD and summary <= MOST_SUMMARY
    console.print(table)
    return is_good


def _card(documents: Mapping[str, Document], key: IssuerSigningKey, now: datetime) -> str:
    known = emergency_set(documents, 1, BASE, now.date())
    return written_card(known, CardClaims(BASE, "bench", now, None), key).signed


def _milliseconds(run: Callable[[], object]) -> float:
    """CPU time of one, which others at work on the machine change little; the least of some rounds."""
    measured = []
    for _ in range(ROUNDS):
        began = time.process_time()
        for _ in range(TIMES):
            run()
        measured.append((time.process_time() - began) * 1000 / TIMES)
    return min(measured)
