"""Who has a token of Chatwoot: users with their accounts, and a bot."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from ficha.sandbox.chatwoot.config import ChatwootConfig

AGENT_TOKEN = "sandbox-agent-token"  # noqa: S105  The sandbox's own.
STRANGER_TOKEN = "sandbox-stranger-token"  # noqa: S105
BOT_TOKEN = "sandbox-bot-token"  # noqa: S105


@dataclass(frozen=True)
class User:
    """An agent sees only the inboxes in `inbox_ids`, an administrator all of them."""

    id: int
    name: str
    email: str
    token: str
    role: Literal["administrator", "agent", "bot"]
    account_ids: tuple[int, ...]
    inbox_ids: tuple[int, ...] = ()

    @property
    def is_administrator(self) -> bool:
        return self.role == "administrator"

    def sees(self, inbox_id: int) -> bool:
        return self.role != "agent" or inbox_id in self.inbox_ids


@dataclass(frozen=True)
class Account:
    id: int
    name: str
    is_suspended: bool = False


@dataclass(frozen=True)
class Team:
    id: int
    name: str


class Agents:
    """The configured account, one of somebody else, one that is suspended, and those who work there."""

    def __init__(self, config: ChatwootConfig) -> None:
        ours, foreign, suspended = config.account_id, config.account_id + 1, config.account_id + 2
        self.accounts = {
            ours: Account(ours, "Ficha"),
            foreign: Account(foreign, "Otra empresa"),
            suspended: Account(suspended, "Cuenta suspendida", is_suspended=True),
        }
        self.users: Sequence[User] = (
            User(1, "Lucía Guardia", "lucia@ficha.example", config.token, "administrator", (ours, suspended)),
            User(2, "Pedro Agente", "pedro@ficha.example", AGENT_TOKEN, "agent", (ours,), (config.inbox_id,)),
            User(3, "Otra Persona", "otra@otra.example", STRANGER_TOKEN, "agent", (foreign,)),
            User(4, "Robot", "", BOT_TOKEN, "bot", (ours,)),
        )
        self.team = Team(config.team_id, "guardia")

    def with_token(self, token: str) -> User | None:
        return next((user for user in self.users if user.token == token), None)

    def with_id(self, user_id: int) -> User:
        return next(user for user in self.users if user.id == user_id)
