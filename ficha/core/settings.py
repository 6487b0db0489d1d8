"""Every setting of the service in one frozen class, read from FICHA_* variables and `.env`."""

from enum import StrEnum
from functools import cached_property
from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

CommaSeparated = Annotated[tuple[str, ...], NoDecode]


class Env(StrEnum):
    DEVELOPMENT = "development"
    PRODUCTION = "production"


class Settings(BaseSettings):
    model_config = SettingsConfigDict(
        env_prefix="FICHA_", env_file=".env", env_ignore_empty=True, frozen=True, extra="ignore"
    )

    # The process and its data.
    env: Env = Field(Env.DEVELOPMENT, description="development or production.")
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on.")
    data_dir: Path = Field(Path("data"), description="Folder for the SQLite file, the keys and the sandbox.")
    database_url: SecretStr = Field(
        SecretStr(""), description="A postgresql:// address; empty means SQLite in the data folder."
    )
    database_pool: int = Field(
        10,
        ge=1,
        le=200,
        description="PostgreSQL connections of a process: for fast reads; twice as many for all else; 12 for alerts.",
    )
    base_url: str = Field("", description="Public address in links and mails; empty means http://host:port.")
    workers: int = Field(1, ge=1, le=64, description="Server processes.")
    connections: int = Field(8192, ge=64, le=1_000_000, description="Connections that a process keeps open at once.")
    stop_seconds: int = Field(20, ge=1, description="How long a stop waits for requests and jobs under way.")
    migrate_on_start: bool | None = Field(None, description="Migrate at start; by default only in development.")

    # Logs and metrics.
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level to log.")
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="console or json; auto is console in development."
    )
    metrics_door: Literal["off", "local", "admin", "public"] = Field(
        "local", description="Who may read /metrics: nobody, this machine, an admin token, or anyone."
    )

    # Keys.
    master_keys: SecretStr = Field(
        SecretStr(""), description="id:base64 pairs, comma-separated, newest first; empty means the key file."
    )
    key_file: Path | None = Field(None, description="Key file; by default keys.json in the data folder.")

    # The medical record and its log.
    anchor_minutes: int = Field(60, ge=1, le=1440, description="How often the ends of the log are signed.")
    anchor_dir: Path | None = Field(
        None, description="Folder for copies of what was signed, best on another disk; by default in the data folder."
    )
    record_changes: int = Field(20_000, ge=1, description="Changes that one record may have; all are kept.")
    record_bytes: int = Field(50_000_000, ge=1, description="Bytes that all versions of one record may take.")

    # Accounts.
    token_minutes: int = Field(60, ge=1, description="Life of a bearer token.")
    session_minutes: int = Field(120, ge=1, description="Life of an unused browser session.")
    code_minutes: int = Field(10, ge=1, description="Life of a code sent by mail or phone.")
    code_tries: int = Field(5, ge=1, description="Wrong tries before such a code dies.")
    recovery_minutes: int = Field(60, ge=1, description="Life of a link to choose a new clave.")
    claim_hours: int = Field(24, ge=1, description="Life of a link that confirms a sticker claimed by its code.")
    test_account_hours: int = Field(24, ge=1, description="Life of an account made by the test registration.")

    # Mail.
    smtp_url: SecretStr = Field(
        SecretStr(""), description="smtps://user:clave@host, smtp+tls://…:587 or smtp://…; empty keeps mail here."
    )
    mail_from: str = Field("Ficha <ficha@localhost>", description="Sender of our mails.")

    # WhatsApp. Without an address, everything goes to the sandbox on this machine, and these values are its own.
    whatsapp_base_url: str = Field("", description="The platform's address; empty means the sandbox.")
    whatsapp_version: str = Field("v23.0", pattern=r"^v\d+\.\d+$", description="Version of the platform's API.")
    whatsapp_token: SecretStr = Field(SecretStr("sandbox-token"), description="The platform's access token.")
    whatsapp_phone_number_id: str = Field("106540352242922", pattern=r"^\d+$", description="Id of our number.")
    whatsapp_business_id: str = Field("102290129340398", pattern=r"^\d+$", description="Id of the business account.")
    whatsapp_app_id: str = Field("634974688087057", pattern=r"^\d+$", description="Id of the app, for uploads.")
    whatsapp_app_secret: SecretStr = Field(SecretStr("sandbox-app-secret"), description="Signs the notifications.")
    whatsapp_verify_token: SecretStr = Field(
        SecretStr("sandbox-verify-token"), description="What the platform shows when it asks for our webhook."
    )
    whatsapp_seconds: float = Field(10, gt=0, description="Longest wait for an answer of the platform.")
    whatsapp_doubt_seconds: float = Field(
        60, gt=0, description="How long to look for a message in the statuses after an unclear answer."
    )
    whatsapp_per_second: int = Field(80, ge=1, description="Messages that one business number sends in a second.")
    notification_days: int = Field(30, ge=7, description="Days a notification is kept; emptied if all of it was read.")
    events_beat_seconds: float = Field(15, gt=0, description="How often a quiet stream of events says that it lives.")
    events_per_account: int = Field(10, ge=1, description="Streams of events of one account in each process.")
    events_per_process: int = Field(1000, ge=1, description="Streams of events that one process keeps open.")
    events_days: int = Field(7, ge=1, description="Days a stream of events can be taken up again.")
    sandbox_port: int = Field(8001, ge=0, le=65535, description="Port of the sandbox, on this machine only.")

    # Chatwoot, the conversation platform. Without an address it is the sandbox, and these values are its own.
    chatwoot_base_url: str = Field("", description="Its address, as https://app.chatwoot.com; empty means the sandbox.")
    chatwoot_token: SecretStr = Field(
        SecretStr("sandbox-chatwoot-token"), description="The token (api_access_token) by which staff act there."
    )
    chatwoot_account_id: int = Field(1, ge=1, description="Id of our account there.")
    chatwoot_inbox_id: int = Field(1, ge=1, description="Id of the API inbox that our threads go into.")
    chatwoot_inbox_identifier: str = Field(
        "sandbox-inbox", pattern=r"^[A-Za-z0-9_-]+$", description="Identifier of that inbox in the public API."
    )
    chatwoot_webhook_secret: SecretStr = Field(SecretStr("sandbox-webhook-secret"), description="Signs its webhooks.")
    chatwoot_seconds: float = Field(10, gt=0, description="Longest wait for its answer, a place in the queue included.")
    chatwoot_upload_seconds: float = Field(120, gt=0, description="Longest time for passing attachments on to it.")
    chatwoot_calls: int = Field(50, ge=1, description="Calls to it that one process has under way at a time.")
    chatwoot_team_id: int = Field(1, ge=1, description="Id of the team there that is on call for emergencies.")
    chatwoot_bridge: bool | None = Field(
        None, description="Whether threads and emergencies go to it; by default, wherever there is one."
    )
    chatwoot_private: bool = Field(
        False, description="Whether its name may lead to a private address, as on a network of one's own."
    )

    # Emergencies.
    ladder_whatsapp_seconds: float = Field(60, gt=0, description="How long a contact has to answer by WhatsApp.")
    ladder_mail_seconds: float = Field(60, gt=0, description="How long a contact has to answer a mail.")
    ladder_push_seconds: float = Field(30, gt=0, description="How long a contact has to answer a notification.")
    ladder_message_minutes: float = Field(5, gt=0, description="An alert that could not leave by then is not sent.")
    emergency_join_minutes: float = Field(10, gt=0, description="Scans of one record within this are one emergency.")
    emergency_link_hours: float = Field(24, gt=0, description="How long after its end an emergency's links answer.")
    emergency_reply_hours: float = Field(6, gt=0, description="How long a contact's message counts as an answer.")
    alert_quiet_minutes: float = Field(
        10, gt=0, description="How long a record that has just alerted its contacts waits before it does so anew."
    )
    alerts_per_unconfirmed: int = Field(
        5, ge=1, description="Records that may alert one number or mailbox in a day, if it never answered them."
    )
    alerts_per_confirmed: int = Field(
        30, ge=1, description="Records that may alert one number or mailbox in an hour, if it answered this one before."
    )
    read_notice_minutes: float = Field(10, gt=0, description="Looking again within this is the same look.")

    # Limits.
    rate_limits: Literal["on", "off"] = Field("on", description="Whether rate limits apply.")
    limits_url: SecretStr = Field(
        SecretStr(""), description="redis:// or valkey:// to share limits between processes; empty counts in memory."
    )
    limit_login: str = Field("5/minute", description="Login attempts per address.")
    limit_login_account: str = Field("10/15 minutes", description="Login attempts per correo and address or device.")
    limit_login_unknown: str = Field("20/minute", description="Login attempts per correo of all unknown devices.")
    limit_registration: str = Field("5/minute", description="Registrations per address.")
    limit_code: str = Field("3/10 minutes", description="Codes sent to one mailbox or phone.")
    limit_token: str = Field("600/minute", description="Requests per token.")
    limit_key: str = Field("60/minute", description="Idempotency-Keys per address of callers without a session.")
    limit_platform_key: str = Field("600/minute", description="The same for calls with a token of the platform.")
    limit_typed: str = Field("10/minute", description="Typed codes opened per address.")
    limit_glass: str = Field("6/hour", description="Times that more is asked for with one sticker.")
    limit_glass_address: str = Field("12/hour", description="Times that more is asked for from one address.")
    limit_claim: str = Field("10/hour", description="Stickers claimed per account and per address.")
    limit_invitation: str = Field("20/day", description="Invitations to see a record that one account sends.")
    limit_link: str = Field("10/minute", description="Links to answer an alert opened per address.")
    limit_platform: str = Field("300/minute", description="Calls passed on to Chatwoot per address.")
    alert_proof_bits: int = Field(
        15, ge=1, le=32, description="Beyond the limits of typed codes, zeros that the work for an alert must find."
    )
    alert_wait_seconds: int = Field(15, ge=1, description="How long who cannot do that work waits instead.")
    limit_typed_all: str = Field("600/minute", description="Typed codes opened by everybody together.")
    json_bytes: int = Field(1_000_000, ge=1, description="Largest JSON body.")
    webhook_bytes: int = Field(4_000_000, ge=1, description="Largest webhook body.")
    upload_bytes: int = Field(
        10_000_000, ge=1, description="Largest upload in all; files to be sent are limited by the platform's own table."
    )
    bodies_bytes: int = Field(20_000_000, ge=1, description="Bodies of all requests under way in a process together.")
    body_seconds: float = Field(30, gt=0, description="Time for a whole body, and a second for each 20 kB that came.")

    # Browsers and proxies.
    cors_origins: CommaSeparated = Field((), description="Origins whose scripts may call us, comma-separated.")
    stateful_hosts: CommaSeparated = Field(
        (), description="host:port of the front ends that use cookies; empty means the host of the base URL."
    )
    trusted_proxies: CommaSeparated = Field((), description="Addresses or networks of proxies that are believed.")
    forwarded_header: Literal["x-forwarded-for", "forwarded"] = Field(
        "x-forwarded-for", description="Where these write whom they speak for; the other header is not read."
    )

    # Path prefixes.
    v1: str = Field("/v1", description="Prefix of version 1.")
    v2: str = Field("/v2", description="Prefix of version 2.")
    test: str = Field("/test", description="Prefix of the test group.")
    csrf_scope: str = Field("sanctum", description="First part of the csrf-cookie path.")
    integration: str = Field("whatsapp", description="Name of the messaging integration in paths.")
    messaging_channel: str = Field("whatsapp", description="Name of the webhook's channel in its path.")

    # What answers say about us.
    api_version: str = Field("v2.0.0", pattern=r"^v\d+\.\d+\.\d+$", description="meta.api_version of every answer.")
    copyright: str = Field("© Ficha", description="meta.copyright of every answer.")

    # Jobs.
    jobs_in_server: bool | None = Field(
        None, description="Run jobs inside the server; by default on SQLite only (PostgreSQL has `ficha worker`)."
    )
    job_threads: int = Field(4, ge=1, le=64, description="Jobs that one process runs side by side.")
    job_lease_seconds: float = Field(30, gt=0, description="A job whose process is silent this long is taken over.")

    @field_validator("cors_origins", "stateful_hosts", "trusted_proxies", mode="before")
    @classmethod
    def split_commas(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(word.strip() for word in value.split(",") if word.strip())
        return value

    @field_validator("trusted_proxies")
    @classmethod
    def are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            ip_network(text, strict=False)  # Its ValueError says what is wrong with which.
        return value

    @field_validator("smtp_url")
    @classmethod
    def is_mail_server(cls, value: SecretStr) -> SecretStr:
        parts = urlsplit(value.get_secret_value())
        if value.get_secret_value() and (parts.scheme not in ("smtp", "smtps", "smtp+tls") or not parts.hostname):
            raise ValueError("it must look like smtps://user:clave@host or smtp+tls://user:clave@host:587")
        return value

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
