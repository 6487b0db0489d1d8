"""What an alert says: a first name, a time and a place, and never anything about health."""

from datetime import datetime

from ficha.channels.messages import Button, LinkButton, Template
from ficha.emergencies.maps import MapProvider, map_url
from ficha.emergencies.positions import Position
from ficha.emergencies.steps import ContactAnswer
from ficha.fmd.local_time import local_time_text
from ficha.fmd.translations import Translated
from ficha.messaging.failures import TEMPLATE_LANGUAGES

ALERT_TEMPLATE = "alerta_emergencia"

SOMEBODY = Translated(
    "La persona que lo eligió como contacto de emergencia",
    "The person who chose you as an emergency contact",
    "A pessoa que escolheu você como contato de emergência",
)
NO_POSITION = Translated("sin ubicación", "position not known", "sem localização")
ABOUT = Translated("unos {} m alrededor", "within about {} m", "cerca de {} m ao redor")


def alert(
    language: str, name: str, opened_at: datetime, zone: str, position: Position | None, answer_to: str, token: str
) -> Template:
    """`answer_to` names emergency and contact in what the buttons send back."""
    return Template(
        ALERT_TEMPLATE,
        TEMPLATE_LANGUAGES[language],
        body=[name_said(name, language), local_time_text(opened_at, zone, language), place_said(position, language)],
        buttons=[
            Button(0, f"{ContactAnswer.VOY}:{answer_to}"),
            Button(1, f"{ContactAnswer.NO_PUEDO}:{answer_to}"),
            LinkButton(2, token),
        ],
    )


def name_said(name: str, language: str) -> str:
    return name or SOMEBODY.in_language(language)


def place_said(position: Position | None, language: str) -> str:
    if position is None:
        return NO_POSITION.in_language(language)
    return _about(map_url(MapProvider.GOOGLE, position.lat, position.lng), position, language)


def spot_said(position: Position, language: str) -> str:
    """For a page, which has a link of its own beside it."""
    return _about(f"{position.lat:.5f}, {position.lng:.5f}", position, language)


def _about(place: str, position: Position, language: str) -> str:
    if position.accuracy_m is None:
        return place
    return f"{place} ({ABOUT.in_language(language).format(round(position.accuracy_m))})"
