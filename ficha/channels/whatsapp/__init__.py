"""WhatsApp Cloud, by the platform's own API."""

from ficha.channels.whatsapp.account import NumberInfo, Profile, TokenInfo
from ficha.channels.whatsapp.client import WhatsApp
from ficha.channels.whatsapp.error_codes import Remedy, known_error
from ficha.channels.whatsapp.errors import WhatsAppError, WhatsAppRefused, WhatsAppRetryLater
from ficha.channels.whatsapp.gateway import ForwardedAnswer
from ficha.channels.whatsapp.media import Download, ForeignHost, MediaInfo, TooLarge, WrongHash

__all__ = [
    "Download",
    "ForeignHost",
    "ForwardedAnswer",
    "MediaInfo",
    "NumberInfo",
    "Profile",
    "Remedy",
    "TokenInfo",
    "TooLarge",
    "WhatsApp",
    "WhatsAppError",
    "WhatsAppRefused",
    "WhatsAppRetryLater",
    "WrongHash",
    "known_error",
]
