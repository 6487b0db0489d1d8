"""What somebody asks us to send, as it comes in and as the messaging rooms take it."""

from collections.abc import Iterable
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, StringConstraints
from pydantic_core import PydanticCustomError
from sqlalchemy.orm import Session

from ficha.accounts.tokens import MAX_ID
from ficha.api.accounts.people import Body
from ficha.channels.errors import BadContent
from ficha.channels.messages import Button, Content, LinkButton, Location, Media, Outgoing, Template, Text
from ficha.channels.whatsapp.media import KINDS
from ficha.channels.whatsapp.message_bodies import message_body
from ficha.core.errors import FichaError, InvalidFields, Problem, Source
from ficha.core.text_types import normalized, single_line
from ficha.messaging.templates import faults_of
from ficha.messaging.uploads import Upload, UploadState, Use

Fault = tuple[str, str]

ADDRESS = r"^(\+[1-9][0-9]{6,14}|[A-Z]{2}\.(ENT\.)?[A-Za-z0-9]{1,128})$"
CAPTIONED = ("image", "video", "document")


class UploadNotReady(FichaError):
    status = 409
    code = "subida_sin_terminar"
    message = "Esa subida no se puede enviar: debe tener use=media y haber terminado (state=done)."
    source = Source("pointer", "/media/upload_id")


def reachable(value: str) -> str:
    """Lenient about numbering plans, which change, and strict about what could never be a phone."""
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


def _said(most: int) -> StringConstraints:
    return StringConstraints(min_length=1, max_length=most)


Line = AfterValidator(single_line)
Clean = AfterValidator(normalized)
# Positions in the platform's lists, and ids of ours, are numbers that a database can hold.
RowId = Annotated[int, Field(ge=1, le=MAX_ID)]


class TextPart(Body):
    body: Annotated[str, _said(4096), Clean] = Field(examples=["Su cita es el lunes a las nueve."])


class LocationPart(Body):
    latitude: float = Field(ge=-90, le=90, allow_inf_nan=False, examples=[10.4806])
    longitude: float = Field(ge=-180, le=180, allow_inf_nan=False, examples=[-66.9036])
    name: Annotated[str, _said(1000), Clean, Line] | None = Field(None, examples=["Hospital Universitario"])
    address: Annotated[str, _said(1000), Clean, Line] | None = Field(None, examples=["Los Chaguaramos, Caracas"])


class MediaPart(Body):
    """The file comes from one of three places."""

    kind: Literal["image", "video", "audio", "document", "sticker"] = Field(examples=["document"])
    media_id: Annotated[str, StringConstraints(pattern=r"^[0-9]{1,40}$")] | None = Field(
        None, description="A file the platform already holds.", examples=["1037543291543636"]
    )
    link: Annotated[str, _said(2000), StringConstraints(pattern=r"^https://[!-~]+$")] | None = Field(
        None, description="Where the platform fetches it; https only.", examples=["https://ejemplo.com/guia.pdf"]
    )
    upload_id: RowId | None = Field(None, description="An upload of ours with use=media that is done.", examples=[7])
    caption: Annotated[str, _said(1024), Clean] | None = Field(
        None, description="For images, videos and documents.", examples=["Guía de primeros auxilios"]
    )
    filename: Annotated[str, _said(240), Clean, Line] | None = Field(
        None, description="For documents.", examples=["guia.pdf"]
    )


class ButtonPart(Body):
    """`payload` for a quick reply, `text` for the end of a link: one of the two."""

    index: int = Field(ge=0, le=9, examples=[0])
    payload: Annotated[str, _said(256), Clean] | None = Field(None, examples=["confirmar-17"])
    text: Annotated[str, _said(2000), Clean] | None = Field(None, examples=["cita/17"])


class TemplatePart(Body):
    name: str = Field(pattern=r"^[a-z0-9_]{1,512}$", examples=["aviso_lectura"])
    language: str = Field(pattern=r"^[a-z]{2,3}(_[A-Za-z]{2,4})?$", examples=["es"])
    body: list[Annotated[str, _said(1024), Clean, Line]] = Field(
        default_factory=list, max_length=50, description="Values of the text's variables, in order.", examples=[["Ana"]]
    )
    header: list[Annotated[str, _said(60), Clean, Line]] = Field(
        default_factory=list, max_length=1, description="Value of the header's variable.", examples=[[]]
    )
    buttons: list[ButtonPart] = Field(default_factory=list, max_length=10, examples=[[]])
    media: MediaPart | None = Field(None, description="For a header that shows a file.", examples=[None])


class Letter(Body):
    """What every message has."""

    to: Annotated[str, StringConstraints(pattern=ADDRESS), AfterValidator(reachable)] = Field(
        description="E.164 with its plus sign, or a user id of the platform.", examples=["+584125551111"]
    )
    reply_to: Annotated[str, StringConstraints(pattern=r"^(wamid\.)?[A-Za-z0-9+/=_-]{1,240}$")] | None = Field(
        None, description="The platform's id of the message that this one answers.", examples=["wamid.HBgLNTg0MTI1"]
    )


class TemplateLetter(Letter):
    template: TemplatePart = Field(
        examples=[{"name": "aviso_lectura", "language": "es", "body": ["Ana", "14:05", "Caracas"]}]
    )


class FreeLetter(Letter):
    fallback: TemplatePart | None = Field(
        None,
        description="Goes in its place when more than 24 hours have passed since the person wrote.",
        examples=[{"name": "mensaje_pendiente", "language": "es", "body": ["Tenemos un mensaje para usted."]}],
    )


class TextLetter(FreeLetter):
    text: TextPart = Field(examples=[{"body": "Su cita es el lunes a las nueve."}])


class LocationLetter(FreeLetter):
    location: LocationPart = Field(examples=[{"latitude": 10.4806, "longitude": -66.9036, "name": "Hospital"}])


class MediaLetter(FreeLetter):
    media: MediaPart = Field(examples=[{"kind": "document", "media_id": "1037543291543636", "filename": "guia.pdf"}])


def text_of(part: TextPart) -> Text:
    return Text(part.body)


def location_of(part: LocationPart) -> Location:
    return Location(part.latitude, part.longitude, part.name, part.address)


def media_of(session: Session, part: MediaPart, here: str = "/media") -> Media:
    faults: list[Fault] = []
    places = (part.media_id, part.link, part.upload_id)
    if sum(place is not None for place in places) != 1:
        faults.append((here, "Indique el archivo de una sola manera: media_id, link o upload_id."))
    if part.caption is not None and part.kind not in CAPTIONED:
        faults.append((f"{here}/caption", "Este tipo de archivo no lleva texto."))
    if part.filename is not None and part.kind != "document":
        faults.append((f"{here}/filename", "Solo los documentos llevan nombre de archivo."))
    refuse(faults)
    media_id = part.media_id if part.upload_id is None else _uploaded(session, part.upload_id, part.kind, here)
    return Media(part.kind, media_id, part.link, part.caption, part.filename)


def template_of(session: Session, part: TemplatePart, here: str = "/template") -> Template:
    refuse(
        (f"{here}/buttons/{place}", "Un botón lleva payload o text: uno de los dos.")
        for place, button in enumerate(part.buttons)
        if (button.payload is None) == (button.text is None)
    )
    template = Template(
        part.name,
        part.language,
        part.body,
        part.header,
        [
            Button(button.index, button.payload)
            if button.payload is not None
            else LinkButton(button.index, button.text or "")
            for button in part.buttons
        ],
        None if part.media is None else media_of(session, part.media, f"{here}/media"),
    )
    refuse((here + pointer, sentence) for pointer, sentence in faults_of(session, template))
    return template


def check(letter: Letter, content: Content, here: str) -> None:
    """What the platform's own limits still say, so that nothing is put aside that can never be sent."""
    try:
        message_body(Outgoing(letter.to, content, "x", letter.reply_to))
    except BadContent as fault:
        is_inside = fault.pointer not in ("/to", "/reply_to")
        refuse([(here + fault.pointer if is_inside else fault.pointer, fault.sentence)])


def refuse(faults: Iterable[Fault]) -> None:
    problems = [Problem("valor_invalido", sentence, Source("pointer", pointer)) for pointer, sentence in faults]
    if problems:
        raise InvalidFields(problems)


def _uploaded(session: Session, upload_id: int, kind: str, here: str) -> str:
    upload = session.get(Upload, upload_id)
    if upload is None:
        raise InvalidFields(
            [Problem("valor_desconocido", "No hay una subida con ese número.", Source("pointer", f"{here}/upload_id"))]
        )
    if upload.use != Use.MEDIA or upload.state != UploadState.DONE or upload.media_id is None:
        raise UploadNotReady
    # Anything may travel as a document.
    if kind != "document" and upload.file.mime_type not in KINDS[kind][0]:
        refuse([(f"{here}/kind", "El archivo subido no es de ese tipo.")])
    return upload.media_id
