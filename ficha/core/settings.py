"""Every setting of the service in one frozen class, read from FICHA_* variables and `.env`."""

from enum import Enum
from functools import cached_property
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr
from pydantic_settings import SettingsConfigDict

from ficha.core.phones import country_of_zone
from ficha.core.setting_groups.accounts_and_records import (
    AccountAndRecordSettings,
    AdministrationSettings,
    InventorySettings,
)
from ficha.core.setting_groups.emergencies import EmergencySettings
from ficha.core.setting_groups.limits import LimitSettings
from ficha.core.setting_groups.platforms import (
    ChatwootSettings,
    FileSettings,
    MailSettings,
    PushSettings,
    WhatsAppSettings,
)
from ficha.core.setting_groups.process import Env, ProcessSettings
from ficha.core.setting_groups.service import LogAndKeySettings, ServiceSettings

__all__ = ["Env", "Settings"]


class Settings(  # Read from the last to the first: so `ficha settings` begins with the process.
    ServiceSettings,
    LimitSettings,
    InventorySettings,
    EmergencySettings,
    FileSettings,
    PushSettings,
    AdministrationSettings,
    ChatwootSettings,
    WhatsAppSettings,
    MailSettings,
    AccountAndRecordSettings,
    LogAndKeySettings,
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

    @property
    def home_country(self) -> str:
        """Where most who use this deployment live. Empty where neither its country nor its zone says so."""
        return self.emergency_country or country_of_zone(self.time_zone)

    @cached_property
    def card_issuer(self) -> str:
        """Health Cards know no issuer without TLS: one that was made on a laptop is verified nowhere else."""
        return self.health_card_issuer or f"https://{self.public_url.partition('://')[2]}"

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
    def payment_key(self) -> str:
        """What signs notifications of payments; empty where none is taken."""
        return self.payments_secret.get_secret_value() or ("" if self.in_production else "sandbox-payments-secret")

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
    def desk_key(self) -> str:
        """What signs the webhooks of the conversation platform; empty where there is none."""
        return self.chatwoot_webhook_secret.get_secret_value() if self.has_chatwoot else ""

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


PREFIX = "FICHA_"


class SettingRow(NamedTuple):
    variable: str
    value: str
    default: str
    help: str


def setting_rows(settings: Settings) -> list[SettingRow]:
    return [
        SettingRow(
            PREFIX + name.upper(),
            value_text(getattr(settings, name)),
            value_text(field.get_default()),
            field.description or "",
        )
        for name, field in type(settings).model_fields.items()
    ]


def value_text(value: object) -> str:
    if isinstance(value, SecretStr):
        return "••••" if value.get_secret_value() else ""
    if value is None:
        return ""
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, tuple):
        return ",".join(map(str, value))
    if isinstance(value, bool):
        return str(value).lower()
    return str(value)


# The platform's own have so many; a shorter one can be guessed, and with it notifications be forged.
SECRET_LETTERS = 32

# What each platform gave us, and nobody else has.
OF_WHATSAPP = (
    "whatsapp_token",
    "whatsapp_phone_number_id",
    "whatsapp_business_id",
    "whatsapp_app_id",
    "whatsapp_app_secret",
    "whatsapp_verify_token",
)
OF_CHATWOOT = ("chatwoot_token", "chatwoot_inbox_identifier", "chatwoot_webhook_secret")


class InsecureSettings(Exception):
    """The service was started in production with values that are only fit for development."""


def refuse_laptop_values(settings: Settings) -> None:
    """Raises InsecureSettings."""
    faults = laptop_values(settings)
    if faults:
        raise InsecureSettings("\n".join(faults))


def laptop_values(settings: Settings) -> list[str]:
    """A sentence for each value that production refuses. None in development."""
    if not settings.in_production:
        return []
    faults = []
    if not settings.is_https:
        faults.append("FICHA_BASE_URL must be the public https:// address.")
    if not settings.smtp_url.get_secret_value():
        faults.append("FICHA_SMTP_URL is empty: mails would stay in the sandbox.")
    if settings.mail_from == Settings.model_fields["mail_from"].default:
        faults.append("FICHA_MAIL_FROM is still the laptop's sender.")
    if settings.uses_sandbox:
        faults.append("FICHA_WHATSAPP_BASE_URL is empty: messages would stay in the sandbox.")
    else:
        faults += _left_as_in_sandbox(settings, OF_WHATSAPP)
    if settings.chatwoot_base_url:
        faults += _left_as_in_sandbox(settings, OF_CHATWOOT)
    if not settings.trusted_proxies:
        faults.append(
            "FICHA_TRUSTED_PROXIES is empty: production needs a proxy in front, which keeps idle and slow"
            " connections away (docs/running.md), and its address here."
        )
    if settings.rate_limits == "off":
        faults.append("FICHA_RATE_LIMITS must be on.")
    smtp = urlsplit(settings.smtp_url.get_secret_value())
    if smtp.password and smtp.scheme == "smtp":
        faults.append("FICHA_SMTP_URL has a password and no TLS: use smtps://, or smtp+tls:// for STARTTLS.")
    if not settings.uses_sandbox and len(settings.whatsapp_app_secret.get_secret_value()) < SECRET_LETTERS:
        faults.append(f"FICHA_WHATSAPP_APP_SECRET is too short: it has at least {SECRET_LETTERS} characters.")
    if 0 < len(settings.payments_secret.get_secret_value()) < SECRET_LETTERS:
        faults.append(f"FICHA_PAYMENTS_SECRET is too short: it has at least {SECRET_LETTERS} characters.")
    return faults


def _left_as_in_sandbox(settings: Settings, names: tuple[str, ...]) -> list[str]:
    return [
        f"FICHA_{name.upper()} is still the sandbox's."
        for name in names
        if getattr(settings, name) == Settings.model_fields[name].default
    ]
