"""The bodies of requests to send a message, and how they become the contents that messaging sends."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError

from ficha.accounts.tokens import MAX_ID
from ficha.api.bodies import Body, BodyFault, raise_if_faults
from ficha.channels.errors import BadContent
from ficha.channels.messages import Button, Content, CouponButton, LinkButton, Location, Media, Outgoing, Template
from ficha.channels.whatsapp.media import KINDS
from ficha.channels.whatsapp.message_bodies import message_body
from ficha.core.errors import FichaError, InvalidFields, Problem, Source
from ficha.core.text_types import TextLimits, single_line
from ficha.core.transaction import Transaction
from ficha.messaging.files import Upload, UploadState, Use
from ficha.messaging.opened_messages import OpeningReason
from ficha.messaging.platform_account import faults_of

CAPTIONED = ("image", "video", "document")
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
        description="Goes in its place when more than 24 hours have passed since the person wrote. Without it goes the "
        "template `mensaje_pendiente` with the words of the message.",
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


class UploadNotReady(FichaError):
    status = 409
    code = "subida_sin_terminar"
    message = "Esa subida no se puede enviar: debe tener use=media y haber terminado (state=done)."
    source = Source("pointer", "/media/upload_id")


def location_of(part: LocationPart) -> Location:
    return Location(part.latitude, part.longitude, part.name, part.address)


def media_of(tx: Transaction, part: MediaPart, pointer: str = "/media") -> Media:
    """`pointer` is where the part stands in the body. Raises InvalidFields or UploadNotReady."""
    faults: list[BodyFault] = []
    sources = (part.media_id, part.link, part.upload_id)
    if sum(source is not None for source in sources) != 1:
        faults.append((pointer, "Indique el archivo de una sola manera: media_id, link o upload_id."))
    if part.caption is not None and part.kind not in CAPTIONED:
        faults.append((f"{pointer}/caption", "Este tipo de archivo no lleva texto."))
    if part.filename is not None and part.kind != "document":
        faults.append((f"{pointer}/filename", "Solo los documentos llevan nombre de archivo."))
    raise_if_faults(faults)
    media_id = part.media_id
    if part.upload_id is not None:
        media_id = _media_id_of_upload(tx, part.upload_id, part.kind, pointer)
    return Media(part.kind, media_id, part.link, part.caption, part.filename)


def template_of(tx: Transaction, part: TemplatePart, pointer: str = "/template") -> Template:
    """`pointer` is where the part stands in the body. Raises InvalidFields if these values do not fit it."""
    raise_if_faults(
        (f"{pointer}/buttons/{index}", "Un botón lleva payload, text o coupon_code: uno solo.")
        for index, button in enumerate(part.buttons)
        if sum(value is not None for value in (button.payload, button.text, button.coupon_code)) != 1
    )
    template = Template(
        part.name,
        part.language,
        part.body,
        part.header,
        [_button_of(button) for button in part.buttons],
        None if part.media is None else media_of(tx, part.media, f"{pointer}/media"),
        part.body_named,
        part.header_named,
        None if part.location is None else location_of(part.location),
    )
    raise_if_faults((pointer + inner, sentence) for inner, sentence in faults_of(tx, template))
    return template


def _button_of(part: ButtonPart) -> Button | LinkButton | CouponButton:
    if part.coupon_code is not None:
        return CouponButton(part.index, part.coupon_code)
    return Button(part.index, part.payload) if part.payload is not None else LinkButton(part.index, part.text or "")


def check_platform_limits(body: MessageBody, content: Content, pointer: str) -> None:
    """Raises InvalidFields for what the platform would refuse, so that nothing is queued that can never be sent."""
    try:
        message_body(Outgoing(body.to, content, "x", body.reply_to))
    except BadContent as fault:
        is_inside = fault.pointer not in ("/to", "/reply_to")
        raise_if_faults([(pointer + fault.pointer if is_inside else fault.pointer, fault.sentence)])


def _media_id_of_upload(tx: Transaction, upload_id: int, kind: str, pointer: str) -> str:
    upload = tx.orm.get(Upload, upload_id)
    if upload is None:
        source = Source("pointer", f"{pointer}/upload_id")
        raise InvalidFields([Problem("valor_desconocido", "No hay una subida con ese número.", source)])
    if upload.use != Use.MEDIA or upload.state != UploadState.DONE or upload.media_id is None:
        raise UploadNotReady
    # Any file can be sent as a document.
    if kind != "document" and upload.file.mime_type not in KINDS[kind][0]:
        raise_if_faults([(f"{pointer}/kind", "El archivo subido no es de ese tipo.")])
    return upload.media_id
