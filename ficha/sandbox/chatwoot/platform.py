"""The changes that both APIs of Chatwoot make to its state, and who is told of them."""

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from ficha.sandbox.behaviour import changed
from ficha.sandbox.changes import Changes
from ficha.sandbox.chatwoot import events
from ficha.sandbox.chatwoot.config import ChatwootConfig
from ficha.sandbox.chatwoot.records import (
    INCOMING,
    Contact,
    ContactInbox,
    Conversation,
    Inbox,
    Message,
    Sender,
)
from ficha.sandbox.chatwoot.state import ChatwootState
from ficha.sandbox.chatwoot.webhooks import ChatwootWebhooks


class ChatwootPlatform(Changes, ChatwootState):
    """Changed only on the event loop that serves it; other threads may read."""

    def __init__(self, config: ChatwootConfig, clock: Callable[[], datetime]) -> None:
        Changes.__init__(self)
        ChatwootState.__init__(self, config, clock)
        self.deliveries = ChatwootWebhooks(self)

    @property
    def pending(self) -> int:
        """Webhooks that are still being called."""
        return self.deliveries.pending

    async def reset(self) -> None:
        await self.stop()
        self.forget()
        self.deliveries = ChatwootWebhooks(self)
        self.mark_changed()

    async def stop(self) -> None:
        await self.deliveries.stop()

    def change_behaviour(self, values: Mapping[str, Any]) -> None:
        """Raises BadBehaviour."""
        self.behaviour = changed(self.behaviour, values)
        self.mark_changed()

    # Contacts.

    def add_contact(self, name: str = "", **values: Any) -> Contact:
        now = self.now()
        number = next(self.ids["contact"])
        contact = Contact(number, name or f"contacto-{number}", now, now, **values)
        self.contacts[contact.id] = contact
        self.emit("contact_created", lambda: events.contact(self, contact))
        return contact

    def join_inbox(self, contact: Contact, inbox: Inbox, source_id: str | None = None) -> ContactInbox:
        """The contact's row of the inbox: the one with that name, or a new one."""
        digits = (contact.phone_number or "").lstrip("+") if not inbox.is_api else ""
        name = source_id or digits or self.new_uuid()
        for each in self.contact_inboxes:
            if each.inbox is inbox and each.source_id == name:
                return each
        joined = ContactInbox(contact, inbox, name, self.new_uuid())
        self.contact_inboxes.append(joined)
        return joined

    def merge(self, base: Contact, other: Contact) -> Contact:
        """All that is of `other` becomes of `base`, and `other` is gone."""
        for contact_inbox in self.inboxes_of(other):
            contact_inbox.contact = base
        for conversation in self.conversations_of(base):
            for message in conversation.messages:
                if message.sender == Sender("contact", other.id):
                    message.sender = Sender("contact", base.id)
        for name in ("email", "phone_number", "identifier"):
            if getattr(base, name) is None:
                setattr(base, name, getattr(other, name))
        base.custom_attributes = other.custom_attributes | base.custom_attributes
        base.additional_attributes = other.additional_attributes | base.additional_attributes
        self.contacts.pop(other.id, None)
        self.touch_contact(base)
        return base

    def touch_contact(self, contact: Contact) -> None:
        contact.updated_at = self.now()
        self.emit("contact_updated", lambda: events.contact(self, contact) | {"changed_attributes": []})

    def delete_contact(self, contact: Contact) -> None:
        self.contacts.pop(contact.id, None)
        self.conversations = {key: each for key, each in self.conversations.items() if each.contact is not contact}
        self.contact_inboxes = [each for each in self.contact_inboxes if each.contact is not contact]

    # Conversations.

    def add_conversation(self, contact_inbox: ContactInbox, **values: Any) -> Conversation:
        now = self.now()
        number = next(self.ids["conversation"])
        found = Conversation(number, contact_inbox, now, now, now, self.new_uuid(), waiting_since=now, **values)
        self.conversations[found.id] = found
        self.emit("conversation_created", lambda: events.conversation(self, found), found.id)
        return found

    def change_status(self, conversation: Conversation, status: str, snoozed_until: int | None = None) -> None:
        before, conversation.status = conversation.status, status
        conversation.snoozed_until = snoozed_until if status == "snoozed" else None
        self.touch(conversation)
        if before != status:
            changes = [{"status": {"previous_value": before, "current_value": status}}]
            for event in ("conversation_updated", "conversation_status_changed"):
                self.emit(
                    event,
                    lambda: events.conversation(self, conversation) | {"changed_attributes": changes},
                    conversation.id,
                )

    def touch(self, conversation: Conversation) -> None:
        conversation.updated_at = self.now()
        self.mark_changed()

    def add_message(self, conversation: Conversation, message: Message) -> Message:
        """An incoming message reopens a resolved or snoozed conversation."""
        now = self.now()
        conversation.messages.append(message)
        conversation.last_activity_at = conversation.updated_at = now
        if message.type == INCOMING:
            conversation.contact.last_activity_at = now
            conversation.waiting_since = conversation.waiting_since or now
        elif message.is_chat:
            conversation.first_reply_created_at = conversation.first_reply_created_at or now
            conversation.waiting_since = None
        self._tell("message_created", conversation, message)
        if message.type == INCOMING and conversation.status in ("resolved", "snoozed"):
            self.change_status(conversation, "open")
        self.mark_changed()
        return message

    def change_message(self, conversation: Conversation, message: Message) -> None:
        self._tell("message_updated", conversation, message)
        self.mark_changed()

    def _tell(self, event: str, conversation: Conversation, message: Message) -> None:
        self.emit(event, lambda: events.message(self, conversation, message), conversation.id, message)

    def emit(
        self,
        event: str,
        payload: Callable[[], dict[str, Any]],
        order_key: int | None = None,
        message: Message | None = None,
    ) -> None:
        """Calls every webhook that wants the event, with the state of this moment."""
        self.deliveries.emit(event, payload, order_key, message)
        self.mark_changed()
