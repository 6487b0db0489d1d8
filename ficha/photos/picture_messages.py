"""What the service and a picture process write to each other: a short JSON head and bytes, or why a picture is not
taken. Nothing else of the service is loaded in that process."""

import json
import struct
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import IO, Any, NamedTuple

from ficha.core.errors import FichaError


class PictureTooLarge(FichaError):
    status = 413
    code = "imagen_demasiado_grande"
    message = "La imagen es demasiado grande. Envíe una de 25 megapíxeles y 10 MB como máximo."


class NotAPicture(FichaError):
    status = 415
    code = "imagen_no_admitida"
    message = "Eso no es una imagen que podamos leer. Envíe una foto JPEG, PNG, WebP o HEIC."


class PictureDamaged(FichaError):
    status = 422
    code = "imagen_danada"
    message = "La imagen está incompleta, dañada o trae otro contenido dentro. Envíe la foto original."


class PicturesBusy(FichaError):
    status = 503
    code = "imagenes_en_espera"
    message = "Hay demasiadas imágenes en espera. Vuelva a probar en unos segundos."
    headers = {"Retry-After": "10"}  # noqa: RUF012


class BackgroundsStay(FichaError):
    """Where the extra `pictures` of this package is not installed."""

    status = 503
    code = "fondos_no_disponibles"
    message = "Este servicio no quita fondos: se instaló sin esa parte. Envíe la foto sin pedir que se le quite."


class StorageAway(FichaError):
    status = 503
    code = "archivos_no_disponibles"
    message = "El almacén de archivos no responde. Vuelva a probar en unos segundos."
    headers = {"Retry-After": "5"}  # noqa: RUF012


# By the word that the picture process answers.
REFUSALS: dict[str, type[FichaError]] = {
    error.code: error for error in (PictureTooLarge, NotAPicture, PictureDamaged, BackgroundsStay)
}

# What the extra `pictures` of this package brings (pyproject.toml).
REMOVER_MODULES = ("numpy", "onnxruntime")
# The photo of a carnet is that much higher than wide.
CARD_WIDTH, CARD_HEIGHT = 4, 5


def can_remove_backgrounds() -> bool:
    """Whether the extra is installed: the service and its picture process run in one environment."""
    return all(find_spec(name) is not None for name in REMOVER_MODULES)


HEAD = struct.Struct(">I")


class FramedMessage(NamedTuple):
    head: Mapping[str, Any]
    parts: Sequence[bytes]


def write_message(stream: IO[bytes], head: Mapping[str, Any], *parts: bytes) -> None:
    encoded = json.dumps({**head, "sizes": [len(part) for part in parts]}).encode()
    stream.write(HEAD.pack(len(encoded)) + encoded)
    for part in parts:
        stream.write(part)
    stream.flush()


def read_message(stream: IO[bytes]) -> FramedMessage | None:
    """None if the other side has ended."""
    start = stream.read(HEAD.size)
    if len(start) < HEAD.size:
        return None
    [size] = HEAD.unpack(start)
    encoded = stream.read(size)
    if len(encoded) < size:
        return None
    head = json.loads(encoded)
    sizes: list[int] = head.pop("sizes")
    parts = [stream.read(size) for size in sizes]
    return FramedMessage(head, parts) if [len(part) for part in parts] == sizes else None
