"""Bodies of requests to send a message, made into the contents that messaging sends."""

from ficha.api.messaging.faults import Fault, raise_if_faults
from ficha.api.messaging.message_bodies import ButtonPart, LocationPart, MediaPart, MessageBody, TemplatePart, TextPart
from ficha.channels.errors import BadContent
from ficha.channels.messages import Button, Content, CouponButton, LinkButton, Location, Media, Outgoing, Template, Text
from ficha.channels.whatsapp.media import KINDS
from ficha.channels.whatsapp.message_bodies import message_body
from ficha.core.errors import FichaError, InvalidFields, Problem, Source
from ficha.core.transaction import Transaction
from ficha.messaging.files import Upload, UploadState, Use
from ficha.messaging.platform_account import faults_of

CAPTIONED = ("image", "video", "document")


class UploadNotReady(FichaError):
    status = 409
    code = "subida_sin_terminar"
    message = "Esa subida no se puede enviar: debe tener use=media y haber terminado (state=done)."
    source = Source("pointer", "/media/upload_id")


def text_of(part: TextPart) -> Text:
    return Text(part.body)


def location_of(part: LocationPart) -> Location:
    return Location(part.latitude, part.longitude, part.name, part.address)


def media_of(tx: Transaction, part: MediaPart, pointer: str = "/media") -> Media:
    """`pointer` is where the part stands in the body. Raises InvalidFields or UploadNotReady."""
    faults: list[Fault] = []
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
        (f"{pointer}/buttons/{place}", "Un botón lleva payload, text o coupon_code: uno solo.")
        for place, button in enumerate(part.buttons)
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
