"""Beyond the limit of typed codes an alert is not refused: it costs its sender a little work, or a little waiting.

A script finds a number whose hash with the challenge begins with zeros. Where none runs, the same form is taken once
the challenge is old enough. A challenge is for one code: used again, it joins the alert that it has raised.
"""

import hashlib
import hmac
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from secrets import token_hex

from ficha.core.secrets import Secrets
from ficha.core.settings import Settings

VALID_SECONDS = 600
# The names of the form's fields, and of those that it hands on.
CHALLENGE, WORK = "reto", "trabajo"
POSITION = ("lat", "lon", "precision")

SCRIPT = (Path(__file__).parents[1] / "static" / "alert-proof.js").read_text("utf-8").strip()


@dataclass(frozen=True)
class AlertProof:
    """`seconds_left` is how long to wait where no work is done; 0 once it is paid, either way."""

    challenge: str
    seconds_left: int


def asked_proof(secrets: Secrets, settings: Settings, code: str, form: dict[str, str], now: datetime) -> AlertProof:
    """What the form has paid of its challenge; a new challenge if it has none, or one that is not ours or too old."""
    challenge, work = form.get(CHALLENGE, ""), form.get(WORK, "")
    age = _age(secrets, code, challenge, now)
    if age is None or not 0 <= age <= VALID_SECONDS:
        return AlertProof(_new_challenge(secrets, code, now), settings.alert_wait_seconds)
    if has_worked(challenge, work, settings.alert_proof_bits):
        return AlertProof(challenge, 0)
    return AlertProof(challenge, max(0, settings.alert_wait_seconds - int(age)))


def has_worked(challenge: str, work: str, bits: int) -> bool:
    if not work.isdecimal() or len(work) > 20:
        return False
    digest = hashlib.sha256(f"{challenge}:{work}".encode()).digest()
    return int.from_bytes(digest) >> (256 - bits) == 0


def _new_challenge(secrets: Secrets, code: str, now: datetime) -> str:
    issued = f"{int(now.timestamp())}.{token_hex(8)}"
    return f"{issued}.{_signature(secrets, code, issued)}"


def _age(secrets: Secrets, code: str, challenge: str, now: datetime) -> float | None:
    """In seconds; None if we did not give this challenge for this code."""
    issued, _, signature = challenge.rpartition(".")
    if not hmac.compare_digest(signature.encode("utf-8", "replace"), _signature(secrets, code, issued).encode()):
        return None
    return now.timestamp() - int(issued.partition(".")[0])


def _signature(secrets: Secrets, code: str, issued: str) -> str:
    return secrets.keyed_hash("alert-proof", f"{code.upper()}:{issued}")[:16].hex()
