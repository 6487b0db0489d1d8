"""The messaging providers: one line each."""

from collections.abc import Callable, Mapping

from ficha.channels.messenger import Messenger
from ficha.channels.whatsapp.client import WhatsApp
from ficha.core.settings import Settings

PROVIDERS: Mapping[str, Callable[[Settings], Messenger]] = {
    "whatsapp": WhatsApp,
}


def messenger_of(settings: Settings) -> Messenger:
    """The provider that FICHA_MESSAGING_CHANNEL names. Under a name that is no provider's, the channel is only another
    path for WhatsApp's webhook."""
    return PROVIDERS.get(settings.messaging_channel, WhatsApp)(settings)
