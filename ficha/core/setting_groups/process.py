"""The process and its data."""

from enum import StrEnum
from pathlib import Path

from pydantic import Field, SecretStr, ValidationInfo, field_validator

from ficha.core.setting_groups.service import SettingGroup


class Env(StrEnum):
    DEVELOPMENT = "development"
    PRODUCTION = "production"


class ProcessSettings(SettingGroup):
    env: Env = Field(Env.DEVELOPMENT, description="development or production.")
    host: str = Field("127.0.0.1", description="Address to listen on.")
    port: int = Field(8000, ge=1, le=65535, description="Port to listen on.")
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
    replica_urls: SecretStr = Field(
        SecretStr(""),
        description="postgresql:// addresses of replicas, one server each, the nearest first, separated by spaces.",
    )
    replica_lag_seconds: float = Field(
        2, ge=0.2, le=60, description="A replica that may miss changes older than this is not read."
    )
    replica_age_minutes: float = Field(
        0,
        ge=0,
        le=1440,
        description="While the primary is silent, a replica up to this old answers scanned stickers; 0: none does.",
    )
    database_answer_seconds: float = Field(
        15,
        gt=0,
        description="PostgreSQL gives no answer for so long: its connections are given up. Alerts wait a third of it.",
    )
    base_url: str = Field(
        "", description="Public address in links and mails, 80 letters at most; empty means http://host:port."
    )
    workers: int = Field(1, ge=1, le=64, description="Server processes.")
    one_core: bool = Field(True, description="Each server process keeps its Python threads on one core (Linux).")
    connections: int = Field(8192, ge=64, le=1_000_000, description="Connections that a process keeps open at once.")
    stop_seconds: int = Field(20, ge=1, description="How long a stop waits for requests and jobs under way.")
    migrate_on_start: bool | None = Field(None, description="Migrate at start; by default only in development.")

    @field_validator("replica_urls")
    @classmethod
    def are_of_postgresql(cls, value: SecretStr, info: ValidationInfo) -> SecretStr:
        urls, primary = value.get_secret_value().split(), info.data.get("database_url", SecretStr(""))
        known = ("postgresql://", "postgres://")
        if not all(url.startswith(known) for url in urls):
            raise ValueError("each must begin with postgresql://, and spaces stand between them")
        if urls and not primary.get_secret_value().startswith(("postgresql", "postgres://")):
            raise ValueError("a replica needs a primary: FICHA_DATABASE_URL must be a postgresql:// address")
        return value
