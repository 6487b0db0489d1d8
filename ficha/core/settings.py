"""Every setting of the service in one frozen class, read from FICHA_* variables and `.env`."""

from functools import cached_property
from pathlib import Path
from urllib.parse import urlsplit

from pydantic_settings import SettingsConfigDict

from ficha.core.setting_groups.accounts import AccountSettings
from ficha.core.setting_groups.administration import AdministrationSettings
from ficha.core.setting_groups.answers import AnswerSettings
from ficha.core.setting_groups.browsers_and_proxies import BrowserSettings
from ficha.core.setting_groups.chatwoot import ChatwootSettings
from ficha.core.setting_groups.emergencies import EmergencySettings
from ficha.core.setting_groups.files import FileSettings
from ficha.core.setting_groups.inventory import InventorySettings
from ficha.core.setting_groups.jobs import JobSettings
from ficha.core.setting_groups.keys import KeySettings
from ficha.core.setting_groups.limits import LimitSettings
from ficha.core.setting_groups.logs_and_metrics import LogSettings
from ficha.core.setting_groups.mail import MailSettings
from ficha.core.setting_groups.paths import PathSettings
from ficha.core.setting_groups.process import Env, ProcessSettings
from ficha.core.setting_groups.push import PushSettings
from ficha.core.setting_groups.record import RecordSettings
from ficha.core.setting_groups.whatsapp import WhatsAppSettings

__all__ = ["Env", "Settings"]


class Settings(  # Read from the last to the first: so `ficha settings` begins with the process.
    JobSettings,
    AnswerSettings,
    PathSettings,
    BrowserSettings,
    LimitSettings,
    InventorySettings,
    EmergencySettings,
    FileSettings,
    PushSettings,
    AdministrationSettings,
    ChatwootSettings,
    WhatsAppSettings,
    MailSettings,
    AccountSettings,
    RecordSettings,
    KeySettings,
    LogSettings,
    ProcessSettings,
):
    model_config = SettingsConfigDict(
        env_prefix="FICHA_", env_file=".env", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    @property
    def in_production(self) -> bool:
        return self.env is Env.PRODUCTION

    @cached_property
    def public_url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return (self.base_url or f"http://{host}:{self.port}").rstrip("/")

    @cached_property
    def is_https(self) -> bool:
        return urlsplit(self.public_url).scheme == "https"

    @cached_property
    def passkey_origin(self) -> str:
        """Where passkeys count: our pages. Browsers refuse them at an address of numbers, so a laptop is localhost."""
        parts = urlsplit(self.public_url)
        if parts.hostname not in ("127.0.0.1", "0.0.0.0", "::1"):  # noqa: S104  A name of this laptop, nothing is bound.
            return f"{parts.scheme}://{parts.netloc.lower()}"
        return f"{parts.scheme}://localhost" + (f":{parts.port}" if parts.port else "")

    @cached_property
    def browser_hosts(self) -> frozenset[str]:
        """The hosts whose pages use cookies instead of tokens."""
        if self.stateful_hosts:
            return frozenset(host.lower() for host in self.stateful_hosts)
        hosts = {urlsplit(self.public_url).netloc.lower()}
        if not self.in_production:
            hosts |= {f"{name}:{self.port}" for name in ("localhost", "127.0.0.1", "[::1]")}
        return frozenset(hosts)

    @cached_property
    def database(self) -> str:
        """The address of the database: SQLite in the data folder if none is set."""
        return self.database_url.get_secret_value() or f"sqlite:///{self.data_dir / 'ficha.db'}"

    @property
    def push_subject(self) -> str:
        return self.push_contact or self.public_url

    @property
    def whatsapp_url(self) -> str:
        return self.whatsapp_base_url.rstrip("/") or self.sandbox_url

    @property
    def chatwoot_url(self) -> str:
        return self.chatwoot_base_url.rstrip("/") or self.sandbox_url

    @property
    def sandbox_url(self) -> str:
        return f"http://127.0.0.1:{self.sandbox_port}"

    @property
    def has_chatwoot(self) -> bool:
        """The sandbox of both platforms runs where no address of WhatsApp is set."""
        return bool(self.chatwoot_base_url) or self.uses_sandbox

    @property
    def bridges_conversations(self) -> bool:
        return self.has_chatwoot and self.chatwoot_bridge is not False

    @property
    def uses_sandbox(self) -> bool:
        return not self.whatsapp_base_url

    @property
    def key_path(self) -> Path:
        return self.key_file or self.data_dir / "keys.json"

    @property
    def anchor_path(self) -> Path:
        return self.anchor_dir or self.data_dir / "anchors"

    @property
    def migrates_on_start(self) -> bool:
        return not self.in_production if self.migrate_on_start is None else self.migrate_on_start

    @property
    def runs_jobs_in_server(self) -> bool:
        return self.database.startswith("sqlite") if self.jobs_in_server is None else self.jobs_in_server
