"""The whole state of Chatwoot, in memory, and what can be asked of it."""

import itertools
import random
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from ficha.sandbox.chatwoot.agents import Agents
from ficha.sandbox.chatwoot.behaviour import ChatwootBehaviour
from ficha.sandbox.chatwoot.config import ChatwootConfig
from ficha.sandbox.chatwoot.faults import read_rule
from ficha.sandbox.chatwoot.journal import ChatwootJournal
from ficha.sandbox.chatwoot.records import (
    API_CHANNEL,
    EVENTS,
    INCOMING,
    WHATSAPP_CHANNEL,
    Contact,
    ContactInbox,
    Conversation,
    Inbox,
    Label,
    Webhook,
)
from ficha.sandbox.fault_rules import Faults

WINDOW = timedelta(hours=24)


class ChatwootLimits:
    """How often Chatwoot lets somebody ask: a count in each window of time."""

    def __init__(self, now: Callable[[], datetime]) -> None:
        self._now = now
        self._times: dict[str, deque[datetime]] = {}

    def allows(self, name: str, most: int | None, window: timedelta) -> bool:
        """Counts one more under this name, unless there are as many already."""
        if most is None:
            return True
        now = self._now()
        times = self._times.setdefault(name, deque())
        while times and now - times[0] >= window:
            times.popleft()
        if len(times) >= most:
            return False
        times.append(now)
        return True


class ChatwootState:
    def __init__(self, config: ChatwootConfig, clock: Callable[[], datetime]) -> None:
        self.config = config
        self.url = ""
        self._clock = clock
        self.forget()

    def forget(self) -> None:
        """As it was at the start."""
        config = self.config
        self.behaviour: ChatwootBehaviour = config.behaviour
        self.agents = Agents(config)
        self._random = random.Random(config.seed)  # noqa: S311  Two that are asked the same answer the same.
        self.limits = ChatwootLimits(self.now)
        self.faults = Faults(config.seed, read_rule)
        self.journal = ChatwootJournal()
        self.contacts: dict[int, Contact] = {}
        self.contact_inboxes: list[ContactInbox] = []
        self.conversations: dict[int, Conversation] = {}
        self.labels: dict[int, Label] = {}
        # Of every label ever used, the spelling that came first: it wins.
        self.tags: dict[str, str] = {}
        self.inboxes = {
            config.inbox_id: Inbox(
                config.inbox_id,
                "Ficha",
                API_CHANNEL,
                identifier=config.inbox_identifier,
                hmac_token=config.hmac_token,
            ),
            config.inbox_id + 1: Inbox(config.inbox_id + 1, "WhatsApp", WHATSAPP_CHANNEL, provider="whatsapp_cloud"),
        }
        self.webhooks: dict[int, Webhook] = {}
        if config.webhook_url is not None:
            self.webhooks[1] = Webhook(1, config.webhook_url, list(EVENTS), config.webhook_secret, "Ficha")
        self.ids = {kind: itertools.count(1) for kind in ("contact", "conversation", "message", "attachment", "label")}
        self.webhook_ids = itertools.count(2)

    def new_uuid(self) -> str:
        return str(uuid.UUID(int=self._random.getrandbits(128), version=4))

    def now(self) -> datetime:
        return self._clock()

    def contact_with(self, **wanted: str | None) -> Contact | None:
        """The contact that has one of these values, in the order in which they are given."""
        for name, value in wanted.items():
            if value:
                for contact in self.contacts.values():
                    found = getattr(contact, name)
                    if found == value or (name == "email" and found and found.lower() == value.lower()):
                        return contact
        return None

    def inboxes_of(self, contact: Contact) -> Iterator[ContactInbox]:
        return (each for each in self.contact_inboxes if each.contact is contact)

    def conversations_of(self, contact: Contact) -> list[Conversation]:
        return [each for each in self.conversations.values() if each.contact is contact]

    def is_window_open(self, conversation: Conversation) -> bool:
        """Whether a WhatsApp conversation may still be answered; others always may."""
        if conversation.inbox.channel_type != WHATSAPP_CHANNEL:
            return True
        last = [each.created_at for each in conversation.messages if each.type == INCOMING]
        return bool(last) and self.now() - last[-1] < WINDOW
