"""Reads a SMART Health Card, ours or anybody's: from the text of its QR, from its file, or as it is signed. What it
says counts once `check_card` found its signature good and its issuer has not revoked it."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from ficha.core.errors import FichaError
from ficha.exchange.jose import (
    ALGORITHM,
    DEFLATE,
    InflatesTooLarge,
    NotJose,
    SignatureMismatch,
    check_signature,
    from_base64url,
    inflated,
    json_object,
    key_name,
)

SCHEME = "shc:/"
HEALTH_CARD = "https://smarthealth.cards#health-card"
# Of each character of a signed card: two digits in a QR.
OFFSET = 45
# A whole patient summary has a hundred kilobytes. A file may hold several cards.
MOST_LETTERS = 500_000
MOST_CARDS = 20
MOST_ENTRIES = 1_000
# Clocks differ.
LEEWAY = timedelta(minutes=5)
HEADERS = {"alg", "zip", "kid", "typ"}
_DIGITS = re.compile(r"(?:\d\d)+", re.ASCII)
_PART = re.compile(r"\d+/\d+/\d*", re.ASCII)
_RID = re.compile(r"[A-Za-z0-9_-]{1,24}")
_LISTED_RID = re.compile(r"([A-Za-z0-9_-]{1,24})(?:\.(\d{1,12}))?", re.ASCII)


class CardUnreadable(FichaError):
    status = 422
    code = "tarjeta_ilegible"
    message = "Eso no es una SMART Health Card, o no está completa. Escanéela otra vez o vuelva a descargarla."


class CardTooLarge(FichaError):
    status = 422
    code = "tarjeta_demasiado_grande"
    message = "Esa tarjeta dice más de lo que podemos leer. Pida una más corta a quien la emitió."


class CardInParts(FichaError):
    status = 422
    code = "tarjeta_en_partes"
    message = "Ese QR es solo una parte de una tarjeta. Pida el archivo de la tarjeta a quien la emitió."


class CardNotSigned(FichaError):
    status = 422
    code = "tarjeta_sin_firma"
    message = "Esa tarjeta no lleva la firma que debe llevar (ES256), y por eso nadie responde de lo que dice."


class CardKeyUnknown(FichaError):
    status = 422
    code = "tarjeta_de_clave_desconocida"
    message = "Esa tarjeta está firmada con una clave que su emisor no publica, o que ya retiró. No se puede comprobar."


class CardAltered(FichaError):
    status = 422
    code = "tarjeta_alterada"
    message = "La firma de esa tarjeta no corresponde a lo que dice: alguien la cambió, o está dañada."


class CardExpired(FichaError):
    status = 422
    code = "tarjeta_vencida"
    message = "Esa tarjeta venció. Pida otra a quien la emitió."


class CardNotYetValid(FichaError):
    status = 422
    code = "tarjeta_sin_vigencia"
    message = "Esa tarjeta todavía no es válida: lo será en la fecha que dice."


class CardRevoked(FichaError):
    status = 422
    code = "tarjeta_anulada"
    message = "Quien emitió esa tarjeta la anuló. Pida otra."


class HealthCard(NamedTuple):
    """What a card says of itself. Nobody vouches for it before `check_card`."""

    signed: str
    kid: str
    issuer: str
    not_before: float
    expires: float | None
    types: Collection[str]
    fhir_version: str
    bundle: Mapping[str, Any]
    rid: str | None

    @property
    def keys_url(self) -> str:
        return f"{self.issuer}/.well-known/jwks.json"

    @property
    def revoked_url(self) -> str:
        return f"{self.issuer}/.well-known/crl/{self.kid}.json"


def read_card(content: str | bytes) -> HealthCard:
    """The only card, or the first of several. Raises what `read_cards` raises."""
    return read_cards(content)[0]


def read_cards(content: str | bytes) -> list[HealthCard]:
    """The text of a QR (`shc:/…`), a file (`.smart-health-card`), or one signed card. Raises CardUnreadable,
    CardTooLarge, CardInParts or CardNotSigned."""
    try:
        return [_card(compact) for compact in _signed_texts(content)]
    except InflatesTooLarge:
        raise CardTooLarge from None
    except NotJose:
        raise CardUnreadable from None


def check_card(
    card: HealthCard,
    keys: Mapping[str, Any],
    now: datetime,
    fetch_revoked: Callable[[str], Mapping[str, Any]] | None = None,
) -> None:
    """`keys` is the JWK set that its issuer publishes at `keys_url`. If the key has a list of revoked cards, that is
    fetched from `revoked_url`. Raises CardKeyUnknown, CardAltered, CardExpired, CardNotYetValid or CardRevoked."""
    key = _published_key(card.kid, keys)
    try:
        check_signature(card.signed, key)
    except SignatureMismatch:
        raise CardAltered from None
    if card.not_before > (now + LEEWAY).timestamp():
        raise CardNotYetValid
    if card.expires is not None and card.expires <= now.timestamp():
        raise CardExpired
    fetch = fetch_revoked if card.rid is not None and "crlVersion" in key else None
    if fetch is not None and is_revoked(card, fetch(card.revoked_url)):
        raise CardRevoked


def is_revoked(card: HealthCard, revoked: Mapping[str, Any]) -> bool:
    """By the list of its key. An entry with a time ends what was issued before it."""
    listed = revoked.get("rids")
    if revoked.get("kid") != card.kid or not isinstance(listed, list):
        return False
    found = (_LISTED_RID.fullmatch(one) for one in listed if isinstance(one, str))
    return any(
        one.group(1) == card.rid and (one.group(2) is None or card.not_before < int(one.group(2)))
        for one in found
        if one is not None
    )


def _signed_texts(content: str | bytes) -> list[str]:
    if len(content) > 2 * MOST_LETTERS:
        raise InflatesTooLarge
    try:
        text = (content.decode() if isinstance(content, bytes) else content).strip()
    except UnicodeDecodeError as error:
        raise NotJose("not text") from error
    if text[: len(SCHEME)].lower() == SCHEME:
        return [from_digits(text[len(SCHEME) :])]
    if not text.startswith("{"):
        return [text]
    found = json_object(text).get("verifiableCredential")
    if not isinstance(found, list) or not found or not all(isinstance(one, str) for one in found):
        raise NotJose("no cards")
    if len(found) > MOST_CARDS:
        raise InflatesTooLarge
    return found


def from_digits(digits: str) -> str:
    """Raises NotJose or CardInParts."""
    if _PART.fullmatch(digits):
        raise CardInParts
    if not _DIGITS.fullmatch(digits):
        raise NotJose("not pairs of digits")
    return "".join(chr(OFFSET + int(digits[at : at + 2])) for at in range(0, len(digits), 2))


def _card(compact: str) -> HealthCard:
    if len(compact) > MOST_LETTERS:
        raise InflatesTooLarge
    parts = compact.split(".")
    if len(parts) != 3:
        raise NotJose("not three parts")
    header = json_object(from_base64url(parts[0]))
    if header.get("alg") != ALGORITHM or not parts[2]:
        raise CardNotSigned
    kid = header.get("kid")
    if header.get("zip") != DEFLATE or not isinstance(kid, str) or not header.keys() <= HEADERS:
        raise NotJose("another header")
    return _claims(compact, kid, json_object(inflated(from_base64url(parts[1]))))


def _claims(compact: str, kid: str, claims: Mapping[str, Any]) -> HealthCard:
    credential = _part(claims, "vc", dict)
    subject = _part(credential, "credentialSubject", dict)
    bundle = _part(subject, "fhirBundle", dict)
    types, rid = _part(credential, "type", list), credential.get("rid")
    if HEALTH_CARD not in types or bundle.get("resourceType") != "Bundle":
        raise NotJose("not of health")
    if len(_part(bundle, "entry", list)) > MOST_ENTRIES:
        raise InflatesTooLarge
    if rid is not None and not (isinstance(rid, str) and _RID.fullmatch(rid)):
        raise NotJose("no such rid")
    issuer = _part(claims, "iss", str)
    if not re.fullmatch(r"https://[^\s?#]{1,500}(?<!/)", issuer):
        raise NotJose("no such issuer")
    return HealthCard(
        signed=compact,
        kid=kid,
        issuer=issuer,
        not_before=_part(claims, "nbf", int, float),
        expires=None if claims.get("exp") is None else _part(claims, "exp", int, float),
        types=[one for one in types if isinstance(one, str)],
        fhir_version=_part(subject, "fhirVersion", str),
        bundle=bundle,
        rid=rid,
    )


def _part(whole: Mapping[str, Any], name: str, *kinds: type) -> Any:
    found = whole.get(name)
    if not isinstance(found, kinds) or isinstance(found, bool):
        raise NotJose(f"no {name}")
    return found


def _published_key(kid: str, keys: Mapping[str, Any]) -> Mapping[str, Any]:
    """As Health Cards ask for them, whose name is their thumbprint. Raises CardKeyUnknown."""
    listed = keys.get("keys")
    for key in _mappings(listed if isinstance(listed, list) else ()):
        if key.get("kid") == kid and (key.get("use"), key.get("alg")) == ("sig", ALGORITHM) and "d" not in key:
            try:
                if key_name(key) == kid:
                    return key
            except NotJose:
                continue
    raise CardKeyUnknown


def _mappings(several: Iterable[Any]) -> Iterable[Mapping[str, Any]]:
    return (one for one in several if isinstance(one, dict))
