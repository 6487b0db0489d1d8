"""Registering a device for notifications: what its browser gives is checked before it is kept."""

from datetime import datetime
from typing import Annotated

from pydantic import StringConstraints

from ficha.channels.webpush.encryption import BadDeviceKey, Device
from ficha.channels.webpush.hosts import MOST_LETTERS, is_push_service
from ficha.core.errors import FichaError, Source
from ficha.core.secrets import Secrets
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.devices.devices import PushSubscription, register_device

Endpoint = Annotated[str, StringConstraints(min_length=1, max_length=MOST_LETTERS)]
P256dh = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{87}=?$")]
Auth = Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9_-]{22}(==)?$")]


class UnknownPushService(FichaError):
    status = 422
    code = "servicio_push_desconocido"
    message = "Esa dirección no es la de un servicio de notificaciones conocido."
    source = Source("pointer", "/endpoint")


class BadPushKeys(FichaError):
    status = 422
    code = "claves_push_invalidas"
    message = "Las claves del dispositivo no son válidas. Vuelva a activar las notificaciones en el navegador."
    source = Source("pointer", "/keys")


def accept_device(
    tx: Transaction,
    secrets: Secrets,
    settings: Settings,
    account_id: int,
    endpoint: str,
    p256dh: str,
    auth: str,
    now: datetime,
) -> PushSubscription:
    """Raises UnknownPushService or BadPushKeys."""
    device = Device(endpoint, p256dh.rstrip("="), auth.rstrip("="))
    if not is_push_service(device.endpoint, settings.push_hosts):
        raise UnknownPushService
    try:
        device.public_key()
    except BadDeviceKey:
        raise BadPushKeys from None
    return register_device(tx, secrets, account_id, device, settings.devices_per_account, now)
