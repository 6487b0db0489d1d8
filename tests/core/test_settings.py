"""Settings: from the environment, frozen, and unfit for production until somebody chose them."""

from pathlib import Path

import pytest
from pydantic import SecretStr, ValidationError

from ficha.core.settings import InsecureSettings, Settings
from ficha.core.settings_table import rows
from tests.world import PRODUCTION, settings_for


def test_the_names_that_scripts_rely_on(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("HOST", "PORT", "DATA_DIR", "DATABASE_URL", "ENV", "RATE_LIMITS"):
        monkeypatch.delenv(f"FICHA_{name}", raising=False)
    defaults = Settings()
    assert (defaults.host, defaults.port, str(defaults.data_dir)) == ("127.0.0.1", 8000, "data")
    assert (defaults.env, defaults.rate_limits) == ("development", "on")
    assert defaults.database == "sqlite:///data/ficha.db"
    monkeypatch.setenv("FICHA_PORT", "9001")
    monkeypatch.setenv("FICHA_DATA_DIR", "/srv/ficha")
    monkeypatch.setenv("FICHA_CORS_ORIGINS", "https://a.example, https://b.example")
    changed = Settings()
    assert changed.port == 9001 and changed.database == "sqlite:////srv/ficha/ficha.db"
    assert changed.cors_origins == ("https://a.example", "https://b.example")


def test_a_dotenv_file_is_read_and_the_environment_wins(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".env").write_text("FICHA_HOST=0.0.0.0\nFICHA_PORT=7000\nOTHER=1\n")
    monkeypatch.delenv("FICHA_HOST", raising=False)
    monkeypatch.setenv("FICHA_PORT", "7001")
    assert (Settings().host, Settings().port) == ("0.0.0.0", 7001)


def test_they_cannot_be_changed_later(tmp_path: Path) -> None:
    with pytest.raises(ValidationError):
        settings_for("", tmp_path).port = 1  # type: ignore[misc]


@pytest.mark.parametrize(
    ("name", "value"), [("FICHA_PORT", "x"), ("FICHA_ENV", "staging"), ("FICHA_RATE_LIMITS", "no")]
)
def test_a_wrong_value_is_refused(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(ValidationError):
        Settings(_env_file=None)


def test_production_refuses_what_is_fit_for_a_laptop(tmp_path: Path) -> None:
    with pytest.raises(InsecureSettings) as refusal:
        settings_for("", tmp_path, env="production", base_url="").refuse_laptop_values()
    for name in ("BASE_URL", "SMTP_URL", "MAIL_FROM", "RATE_LIMITS", "WHATSAPP_BASE_URL"):
        assert f"FICHA_{name}" in str(refusal.value)
    settings_for("", tmp_path, **PRODUCTION).refuse_laptop_values()


@pytest.mark.parametrize("name", ["whatsapp_token", "whatsapp_app_secret", "whatsapp_verify_token"])
def test_production_refuses_the_words_of_the_sandbox(tmp_path: Path, name: str) -> None:
    left_alone = {key: value for key, value in PRODUCTION.items() if key != name}
    with pytest.raises(InsecureSettings, match=f"FICHA_{name.upper()}"):
        settings_for("", tmp_path, **left_alone).refuse_laptop_values()


def test_secrets_are_never_shown(tmp_path: Path) -> None:
    settings = settings_for("postgresql://ana:secreta@db/ficha", tmp_path, smtp_url="smtp://u:secreta@mail")
    assert "secreta" not in repr(settings)
    assert "secreta" not in str(rows(settings))
    hidden = {row.variable for row in rows(settings) if row.value == "••••"}
    words = {f"FICHA_WHATSAPP_{name}" for name in ("TOKEN", "APP_SECRET", "VERIFY_TOKEN")}
    assert hidden == {"FICHA_DATABASE_URL", "FICHA_SMTP_URL"} | words


def test_every_setting_has_a_default_and_a_line_of_help() -> None:
    for name, field in Settings.model_fields.items():
        assert not field.is_required(), name
        assert field.description and field.description.endswith("."), name
        looks_secret = any(word in name for word in ("_url", "keys", "secret", "token"))
        # Two addresses carry no password; one setting is a number of minutes.
        plain = ("base_url", "whatsapp_base_url", "token_minutes", "limit_token")
        assert not looks_secret or name in plain or isinstance(field.get_default(), SecretStr), name
