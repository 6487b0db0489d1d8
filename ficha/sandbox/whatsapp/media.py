"""Files that the business uploaded or people sent: found by id, downloaded from addresses valid for minutes."""

import base64
import hashlib
import hmac
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from ficha.core.multipart import FormPart
from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter

MB = 1_000_000
UPLOADED_DAYS = 30
RECEIVED_DAYS = 7
URL_SECONDS = 300
DOWNLOAD_PATH = "/whatsapp_business/attachments/"
_OFFICE = "application/vnd.openxmlformats-officedocument."
KINDS: dict[str, tuple[str, ...]] = {
    "audio": ("audio/aac", "audio/amr", "audio/mpeg", "audio/mp4", "audio/ogg"),
    "document": (
        "text/plain", "application/pdf", "application/msword", "application/vnd.ms-excel",
        "application/vnd.ms-powerpoint", f"{_OFFICE}wordprocessingml.document", f"{_OFFICE}spreadsheetml.sheet",
        f"{_OFFICE}presentationml.presentation",
    ),
    "image": ("image/jpeg", "image/png"),
    "sticker": ("image/webp",),
    "video": ("video/mp4", "video/3gpp"),
}  # fmt: skip
LARGEST = {"audio": 16 * MB, "document": 100 * MB, "image": 5 * MB, "sticker": 500_000, "video": 16 * MB}


@dataclass(frozen=True)
class MediaFile:
    id: str
    phone_number_id: str
    mime_type: str
    content: bytes
    expires_at: datetime
    filename: str | None = None

    @property
    def hex(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def base64(self) -> str:
        return base64.b64encode(hashlib.sha256(self.content).digest()).decode()

    def why_unfit_for(self, kind: str) -> str | None:
        """Why it cannot be sent as an image, a document and so on; None if it can."""
        mime = bare_mime_type(self.mime_type)
        # Any type may travel as a document.
        if kind != "document" and mime not in KINDS[kind]:
            return f"Media of type {mime} cannot be sent as {kind}."
        if len(self.content) > LARGEST[kind]:
            return f"{kind} file size must be at most {LARGEST[kind]} bytes."
        return None


@dataclass
class Media:
    secret: bytes = field(default_factory=lambda: secrets.token_bytes(16))
    files: dict[str, MediaFile] = field(default_factory=dict)

    def upload(self, phone_number_id: str, parts: list[FormPart], now: datetime) -> MediaFile:
        """Keeps an uploaded file; raises GraphError for a missing field or a type or size that is not allowed."""
        fields = {part.name: part for part in parts}
        if "messaging_product" not in fields or fields["messaging_product"].text != "whatsapp":
            raise invalid_parameter("The parameter messaging_product is required.")
        file = fields.get("file")
        if file is None or file.filename is None:
            raise invalid_parameter("The parameter file is required.")
        mime = file.content_type or (fields["type"].text if "type" in fields else "application/octet-stream")
        allowed = [each for types in KINDS.values() for each in types]
        if bare_mime_type(mime) not in allowed:
            raise invalid_parameter(
                f"Param file must be a file with one of the following types: {', '.join(allowed)}. Received file of"
                f" type '{bare_mime_type(mime)}'."
            )
        if not file.content or len(file.content) > LARGEST["document"]:
            raise invalid_parameter("Param file must be between 1 byte and 100 MB.")
        longest = UPLOADED_DAYS * 24 * 60
        ttl = fields["ttl_minutes"].text if "ttl_minutes" in fields else ""
        minutes = min(int(ttl), longest) if ttl.isdigit() else longest
        return self.keep(phone_number_id, mime, file.content, now + timedelta(minutes=minutes), file.filename)

    def keep(
        self, phone_number_id: str, mime_type: str, content: bytes, expires_at: datetime, filename: str | None = None
    ) -> MediaFile:
        file = MediaFile(
            str(10**15 + secrets.randbelow(9 * 10**15)), phone_number_id, mime_type, content, expires_at, filename
        )
        self.files[file.id] = file
        return file

    def find(self, media_id: str, phone_number_id: str | None, now: datetime) -> MediaFile | None:
        file = self.files.get(media_id)
        if file is None or file.expires_at <= now or phone_number_id not in (None, file.phone_number_id):
            return None
        return file

    def description(self, file: MediaFile, base_url: str, now: datetime) -> dict[str, Any]:
        return {
            "messaging_product": "whatsapp",
            "url": self.url(file, base_url, now),
            "mime_type": file.mime_type,
            "sha256": file.hex,
            "file_size": len(file.content),
            "id": file.id,
        }

    def url(self, file: MediaFile, base_url: str, now: datetime) -> str:
        until = int(now.timestamp()) + URL_SECONDS
        return f"{base_url}{DOWNLOAD_PATH}?mid={file.id}&ext={until}&hash={self._signature(file.id, until)}"

    def file_at(self, query: dict[str, str], now: datetime) -> MediaFile:
        """The file of a download address; raises GraphError if it is forged or expired, or the file is gone."""
        media_id, until = query.get("mid", ""), query.get("ext", "")
        given = query.get("hash", "")
        is_signed = until.isdigit() and hmac.compare_digest(given, self._signature(media_id, int(until)))
        if not is_signed or datetime.fromtimestamp(int(until), UTC) <= now:
            raise GraphError(100, message="URL signature expired", status=404)
        file = self.find(media_id, None, now)
        if file is None:
            raise GraphError(100, message="The media does not exist", status=404)
        return file

    def _signature(self, media_id: str, until: int) -> str:
        return hmac.new(self.secret, f"{media_id} {until}".encode(), hashlib.sha256).hexdigest()[:32]


def bare_mime_type(mime_type: str) -> str:
    """Without `; codecs=opus` and the like."""
    return mime_type.partition(";")[0].strip().lower()
