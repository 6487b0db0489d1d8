"""Files on the platform: download one, and a test that uploads, reads and deletes one."""

import base64
import io
import mimetypes
import re
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import chain
from typing import Annotated, Any

from fastapi import Path, Request
from pydantic import Field
from sqlalchemy import select
from starlette.responses import Response, StreamingResponse

from ficha.api.examples import answer_example
from ficha.api.messaging.platform_calls import PLATFORM_ERRORS, platform_call
from ficha.api.operations import Operations
from ficha.asgi.byte_ranges import RangeNotSatisfiable, asked_range, cut
from ficha.asgi.threads import Pool
from ficha.channels.whatsapp.error_codes import WhatsAppRefused
from ficha.core.crypto import EncryptedTempFile
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import NotFound
from ficha.core.transaction import Transaction
from ficha.http.dependencies import Now, Parts, Reading, Reply, Staff
from ficha.http.envelope import Answer
from ficha.http.file_answers import saved_as
from ficha.messaging.files import KeptFile, kept_file, streamed_pieces
from ficha.messaging.opened_messages import must_have_opened
from ficha.messaging.tables import Message
from ficha.parts import Parts as AllParts

operations = Operations("messaging", callers="staff")

# One grey pixel.
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8/5+hHgAHggJ/PchI7wAAAABJRU5ErkJggg=="
)
# The platform's error codes for a file that does not exist or is not ours.
UNKNOWN_FILE_CODES = frozenset({100, 803})
MIME = re.compile(r"[A-Za-z0-9!#$&^_.+-]+/[A-Za-z0-9!#$&^_.+-]+(; ?[A-Za-z0-9-]+=[A-Za-z0-9_.-]+)*")

MediaId = Annotated[str, Path(pattern=r"^[0-9]{1,40}$", examples=["1037543291543636"])]


class MediaTestStep(DeferredModel):
    step: str = Field(description="upload, info, download, compare or delete.")
    ms: float
    ok: bool


class MediaTest(DeferredModel):
    ok: bool
    steps: list[MediaTestStep]


@operations.get(
    "/media-test",
    "Media Test",
    seed=True,
    errors=PLATFORM_ERRORS,
    example=answer_example(
        {
            "ok": True,
            "steps": [
                {"step": "upload", "ms": 210.4, "ok": True},
                {"step": "info", "ms": 80.1, "ok": True},
                {"step": "download", "ms": 95.7, "ok": True},
                {"step": "compare", "ms": 0.1, "ok": True},
                {"step": "delete", "ms": 70.3, "ok": True},
            ],
        }
    ),
    pool=Pool.OUTSIDE,
)
def media_test(request: Request, _staff: Staff, parts: Parts, reply: Reply) -> "Answer[MediaTest]":
    """A pixel goes up to the platform, is looked at, comes down again, is compared and deleted."""
    media = parts.whatsapp.media
    steps: list[MediaTestStep] = []

    def timed(step: str, do: Callable[[], Any]) -> Any:
        started = time.perf_counter()
        result = do()
        ms = round((time.perf_counter() - started) * 1000, 1)
        steps.append(MediaTestStep(step=step, ms=ms, ok=result is not False))
        return result

    def fetch() -> bytes:
        with media.download(media_id) as download:
            return b"".join(download)

    with platform_call(request):
        media_id = timed("upload", lambda: media.upload(io.BytesIO(PIXEL), "prueba.png", "image/png", len(PIXEL)))
        try:
            timed("info", lambda: media.info(media_id).mime_type == "image/png")
            content = timed("download", fetch)
            timed("compare", lambda: content == PIXEL)
        finally:
            # Also when it could not be read back: nothing of a test stays on the platform.
            timed("delete", lambda: media.delete(media_id))
    return reply(MediaTest(ok=all(step.ok for step in steps), steps=steps))


@operations.get(
    "/media/{media_id}",
    "Media download",
    seed=True,
    errors=(404, 416, *PLATFORM_ERRORS),
    example="%PDF-1.7 …",
    media_type="*/*",
    response_class=StreamingResponse,
    pool=Pool.OUTSIDE,
)
def download(request: Request, reading: Reading, staff: Staff, parts: Parts, now: Now, media_id: MediaId) -> Response:
    """A file that somebody sent us, from our own store or else from the platform; its hash is checked before the first
    byte leaves. Of a reserved message, only for who has opened that. `Range` asks for a part of it."""
    for message in _messages_with(reading, media_id):
        must_have_opened(reading, staff, message, now)
    kept = kept_file(reading, KeptFile.media_id == media_id)
    if kept is not None:
        start = _start(request, kept.size)
        content = streamed_pieces(parts.database, parts.keyring, kept, start)
        # Decrypted before the answer begins: afterwards it is too late for an error status.
        first = next(content, b"")
        return _file_response(request, media_id, kept.mime_type, kept.size, chain((first,), content), start)
    with platform_call(request):
        file, mime_type = _downloaded(parts, media_id)
    try:
        found = _file_response(request, media_id, mime_type, file.size, file.pieces())
    except RangeNotSatisfiable:
        file.close()
        raise
    if request.method == "HEAD":  # Nobody reads it to its end.
        file.close()
    return found


def _messages_with(tx: Transaction, media_id: str) -> Sequence[Message]:
    query = select(Message).join(KeptFile, KeptFile.message_id == Message.id).where(KeptFile.media_id == media_id)
    return tx.orm.scalars(query).all()


def _start(request: Request, size: int) -> int:
    """Where the part begins that was asked for. Raises RangeNotSatisfiable."""
    asked = asked_range(request.headers.get("range"), size)
    return 0 if asked is None else asked.start


def _downloaded(parts: AllParts, media_id: str) -> tuple[EncryptedTempFile, str]:
    file = EncryptedTempFile()
    try:
        with parts.whatsapp.media.download(media_id) as found:
            for chunk in found:
                file.add(chunk)
            return file, found.info.mime_type
    except WhatsAppRefused as refusal:
        file.close()
        if refusal.code in UNKNOWN_FILE_CODES or refusal.status == 404:
            raise NotFound from refusal
        raise
    except BaseException:
        file.close()
        raise


def _file_response(
    request: Request, media_id: str, mime_type: str, size: int, content: Iterable[bytes], start: int = 0
) -> Response:
    """As a download: whatever its type says, no browser shows it as a page of ours. `content` begins at `start`."""
    asked = asked_range(request.headers.get("range"), size)
    part = range(size) if asked is None else asked
    kind = mime_type if MIME.fullmatch(mime_type) else "application/octet-stream"
    ending = mimetypes.guess_extension(kind.partition(";")[0]) or ""
    headers = {
        "Content-Type": kind,
        "Content-Length": str(len(part)),
        "Accept-Ranges": "bytes",
        **saved_as(f"{media_id}{ending}"),
    }
    if asked is not None:
        headers["Content-Range"] = f"bytes {part.start}-{part.stop - 1}/{size}"
    status = 200 if asked is None else 206
    if request.method == "HEAD":
        return Response(status_code=status, headers=headers)
    return StreamingResponse(cut(content, part.start - start, len(part)), status, headers)
