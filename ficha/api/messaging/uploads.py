"""Resumable uploads: a file is received in pieces, can go on after an interruption, and a job uploads it."""

from collections.abc import Mapping
from typing import Annotated

from fastapi import Depends, Header, Path
from pydantic import Field, StringConstraints

from ficha.accounts.tokens import MAX_ID
from ficha.api.bodies import Body, raise_if_faults
from ficha.api.examples import answer_example, resource_example
from ficha.api.messaging.message_bodies import Line
from ficha.api.operations import Operations
from ficha.asgi.bodies import ReadRequest
from ficha.channels.whatsapp.media import KINDS, LARGEST, TYPES
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import FichaError, Problem, Sentence
from ficha.core.text_types import TextLimits
from ficha.http.dependencies import Db, Located, Now, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer, Moment, Resource, filled
from ficha.messaging.files import Upload, UploadState, Use, WrongOffset, add_piece, begin_upload, upload_with

operations = Operations("messaging", prefix="/uploads", callers="staff")

OCTETS = "application/octet-stream"
PIECE = "%PDF-1.7 %%EOF"
PICTURES = frozenset({"image/jpeg", "image/jpg", "image/png"})
PICTURE_BYTES = 5 * 1024 * 1024
# The types of each use, and how large a file of each the platform takes.
ALLOWED: Mapping[Use, Mapping[str, int]] = {
    Use.MEDIA: {mime: most for mimes, most in KINDS.values() for mime in mimes},
    Use.PROFILE_PICTURE: dict.fromkeys(PICTURES, PICTURE_BYTES),
    Use.HANDLE: dict.fromkeys(TYPES, LARGEST),
}

UploadId = Annotated[int, Path(alias="id", ge=1, le=MAX_ID, examples=[1])]
Offset = Annotated[
    str,
    Header(
        alias="file_offset",
        convert_underscores=False,
        pattern=r"^[0-9]{1,12}$",
        description="Where in the file this piece begins: what was received so far.",
        examples=["0"],
    ),
]


class NotOctets(FichaError):
    status = 415
    code = "se_esperan_bytes"
    message = "Envíe los bytes del archivo tal cual, con Content-Type: application/octet-stream."


class WrongOffsetWithNext(WrongOffset):
    """Says from which byte to go on."""

    def __init__(self, offset: int) -> None:
        super().__init__(self.message)
        self._sentence = Sentence("Esa parte no sigue a lo recibido: continúe desde {offset}.", offset=offset)
        self.headers = {"file_offset": str(offset)}

    @property
    def problems(self) -> list[Problem]:
        return [Problem(self.code, self._sentence, self.source)]


class NewUpload(Body):
    file_name: Annotated[str, TextLimits(240, strip_whitespace=False), Line] = Field(examples=["guia.pdf"])
    file_length: int = Field(ge=1, le=LARGEST, description="In bytes.", examples=[len(PIECE)])
    file_type: Annotated[str, StringConstraints(min_length=3, max_length=100)] = Field(
        description="Which ones are allowed depends on `use`.", examples=["application/pdf"]
    )
    use: Annotated[str, StringConstraints(pattern=f"^({'|'.join(Use)})$")] = Field(
        Use.HANDLE.value,
        description="handle: a sample for templates. profile_picture: the business picture. media: to be sent.",
        examples=["media"],
    )


class UploadAttributes(DeferredModel):
    state: UploadState = Field(description="receiving, sending (to the platform), done or failed.")
    use: Use
    file_offset: int = Field(description="How much was received: the next piece begins here.")
    file_length: int
    file_type: str
    handle: str | None = Field(description="What the platform gave, for use=handle and use=profile_picture.")
    media_id: str | None = Field(description="What the platform gave, for use=media.")
    error_code: int | None = Field(description="The platform's number for why it did not take it.")
    created_at: Moment


UploadOut = Resource[UploadAttributes]


def upload_example(state: str, offset: int, status: int = 200, media_id: str | None = None) -> dict[str, object]:
    told = {"file_offset": offset, "file_length": len(PIECE), "file_type": "application/pdf", "media_id": media_id}
    return answer_example(resource_example("upload", 7, UploadAttributes, state=state, use="media", **told), status)


def octets(request: ReadRequest) -> bytes:
    if request.headers.get("content-type", "").partition(";")[0].strip().lower() != OCTETS:
        raise NotOctets
    return request.raw_body


@operations.post(
    "", "Resumable upload: start", seed="Resumable upload", status=201, example=upload_example("receiving", 0, 201)
)
def begin(
    db: Db, staff: Staff, parts: Parts, now: Now, reply: Reply, located: Located, body: NewUpload
) -> "Answer[UploadOut]":
    """Announces a file. Its bytes follow in pieces, in any number of requests."""
    use = Use(body.use)
    _check(body, use, parts.settings.upload_bytes)
    upload = begin_upload(
        db, parts.keyring, body.file_name, body.file_length, body.file_type, use, staff.account_id, now
    )
    located(f"/{parts.settings.integration}/uploads/{upload.id}")
    return reply(_upload_out(upload))


@operations.post(
    "/{id}",
    "Resumable upload: bytes",
    seed="Resumable upload",
    errors=(404, 415, 422),
    example=upload_example("sending", len(PIECE)),
    example_once=True,
    body={OCTETS: {"type": "string", "format": "binary", "examples": [PIECE]}},
)
def add(
    db: Db,
    _staff: Staff,
    parts: Parts,
    reply: Reply,
    upload_id: UploadId,
    piece: Annotated[bytes, Depends(octets)],
    file_offset: Offset,
) -> "Answer[UploadOut]":
    """The next piece. After an interruption, ask for `file_offset` and go on from there."""
    upload = upload_with(db, upload_id, lock=True)
    try:
        add_piece(db, parts.keyring, upload, int(file_offset), piece)
    except WrongOffset:
        raise WrongOffsetWithNext(upload.file.size) from None
    return reply(_upload_out(upload))


@operations.get(
    "/{id}",
    "Resumable upload: offset",
    seed="Resumable upload",
    errors=(404, 422),
    example=upload_example("done", len(PIECE), media_id="1037543291543636"),
)
def offset(reading: Reading, _staff: Staff, reply: Reply, upload_id: UploadId) -> "Answer[UploadOut]":
    """How much was received, and what the platform gave for it in the end."""
    return reply(_upload_out(upload_with(reading, upload_id)))


def _check(body: NewUpload, use: Use, upload_bytes: int) -> None:
    """Raises InvalidFields for a type or size that the platform would refuse, or that is not to be sent to people and
    larger than any upload of ours."""
    most = ALLOWED[use].get(body.file_type)
    if most is None:
        kinds = ", ".join(sorted(ALLOWED[use]))
        raise_if_faults([("/file_type", Sentence("Para este uso se admiten: {kinds}.", kinds=kinds))])
        return
    if use is not Use.MEDIA:
        most = min(most, upload_bytes)
    if body.file_length > most:
        told = Sentence("Ese tipo de archivo admite {most} KB como máximo.", most=most // 1024)
        raise_if_faults([("/file_length", told)])


def _upload_out(upload: Upload) -> UploadOut:
    file, length = upload.file, upload.length
    shown = filled(UploadAttributes, upload, file_offset=file.size, file_length=length, file_type=file.mime_type)
    return Resource(type="upload", id=upload.id, attributes=shown)
