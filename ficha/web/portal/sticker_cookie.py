"""The sticker that somebody holds: its tag goes from the scan to the form that claims it in a sealed cookie, never in
an address of ours; and a sticker that is typed or scanned joins a record."""

import base64
import re
from datetime import datetime, timedelta
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.tokens import Caller
from ficha.administration.subscriptions import allowance
from ficha.core.crypto import Tampered
from ficha.core.ids import CODE_ALPHABET, CODE_LENGTH
from ficha.core.transaction import Transaction
from ficha.fmd.record_codes import CodeAlreadyOwn, CodeEnded, NoRoomForSticker, claim_for_caller
from ficha.http.limits import Limiter, TooManyRequests
from ficha.parts import Parts
from ficha.products.codes import CodeNotFree
from ficha.products.product import Product
from ficha.web.kit.forms import FieldRefused

COOKIE = "ficha_etiqueta"
LASTS = timedelta(hours=1)
MOST_LETTERS = 254
CODE = re.compile(f"[{CODE_ALPHABET}]{{{CODE_LENGTH}}}")
# What the QR holds, as a phone copies it; what follows are lines that are read without a network.
QR = re.compile(rf"(?:HTTPS?://)?[^/\s]*/E/({CODE.pattern})/([A-Z2-7]{{26}})(?:[?#].*)?", re.DOTALL)
REFUSED = {
    CodeNotFree: "code_not_free",
    CodeAlreadyOwn: "code_own",
    CodeEnded: "code_ended",
    NoRoomForSticker: "no_room",
}


class RememberedSticker(NamedTuple):
    """Without a tag it is known by its code alone, which proves nothing."""

    code: str
    tag: str | None = None


def typed_sticker(request: Request, parts: Parts, typed: str, now: datetime) -> RememberedSticker:
    """The code, with the tag where this browser has scanned it or the whole address of the QR was typed. A code that
    cannot be one stays as it was typed."""
    words = typed.strip()[:MOST_LETTERS].upper()
    found = QR.fullmatch(words)
    if found is not None:
        return RememberedSticker(found.group(1), found.group(2))
    code = re.sub(r"[\s-]", "", words)
    remembered = _remembered(request, parts, now)
    return remembered if remembered is not None and remembered.code == code else RememberedSticker(code)


def remember_sticker(response: Response, parts: Parts, sticker: RememberedSticker, now: datetime) -> None:
    plain = f"{sticker.code}|{sticker.tag}|{(now + LASTS).timestamp()}".encode()
    sealed = base64.urlsafe_b64encode(parts.secrets.seal("held_sticker", plain, COOKIE)).decode()
    age, is_https = int(LASTS.total_seconds()), parts.settings.is_https
    response.set_cookie(COOKIE, sealed, max_age=age, path="/", httponly=True, secure=is_https, samesite="lax")


def forget_sticker(request: Request, response: Response, sticker: RememberedSticker) -> None:
    """It has joined a record. One that was typed meanwhile leaves the scanned one in hand."""
    if sticker.tag is not None and COOKIE in request.cookies:
        response.delete_cookie(COOKIE, path="/")


def _remembered(request: Request, parts: Parts, now: datetime) -> RememberedSticker | None:
    try:
        sealed = base64.urlsafe_b64decode(request.cookies.get(COOKIE, ""))
        code, tag, ends = parts.secrets.unseal("held_sticker", sealed, COOKIE).decode().split("|")
    except (ValueError, Tampered):
        return None
    return RememberedSticker(code, tag) if float(ends) > now.timestamp() else None


def add_sticker(
    request: Request,
    tx: Transaction,
    limiter: Limiter,
    address: str,
    caller: Caller,
    sticker: RememberedSticker,
    fmd_code: int,
    now: datetime,
) -> Product:
    """It joins this record of the caller. Raises FieldRefused, after which `tx` is to be rolled back, or
    RecordNotManaged."""
    if not CODE.fullmatch(sticker.code):
        raise FieldRefused("code", "code_wrong" if sticker.code else "code_missing")
    try:
        limiter.hit_claim(request, address, caller.account_id)
        most = allowance(tx, caller.account_id, now).stickers
        added, _ = claim_for_caller(tx, caller, sticker.code, now, most=most, tag=sticker.tag, fmd_code=fmd_code)
    except TooManyRequests as refusal:
        raise FieldRefused.too_many("code", refusal) from None
    except (CodeNotFree, CodeAlreadyOwn, CodeEnded, NoRoomForSticker) as refusal:
        raise FieldRefused("code", REFUSED[type(refusal)]) from None
    return added
