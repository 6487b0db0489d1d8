"""The channels in the order in which the ladder tries them."""

from ficha.emergencies.channels.channel import LadderChannel
from ficha.emergencies.channels.mail import MailChannel
from ficha.emergencies.channels.push import PushChannel
from ficha.emergencies.channels.whatsapp import WhatsAppChannel

CHANNELS: tuple[LadderChannel, ...] = (WhatsAppChannel(), MailChannel(), PushChannel())
CHANNEL_BY_NAME = {channel.name: channel for channel in CHANNELS}
