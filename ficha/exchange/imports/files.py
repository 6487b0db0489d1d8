"""What somebody sent, whatever it is, as the documents in it, each with what is known of its signature."""

from collections.abc import Iterable, Sequence
from datetime import datetime

from ficha.core.errors import FichaError
from ficha.exchange.health_cards.reading import SCHEME, read_cards
from ficha.exchange.health_links.reading import is_health_link
from ficha.exchange.imports.bounded_json import MOST_FACTS, DocumentTooLarge, read_json
from ficha.exchange.imports.cards import CardSigners, signature_of
from ficha.exchange.imports.content import Signature
from ficha.exchange.imports.documents import ReadDocument, read_bundle

Documents = list[tuple[ReadDocument, Signature]]
PICTURES = (b"\xff\xd8\xff", b"\x89PNG", b"RIFF")
# How HEIC begins, after its length.
HEIC = slice(4, 8), b"ftyp"
MOST_CODES = 20


class NothingSent(FichaError):
    status = 422
    code = "documento_vacio"
    message = "Elija un archivo, o pegue el texto de la tarjeta o del enlace."


class NoCardInPicture(FichaError):
    status = 422
    code = "imagen_sin_tarjeta"
    message = (
        "En esa imagen no se ve el código QR de una tarjeta o de un enlace de salud. Tómela más cerca, derecha y sin "
        "reflejos."
    )


class PdfNotRead(FichaError):
    status = 415
    code = "pdf_no_admitido"
    message = "Un PDF no se lee aquí. Envíe una foto o una captura de pantalla del código QR que trae."


def read_document(content: bytes, language: str, now: datetime, signers: CardSigners) -> Documents:
    """A bundle of FHIR, or the cards of a file or of a QR's text. Raises why it is refused."""
    text = content.strip().removeprefix(b"\xef\xbb\xbf")
    if text[: len(SCHEME)].lower() == SCHEME.encode() or _is_compact(text):
        return read_signed(text, language, now, signers)
    found = read_json(text)
    if isinstance(found, dict) and "verifiableCredential" in found:
        return read_signed(text, language, now, signers)
    return within_bounds([(read_bundle(found, language, now.date()), Signature())])


def is_picture(content: bytes) -> bool:
    return content.startswith(PICTURES) or content[HEIC[0]] == HEIC[1]


def text_in(content: bytes) -> bytes:
    """Raises NothingSent or PdfNotRead."""
    text = content.strip()
    if not text:
        raise NothingSent
    if text.startswith(b"%PDF"):
        raise PdfNotRead
    return text


def codes_in(texts: Sequence[str]) -> list[str]:
    """Of what the codes of a picture say: the links if there are any, else the cards. Raises NoCardInPicture, or
    DocumentTooLarge if there are more than are read."""
    found = [one for one in texts if is_health_link(one)][:1] or [
        one for one in texts if one[: len(SCHEME)].lower() == SCHEME
    ]
    if not found:
        raise NoCardInPicture
    if len(found) > MOST_CODES:
        raise DocumentTooLarge
    return found


def read_signed(text: bytes | str, language: str, now: datetime, signers: CardSigners) -> Documents:
    """Every card in it. One that is refused refuses all."""
    cards = [(card, signature_of(card, signers, now)) for card in read_cards(text)]
    return within_bounds((read_bundle(card.bundle, language, now.date()), signature) for card, signature in cards)


def within_bounds(documents: Iterable[tuple[ReadDocument, Signature]]) -> Documents:
    """All of them, read one after the other. Raises DocumentTooLarge as soon as they say more than one import takes."""
    found: Documents = []
    facts = left = 0
    for document, signature in documents:
        found.append((document, signature))
        facts, left = facts + len(document.facts), left + len(document.not_taken)
        if max(facts, left) > MOST_FACTS:
            raise DocumentTooLarge
    return found


def _is_compact(text: bytes) -> bool:
    """Three parts of base64url, as a card is signed."""
    return not text.startswith((b"{", b"[")) and text.count(b".") == 2 and b" " not in text[:100]
