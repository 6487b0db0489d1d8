"""The bodies of requests to send a message."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from ficha.accounts.tokens import MAX_ID
from ficha.api.bodies import Body
from ficha.core.text_types import TextLimits, single_line
from ficha.messaging.opened_messages import OpeningReason

ADDRESS = r"^(\+[1-9][0-9]{6,14}|[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128})$"


def possible_phone(value: str) -> str:
    """Raises PydanticCustomError if no country has such a number. Numbering plans change, so this asks no more."""
    if not value.startswith("+"):
        return value
    import phonenumbers  # noqa: PLC0415  Six megabytes of metadata that most requests never need.

    try:
        is_possible = phonenumbers.is_possible_number(phonenumbers.parse(value, None))
    except phonenumbers.NumberParseException:
        is_possible = False
    if not is_possible:
        raise PydanticCustomError("telefono_invalido", "Ese número no existe en ese país. Revíselo.")
    return value


def _as_typed(longest: int) -> TextLimits:
    """With the blanks around it."""
    return TextLimits(longest, strip_whitespace=False)


Line = AfterValidator(single_line)
# Positions in the platform's lists, and ids of ours, are numbers that a database can hold.
RowId = Annotated[int, Field(ge=1, le=MAX_ID)]


class TextPart(Body):
    body: Annotated[str, _as_typed(4096)] = Field(examples=["Su cita es el lunes a las nueve."])


class LocationPart(Body):
    latitude: float = Field(ge=-90, le=90, allow_inf_nan=False, examples=[10.4806])
    longitude: float = Field(ge=-180, le=180, allow_inf_nan=False, examples=[-66.9036])
    name: Annotated[str, _as_typed(1000), Line] | None = Field(None, examples=["Hospital Universitario"])
    address: Annotated[str, _as_typed(1000), Line] | None = Field(None, examples=["Los Chaguaramos, Caracas"])


class MediaPart(Body):
    """The file comes from one of three places."""

    kind: Literal["image", "video", "audio", "document", "sticker"] = Field(examples=["document"])
    media_id: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,40}$")] | None = Field(
        None, description="A file the platform already holds.", examples=["1037543291543636"]
    )
    link: Annotated[str, StringConstraints(min_length=1, max_length=2000, pattern=r"^https://[!-~]+$")] | None = Field(
        None, description="Where the platform fetches it; https only.", examples=["https://ejemplo.com/guia.pdf"]
    )
    upload_id: RowId | None = Field(None, description="An upload of ours with use=media that is done.", examples=[7])
    caption: Annotated[str, _as_typed(1024)] | None = Field(
        None, description="For images, videos and documents.", examples=["Guía de primeros auxilios"]
    )
    filename: Annotated[str, _as_typed(240), Line] | None = Field(
        None, description="For documents.", examples=["guia.pdf"]
    )


class ButtonPart(Body):
    """`payload` for a quick reply, `text` for the end of a link, `coupon_code` for a coupon: one of the three."""

    index: int = Field(ge=0, le=9, examples=[0])
    payload: Annotated[str, _as_typed(256)] | None = Field(None, examples=["confirmar-17"])
    text: Annotated[str, _as_typed(2000)] | None = Field(None, examples=["cita/17"])
    coupon_code: Annotated[str, _as_typed(20), Line] | None = Field(None, examples=["SALUD2026"])


VariableName = Annotated[str, StringConstraints(pattern=r"^[a-z0-9_]{1,60}$")]


class TemplatePart(Body):
    name: str = Field(pattern=r"^[a-z0-9_]{1,512}$", examples=["aviso_lectura"])
    language: str = Field(pattern=r"^[a-z]{2,3}(_[A-Za-z]{2,4})?$", examples=["es"])
    body: list[Annotated[str, _as_typed(1024), Line]] = Field(
        default_factory=list, max_length=50, description="Values of the text's variables, in order.", examples=[["Ana"]]
    )
    header: list[Annotated[str, _as_typed(60), Line]] = Field(
        default_factory=list, max_length=1, description="Value of the header's variable.", examples=[[]]
    )
    buttons: list[ButtonPart] = Field(default_factory=list, max_length=10, examples=[[]])
    body_named: dict[VariableName, Annotated[str, _as_typed(1024), Line]] = Field(
        default_factory=dict, max_length=50, description="In place of `body`, by their names.", examples=[{}]
    )
    header_named: dict[VariableName, Annotated[str, _as_typed(60), Line]] = Field(
        default_factory=dict, max_length=1, description="In place of `header`, by its name.", examples=[{}]
    )
    media: MediaPart | None = Field(None, description="For a header that shows a file.", examples=[None])
    location: LocationPart | None = Field(None, description="For a header that shows a place.", examples=[None])


class MessageBody(Body):
    """What every message has."""

    to: Annotated[str, StringConstraints(pattern=ADDRESS), AfterValidator(possible_phone)] = Field(
        description="E.164 with its plus sign, or a user id of the platform.", examples=["+584125551111"]
    )
    reply_to: Annotated[str, StringConstraints(pattern=r"^(wamid\.)?[A-Za-z0-9+/=_-]{1,240}$")] | None = Field(
        None, description="The platform's id of the message that this one answers.", examples=["wamid.HBgLNTg0MTI1"]
    )


class TemplateLetter(MessageBody):
    template: TemplatePart = Field(
        examples=[{"name": "aviso_lectura", "language": "es", "body": ["Ana", "14:05", "Caracas"]}]
    )


class FreeFormBody(MessageBody):
    fallback: TemplatePart | None = Field(
        None,
        description="Goes in its place when more than 24 hours have passed since the person wrote.",
        examples=[{"name": "mensaje_pendiente", "language": "es", "body": ["Tenemos un mensaje para usted."]}],
    )


class TextLetter(FreeFormBody):
    text: TextPart = Field(examples=[{"body": "Su cita es el lunes a las nueve."}])


class LocationLetter(FreeFormBody):
    location: LocationPart = Field(examples=[{"latitude": 10.4806, "longitude": -66.9036, "name": "Hospital"}])


class MediaLetter(FreeFormBody):
    media: MediaPart = Field(examples=[{"kind": "document", "media_id": "1037543291543636", "filename": "guia.pdf"}])


class Opening(Body):
    """Why a message about a person is opened."""

    motivo: OpeningReason = Field(
        description="For the owner, who is told: what the message is needed for.",
        examples=["La familia llamó y pide que le repitan el mensaje."],
    )
