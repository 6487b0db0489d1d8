"""What the platforms hold in the demo from the beginning, so that the examples of the reference find it: a file, a
message, a number that is not verified yet, and a conversation at the help desk."""

from datetime import timedelta

from ficha.sandbox.platforms import Platforms
from ficha.sandbox.whatsapp.chats import ChatMessage
from ficha.sandbox.whatsapp.media import UPLOADED_DAYS, MediaFile
from ficha.sandbox.whatsapp.sample_files import FILES

FILE, MESSAGE, DIGITS = "1037543291543636", "wamid.HBgLNTg0MTI1NTUxMTExFQIAEhgU", "402917"
WRITER, CONTACT = "+584125551111", "maria"
NEVER = timedelta(days=3650)


def add_demo(platforms: Platforms) -> None:
    """As if it had happened before: no message comes in. What a sandbox kept from its last run stays as it is."""
    whatsapp, chatwoot = platforms.whatsapp, platforms.chatwoot
    now, number = whatsapp.now(), whatsapp.number
    mime_type, content = FILES["document"]
    ends = now + timedelta(days=UPLOADED_DAYS)
    whatsapp.media.files[FILE] = MediaFile(FILE, number.id, mime_type, content, ends, "guia.pdf")
    if MESSAGE not in whatsapp.chats.messages:
        writer, text = whatsapp.people.with_id(WRITER), "Buenos días"
        raw = {"id": MESSAGE, "from": writer.key, "type": "text", "text": {"body": text}}
        whatsapp.chats.add(ChatMessage(MESSAGE, "in", writer, number.id, "text", now, text, raw))
    # As it is while a business sets itself up: a code was sent, which never ends.
    number.verified, number.known_code = False, DIGITS
    number.code, number.code_at = DIGITS, now + NEVER
    if not chatwoot.conversations:
        inbox = chatwoot.inboxes[chatwoot.config.inbox_id]
        chatwoot.add_conversation(chatwoot.join_inbox(chatwoot.add_contact("María"), inbox, CONTACT))
