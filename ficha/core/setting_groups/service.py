"""The service around the domain: answers, paths, browsers and proxies, logs, keys, jobs; the base of every group."""

from ipaddress import ip_network
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict


class SettingGroup(BaseSettings):
    """Only the class of all settings is ever used, so Pydantic need not build those of the groups."""

    model_config = SettingsConfigDict(defer_build=True)


# As much of an address as a typing error breaks; the mail server knows the rest.
MAIL_ADDRESS = r"[^\s@<>,;\"]+@[^\s@<>,;\"]+"
CommaSeparated = Annotated[tuple[str, ...], NoDecode]


def split_at_commas(value: object) -> object:
    if isinstance(value, str):
        return tuple(word.strip() for word in value.split(",") if word.strip())
    return value


class ServiceSettings(SettingGroup):
    """Browsers and proxies, paths, answers and jobs."""

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
        None,
        description="Run jobs inside the server; by default on SQLite only: beside PostgreSQL run `ficha worker`.",
    )
    job_threads: int = Field(4, ge=1, le=64, description="Jobs that one process runs side by side.")
    job_lease_seconds: float = Field(30, gt=0, description="A job whose process is silent this long is taken over.")
    webhook_private: bool = Field(
        False, description="Whether webhooks may go to private addresses; outside production also without TLS."
    )
    webhook_seconds: float = Field(5, gt=0, le=30, description="Longest time that a receiver of webhooks may take.")

    _split_lists = field_validator("cors_origins", "stateful_hosts", "trusted_proxies", mode="before")(split_at_commas)

    @field_validator("trusted_proxies")
    @classmethod
    def are_networks(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for text in value:
            ip_network(text, strict=False)  # Its ValueError says what is wrong with which.
        return value


class LogAndKeySettings(SettingGroup):
    log_level: Literal["debug", "info", "warning", "error"] = Field("info", description="Least level to log.")
    log_format: Literal["auto", "console", "json"] = Field(
        "auto", description="console or json; auto is console in development."
    )
    metrics_door: Literal["off", "local", "admin", "public"] = Field(
        "local", description="Who may read /metrics: nobody, this machine, an admin token, or anyone."
    )
    worker_metrics: str = Field(
        "",
        pattern=r"^(|.+:\d{1,5})$",
        description="host:port at which a `ficha worker` shows its metrics to anyone who reaches it; empty is nowhere.",
    )
    traces_url: str = Field(
        "",
        description="Where traces go, by OTLP (http://…:4318/v1/traces); needs ficha[traces]. Empty is off.",
    )
    traces_sample: float = Field(1, ge=0, le=1, description="Of how many requests traces are made: 0.1 is one in ten.")
    master_keys: SecretStr = Field(
        SecretStr(""), description="id:base64 pairs, comma-separated, newest first; empty means the key file."
    )
    master_keys_command: SecretStr = Field(
        SecretStr(""),
        description="A command that prints such pairs, as Vault's or a cloud's key service; run without a shell.",
    )
    master_keys_seconds: float = Field(10, gt=0, le=60, description="Longest time that this command may take.")
    key_file: Path | None = Field(None, description="Key file; by default keys.json in the data folder.")
