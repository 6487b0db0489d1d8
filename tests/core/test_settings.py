"""Settings are read from the environment, do not change, and are refused in production until somebody chose them."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from ficha.core.settings import InsecureSettings, Settings, refuse_laptop_values, setting_rows
from tests.world import PRODUCTION, settings_for

# Prints the settings named on its command line, as this process reads them.
PRINT_SETTINGS = """
import json, sys
from ficha.core.settings import Settings
print(json.dumps([str(getattr(Settings(), name)) for name in sys.argv[1:]]))
"""


def run_with_settings(folder: Path, *names: str, **variables: str) -> subprocess.CompletedProcess[str]:
    """A process in this folder, with these FICHA_ variables and no others."""
    others = {name: value for name, value in os.environ.items() if not name.startswith("FICHA_")}
    environment = others | {f"FICHA_{name}": value for name, value in variables.items()}
    command = [sys.executable, "-c", PRINT_SETTINGS, *names]
    return subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)


def settings_read(folder: Path, *names: str, **variables: str) -> list[str]:
    found: list[str] = json.loads(run_with_settings(folder, *names, **variables).stdout)
    return found


def test_the_names_that_scripts_rely_on(tmp_path: Path) -> None:
    defaults = settings_read(tmp_path, "host", "port", "data_dir", "env", "rate_limits", "database")
    assert defaults == ["127.0.0.1", "8000", "data", "development", "on", "sqlite:///data/ficha.db"]
    origins = "https://a.example, https://b.example"
    changes = {"PORT": "9001", "DATA_DIR": "/srv/ficha", "CORS_ORIGINS": origins}
    changed = settings_read(tmp_path, "port", "database", "cors_origins", **changes)
    assert changed == ["9001", "sqlite:////srv/ficha/ficha.db", "('https://a.example', 'https://b.example')"]


def test_a_dotenv_file_is_read_and_the_environment_wins(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text("FICHA_HOST=0.0.0.0\nFICHA_PORT=7000\nOTHER=1\n")
    assert settings_read(tmp_path, "host", "port", PORT="7001") == ["0.0.0.0", "7001"]


def test_they_cannot_be_changed_later(tmp_path: Path) -> None:
    with pytest.raises(ValidationError):
        settings_for("", tmp_path).port = 1  # type: ignore[misc]


@pytest.mark.parametrize(("name", "value"), [("PORT", "x"), ("ENV", "staging"), ("RATE_LIMITS", "no")])
def test_a_wrong_value_is_refused(tmp_path: Path, name: str, value: str) -> None:
    refused = run_with_settings(tmp_path, "port", **{name: value})
    assert refused.returncode == 1 and "ValidationError" in refused.stderr and name.lower() in refused.stderr


@pytest.mark.parametrize(
    ("primary", "replicas"),
    [("", "postgresql://near/ficha"), ("postgresql://far/ficha", "near/ficha"), ("postgresql://far/ficha", "a, b")],
)
def test_a_replica_is_a_postgresql_and_has_a_primary(tmp_path: Path, primary: str, replicas: str) -> None:
    with pytest.raises(ValidationError, match="replica_urls"):
        settings_for(primary, tmp_path, replica_urls=replicas)


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("on_call_phones", ("04125551111", "+58 412 555 1111", "+584125551111,banana"), "+584125551111, +34600111222"),
        ("on_call_mails", ("banana", "a@b.example,c", "Ana <a@b.example>"), "a@b.example, c@d.example"),
        ("mail_from", ("banana", "Ficha", "Ficha <banana>", '"Ficha <a@b.example>"'), "Ficha <a@b.example>"),
        ("mail_from", ("a@b.example, c@d.example",), "a@b.example"),
        ("mail_from", ("Ficha, S.A. <a@b.example>",), '"Ficha, S.A." <a@b.example>'),
    ],
)
def test_whom_mails_and_messages_go_to_can_be_reached(
    tmp_path: Path, name: str, wrong: tuple[str, ...], right: str
) -> None:
    settings_for("", tmp_path, **{name: right})
    for value in wrong:
        with pytest.raises(ValidationError, match=name):
            settings_for("", tmp_path, **{name: value})


@pytest.mark.parametrize(
    ("name", "wrong", "right"),
    [
        ("limit_login", ("often", "5", "5/week"), "10/15 minutes"),
        ("limit_typed_all", ("0/minute",), "1/second"),
        ("limits_url", ("memcached://cache:11211", "redis", "redis://", "redis://cache:x/0"), "redis://:clave@cache/0"),
        ("limits_url", ("memory://", "mongodb://cache"), "valkey+sentinel://a:26379,b:26379/mymaster"),
    ],
)
def test_limits_and_their_store_are_understood_before_a_server_starts(
    tmp_path: Path, name: str, wrong: tuple[str, ...], right: str
) -> None:
    settings_for("", tmp_path, **{name: right})
    for value in wrong:
        with pytest.raises(ValidationError, match=name):
            settings_for("", tmp_path, **{name: value})


def test_production_refuses_what_is_fit_for_a_laptop(tmp_path: Path) -> None:
    with pytest.raises(InsecureSettings) as refusal:
        refuse_laptop_values(settings_for("", tmp_path, env="production", base_url=""))
    for name in ("BASE_URL", "SMTP_URL", "MAIL_FROM", "RATE_LIMITS", "WHATSAPP_BASE_URL", "TRUSTED_PROXIES"):
        assert f"FICHA_{name}" in str(refusal.value)
    refuse_laptop_values(settings_for("", tmp_path, **PRODUCTION))


CHATWOOT = {"chatwoot_token": "chosen", "chatwoot_inbox_identifier": "ours", "chatwoot_webhook_secret": "chosen"}


@pytest.mark.parametrize("name", [*(name for name in PRODUCTION if name.startswith("whatsapp_")), *CHATWOOT])
def test_production_refuses_the_words_and_numbers_of_the_sandbox(tmp_path: Path, name: str) -> None:
    chosen = PRODUCTION | CHATWOOT | {"chatwoot_base_url": "https://desk.example"}
    refuse_laptop_values(settings_for("", tmp_path, **chosen))
    left_alone = {key: value for key, value in chosen.items() if key != name}
    with pytest.raises(InsecureSettings, match=f"FICHA_{name.upper()}"):
        refuse_laptop_values(settings_for("", tmp_path, **left_alone))


def test_secrets_are_never_shown(tmp_path: Path) -> None:
    settings = settings_for("postgresql://ana:secreta@db/ficha", tmp_path, smtp_url="smtp://u:secreta@mail")
    assert "secreta" not in repr(settings)
    assert "secreta" not in str(setting_rows(settings))
    hidden = {row.variable for row in setting_rows(settings) if row.value == "••••"}
    secrets = {f"FICHA_{name.upper()}" for name, value in settings if isinstance(value, SecretStr) and value}
    assert hidden == secrets
    assert secrets >= {"FICHA_DATABASE_URL", "FICHA_SMTP_URL", "FICHA_WHATSAPP_TOKEN", "FICHA_WHATSAPP_APP_SECRET"}


def test_every_setting_has_a_default_and_a_line_of_help() -> None:
    for name, field in Settings.model_fields.items():
        assert not field.is_required(), name
        assert field.description and field.description.endswith("."), name
        looks_secret = any(word in name for word in ("_url", "keys", "secret", "token"))
        # Three addresses carry no password; two settings are numbers.
        addresses = ("base_url", "whatsapp_base_url", "chatwoot_base_url", "traces_url")
        plain = (*addresses, "token_minutes", "limit_token", "master_keys_seconds")
        assert not looks_secret or name in plain or isinstance(field.get_default(), SecretStr), name
