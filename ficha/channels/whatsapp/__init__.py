"""WhatsApp Cloud, the platform's own API."""

from ficha.channels.whatsapp.account import NumberInfo, Profile, TokenInfo
from ficha.channels.whatsapp.client import WhatsApp
from ficha.channels.whatsapp.error_codes import Code, Retry, code_of
from ficha.channels.whatsapp.errors import WhatsAppError, WhatsAppRefused, WhatsAppRetryLater
from ficha.channels.whatsapp.gateway import Passed
from ficha.channels.whatsapp.media import Download, ForeignHost, MediaInfo, TooLarge, WrongHash
from ficha.channels.whatsapp.templates import ButtonInfo, TemplateInfo, template_faults

__all__ = [
    "ButtonInfo",
    "Code",
    "Download",
    "ForeignHost",
    "MediaInfo",
    "NumberInfo",
    "Passed",
    "Profile",
    "Retry",
    "TemplateInfo",
    "TokenInfo",
    "TooLarge",
    "WhatsApp",
    "WhatsAppError",
    "WhatsAppRefused",
    "WhatsAppRetryLater",
    "WrongHash",
    "code_of",
    "template_faults",
]
