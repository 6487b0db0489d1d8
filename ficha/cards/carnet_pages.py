"""The carnet as it is printed: what a responder may see of a person, and nothing more. Its QR is read back."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ficha.accounts.accounts import Idioma
from ficha.cards import printing
from ficha.cards.printing import FileType, PrintTemplate, printable
from ficha.cards.qr import (
    FRAGMENT,
    MAX_LETTERS,
    MOST_HEALTH_CARD_VERSION,
    QUIET,
    NotReadable,
    health_card_symbol,
    side_of,
)
from ficha.cards.stickers import printed_symbol, texts_on
from ficha.core.errors import FichaError, Source
from ficha.exchange.health_cards.reading import read_card
from ficha.exchange.health_cards.writing import qr_text
from ficha.fmd.base import Door
from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.responder.view import NoSigns, ResponderView, StopSign
from ficha.fmd.rules.sign_conditions import phrase
from ficha.fmd.rules.withdrawn_rules import NONE_WITHDRAWN, WithdrawnRules
from ficha.fmd.translations import Translated

DOTS_PER_INCH = 300
# Of the QR of the card's code, alone and where a Health Card is on the back too; and of that. All at scale 1.
QR_MM = 36
QR_BESIDE_MM = 24
HEALTH_CARD_MM = 30
# Measured (decision 43): a full one is finer than a QR of ours, and with smaller modules it is not always read.
HEALTH_CARD_MODULE_MM = 0.42
MOST_CONTACTS = 3
SIGN_LETTERS = 110
NAMES_LETTERS = 90
NAME_LETTERS = 60
INK = "#1d3557"

WORDS = {
    "title": Translated("Carnet de emergencia", "Emergency card", "Carteira de emergência"),
    "photo": Translated("Foto", "Photo", "Foto"),
    "unjudged": Translated("Sin evaluar: {names}", "Not assessed: {names}", "Não avaliado: {names}"),
    "more_signs": Translated("Y {count} más: {names}", "And {count} more: {names}", "E mais {count}: {names}"),
    "contacts": Translated("En emergencia, llame a", "In an emergency, call", "Em emergência, ligue para"),
    "no_contacts": Translated("Escanee el QR.", "Scan the QR.", "Escaneie o QR."),
    "serial": Translated("Serie", "Serial", "Série"),
    "issued": Translated("Emitido", "Issued", "Emitida"),
    "valid": Translated("Válido hasta", "Valid until", "Válida até"),
    "verify": Translated("Compruebe en", "Verify at", "Confira em"),
    "scan": Translated("En emergencia, escanee este", "In an emergency, scan this one", "Em emergência, escaneie este"),
    "for_programs": Translated(
        "Solo para programas de salud, también sin red.",
        "Only for health programs, also without a network.",
        "Só para programas de saúde, também sem rede.",
    ),
}

# What is said where there is no stop sign, as on the page: one for each reason, and where nothing may be shown at all.
NO_SIGNS: Mapping[NoSigns, Translated] = {
    NoSigns.JUDGED: Translated(
        "Sin alertas graves registradas; puede tenerlas.",
        "No serious alerts recorded; there may be some.",
        "Sem alertas graves registrados; pode haver.",
    ),
    NoSigns.WRITTEN: Translated(
        "Hay notas que no caben aquí: escanee el QR.",
        "There are notes that do not fit here: scan the QR.",
        "Há notas que não cabem aqui: escaneie o QR.",
    ),
    NoSigns.RESERVED: Translated(
        "Sin alertas graves en lo que se puede mostrar. Escanee el QR.",
        "No serious alerts in what can be shown. Scan the QR.",
        "Sem alertas graves no que pode ser mostrado. Escaneie o QR.",
    ),
    NoSigns.NOTHING_RECORDED: Translated(
        "No hay alergias, medicinas ni enfermedades registradas: no se sabe si tiene alguna.",
        "No allergies, medicines or conditions are recorded: it is not known whether there are any.",
        "Não há alergias, remédios nem doenças registrados: não se sabe se há.",
    ),
}
UNREADABLE = Translated("No se pudo leer la ficha.", "The record could not be read.", "Não foi possível ler a ficha.")


class CarnetForm(StrEnum):
    WALLET = "wallet"
    LARGE = "large"


SCALES = {CarnetForm.WALLET: 1.0, CarnetForm.LARGE: 1.7}
# How much a QR that is read without a network may hold on each: measured like those of stickers (decision 12).
OFFLINE_LETTERS = {CarnetForm.WALLET: MAX_LETTERS, CarnetForm.LARGE: MAX_LETTERS}
# Those on whose back even the largest Health Card has modules that phones read.
HEALTH_CARD_FORMS = [
    form
    for form, scale in SCALES.items()
    if HEALTH_CARD_MM * scale / (side_of(MOST_HEALTH_CARD_VERSION) + 2 * QUIET) >= HEALTH_CARD_MODULE_MM
]


class TooSmallForHealthCard(FichaError):
    status = 422
    code = "carnet_pequeno"
    message = "En el carnet de billetera no se leería el QR de una SMART Health Card. Elija la letra grande."
    source = Source("parameter", "form")


class Issuer(NamedTuple):
    """The institution's name, colour and logo (a PNG of our own), from its service record."""

    name: str
    color: str | None
    logo: bytes | None = None
    logo_alt: str | None = None


class PrintedCarnet(NamedTuple):
    """All that the page shows."""

    code: str
    # What its QR holds: with the emergency lines, if the owner wants them on it.
    link: str
    serial: str
    issued_at: datetime
    expires_at: datetime
    issuer: Issuer | None
    photo: bytes | None
    documents: Mapping[str, Any]
    withdrawn: WithdrawnRules = NONE_WITHDRAWN
    # Signed, if the owner wants it on the back.
    health_card: str | None = None


def drawn_carnet(
    file_type: FileType, carnet: PrintedCarnet, form: CarnetForm, idioma: Idioma, base_url: str, now: datetime
) -> bytes:
    """A PDF is PDF/A. Raises TooSmallForHealthCard; and NotReadable if a QR does not say what it should."""
    must_have_room(form, has_health_card=carnet.health_card is not None)
    data = carnet_data(carnet, form, idioma, base_url, now)
    if file_type is FileType.PDF:
        return printing.archive_pdf(PrintTemplate.CARNET, data, now)
    if file_type is FileType.SVG:
        return printing.svg(PrintTemplate.CARNET, data)[0]
    [drawn] = printing.png(PrintTemplate.CARNET, data, DOTS_PER_INCH)
    if not {carnet.link, *([qr_text(carnet.health_card)] if carnet.health_card else [])} <= texts_on(drawn):
        raise NotReadable
    return drawn


def must_have_room(form: CarnetForm, *, has_health_card: bool) -> None:
    """Raises TooSmallForHealthCard."""
    if has_health_card and form not in HEALTH_CARD_FORMS:
        raise TooSmallForHealthCard


def initials(documents: Mapping[str, Any], now: datetime) -> str:
    """Of the name that a responder may see: `A. P.`"""
    name = responder_view(documents, Door.R, now, Idioma.ES, withdrawn=NONE_WITHDRAWN).who.name
    return " ".join(f"{word[0].upper()}." for word in name.split()[:4])


def verify_url(base_url: str, serial: str) -> str:
    return f"{base_url}/carnet/{serial}"


def carnet_data(
    carnet: PrintedCarnet, form: CarnetForm, idioma: Idioma, base_url: str, now: datetime
) -> dict[str, Any]:
    """What the template is given."""
    view = responder_view(carnet.documents, Door.R, now, idioma, withdrawn=carnet.withdrawn, on_paper=True)
    color = (carnet.issuer and carnet.issuer.color) or INK
    issuer = printable(carnet.issuer.name)[:NAME_LETTERS] if carnet.issuer else "Ficha"
    logo = carnet.issuer and carnet.issuer.logo
    return {
        "scale": SCALES[form],
        "lang": idioma.value,
        "title": f"{WORDS['title'].in_language(idioma)} {carnet.serial}",
        "color": color,
        "on_color": _readable_on(color),
        "issuer": issuer,
        # One line, or several small ones.
        "issuer_pt": 7.5 if len(issuer) <= (18 if logo else 26) else 5,
        "title_pt": 6 if logo else 7.5,
        "logo": list(logo) if logo else None,
        "logo_alt": printable((carnet.issuer and (carnet.issuer.logo_alt or carnet.issuer.name)) or ""),
        "words": {name: text.in_language(idioma) for name, text in WORDS.items()},
        "name": printable(view.who.name)[:NAME_LETTERS],
        "traits": printable(" · ".join(view.who.traits)),
        "photo": None if carnet.photo is None else list(carnet.photo),
        "signs": sign_lines(view, idioma),
        # As on the page: what no rule has judged, or why there is no sign.
        "below_signs": below_signs(view, idioma),
        "contacts": [
            {
                "name": printable(contact.name)[:40],
                "relation": printable(contact.relation.words)[:20] if contact.relation else "",
                "number": printable(contact.number.shown) if contact.number else "",
            }
            for contact in view.contacts[:MOST_CONTACTS]
        ],
        "qr": printed_symbol(carnet.link, (QR_BESIDE_MM if carnet.health_card else QR_MM) * SCALES[form]).svg(),
        "qr_mm": QR_BESIDE_MM if carnet.health_card else QR_MM,
        "health_card": _health_card(carnet.health_card, idioma) if carnet.health_card else None,
        "link": carnet.link.partition(FRAGMENT)[0],
        "code": carnet.code,
        "domain": urlsplit(base_url).netloc.lower(),
        "serial": "-".join(carnet.serial[start : start + 4] for start in (0, 4, 8)),
        "issued": date_text(f"{carnet.issued_at:%Y-%m-%d}", idioma),
        "valid": date_text(f"{carnet.expires_at:%Y-%m-%d}", idioma),
        "verify": verify_url(base_url, carnet.serial).partition("://")[2],
    }


def _health_card(signed: str, idioma: Idioma) -> dict[str, Any]:
    """Its days are not the carnet's: it says what was known on the first, and counts until the last."""
    card = read_card(signed)
    days = [
        date_text(f"{datetime.fromtimestamp(moment, UTC):%Y-%m-%d}", idioma)
        for moment in (card.not_before, card.expires)
        if moment is not None
    ]
    return {"qr": health_card_symbol(signed).svg(), "mm": HEALTH_CARD_MM, "days": " – ".join(days)}


def sign_lines(view: ResponderView, idioma: Idioma, most: int = SIGN_LETTERS) -> list[dict[str, str]]:
    """Each with its detail; `brief` is said where that does not fit, and still names the autoinjector."""
    more = []
    if view.more_signs:
        words = WORDS["more_signs"].in_language(idioma)
        more.append(StopSign(words.format(count=len(view.more_signs), names=_listed(view.more_signs))))
    injector = phrase("autoinjector").in_language(idioma)
    return [
        {
            "text": shortened(sign.text, most),
            "detail": shortened(sign.detail, most),
            "brief": shortened(" · ".join(part for part in sign.detail.split(" · ") if part.startswith(injector))),
        }
        for sign in (*view.signs, *more, *filter(None, [view.unknown_allergies]))
    ]


def below_signs(view: ResponderView, idioma: Idioma) -> str:
    if view.consent_unreadable:
        return UNREADABLE.in_language(idioma)
    if view.unjudged:
        return WORDS["unjudged"].in_language(idioma).format(names=printable(_listed(view.unjudged)))
    has_signs = view.signs or view.unknown_allergies
    return "" if has_signs else NO_SIGNS[view.no_signs].in_language(idioma)


def _listed(names: Sequence[str]) -> str:
    """As many whole names as there is room for, one at least, and how many more there are."""
    count = 1
    while count < len(names) and len(", ".join(names[: count + 1])) <= NAMES_LETTERS:
        count += 1
    return ", ".join([*names[:count], *([f"+{len(names) - count}"] if count < len(names) else [])])


def shortened(words: str, most: int = SIGN_LETTERS) -> str:
    """After a whole word, with a mark where something is left out."""
    shown = printable(words)
    return shown if len(shown) <= most else (shown[:most].rpartition(" ")[0] or shown[:most]).rstrip(" ,:·") + " …"


def _readable_on(color: str) -> str:
    """White or black, whichever has more contrast on that colour (WCAG's relative luminance)."""
    parts = [int(color[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return "#ffffff" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.179 else "#000000"
