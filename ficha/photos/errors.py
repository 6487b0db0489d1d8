"""Why a picture is not taken. Plain classes: they are raised where nothing of the service but this is loaded, too."""

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


class StorageAway(FichaError):
    status = 503
    code = "archivos_no_disponibles"
    message = "El almacén de archivos no responde. Vuelva a probar en unos segundos."
    headers = {"Retry-After": "5"}  # noqa: RUF012


# By the word that the picture process answers.
REFUSALS: dict[str, type[FichaError]] = {error.code: error for error in (PictureTooLarge, NotAPicture, PictureDamaged)}
