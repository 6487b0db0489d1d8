"""Production with something that is only fit for a laptop: it does not start, and says why in a sentence."""

import shutil
from pathlib import Path

import pytest

from ficha.cli.unknown_settings import unknown_settings
from ficha.core.key_sources import create_key_file
from ficha.core.settings import InsecureSettings, Settings, refuse_laptop_values
from ficha.demo.people import PEOPLE
from tests.processes import environment, ficha
from tests.world import PRODUCTION, settings_for


def production(tmp_path: Path, **changes: str) -> dict[str, str]:
    values = {
        f"FICHA_{name.upper()}": ",".join(value) if isinstance(value, tuple) else value
        for name, value in PRODUCTION.items()
    }
    return environment("", tmp_path / "data", **values | changes)


def said(*words: str, env: dict[str, str]) -> str:
    """What a command that refuses says: a sentence for each fault, and no traceback."""
    answer = ficha(*words, env=env, check=False)
    assert answer.returncode == 2, answer.stderr
    assert "Traceback" not in answer.stderr and answer.stdout == ""
    return answer.stderr


@pytest.fixture
def data(tmp_path: Path, sqlite_file: Path) -> Path:
    """A folder that production can start with."""
    folder = tmp_path / "data"
    folder.mkdir(mode=0o700)
    create_key_file(folder / "keys.json", made_for="production")
    shutil.copy(sqlite_file, folder / "ficha.db")
    (folder / "ficha.db").chmod(0o600)
    return folder


def test_a_database_that_others_can_read_is_refused(data: Path, tmp_path: Path) -> None:
    (data / "ficha.db").chmod(0o644)
    for command in ("serve", "worker"):
        assert "chmod 600" in said(command, env=production(tmp_path))


def test_demo_people_are_refused_until_they_are_removed(data: Path, tmp_path: Path) -> None:
    in_development = environment("", data)
    keys = (data / "keys.json").read_text()
    ficha("demo", "--json", env=in_development)
    assert "ficha demo --remove" in said("serve", env=production(tmp_path))
    assert f"Erased {len(PEOPLE)} " in ficha("demo", "--remove", env=production(tmp_path)).stderr
    assert "Erased 0" in ficha("demo", "--remove", env=production(tmp_path)).stderr
    assert (data / "keys.json").read_text() == keys
    (data / "keys.json").unlink()  # So that it says this, and does not start.
    assert "ficha keys create" in said("serve", env=production(tmp_path))


def test_every_fault_is_a_line(tmp_path: Path, data: Path) -> None:
    told = said(
        "serve",
        env=production(
            tmp_path,
            FICHA_SMTP_URL="smtp://ficha:clave@mail.example:587",
            FICHA_WHATSAPP_APP_SECRET="short",
            FICHA_BASE_URL="http://ficha.example",
        ),
    )
    assert [line.split()[0] for line in told.splitlines()] == [
        "FICHA_BASE_URL",
        "FICHA_SMTP_URL",
        "FICHA_WHATSAPP_APP_SECRET",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [("FICHA_PORT", "abc"), ("FICHA_SMTP_URL", "mail.example"), ("FICHA_TRUSTED_PROXIES", "10.0.0.0/99")],
)
def test_a_value_that_cannot_be_read_is_named(tmp_path: Path, name: str, value: str) -> None:
    assert said("serve", env=environment("", tmp_path, **{name: value})).startswith(f"{name}: ")


@pytest.mark.parametrize("url", ["smtps://u:c@mail", "smtp+tls://u:c@mail:587", "smtp://mail:25"])
def test_a_password_goes_by_tls_or_there_is_none(tmp_path: Path, url: str) -> None:
    refuse_laptop_values(settings_for("", tmp_path, **PRODUCTION | {"smtp_url": url}))
    with pytest.raises(InsecureSettings, match="TLS"):
        refuse_laptop_values(settings_for("", tmp_path, **PRODUCTION | {"smtp_url": "smtp://u:c@mail:587"}))


def test_a_new_database_is_its_owner_s_alone(tmp_path: Path) -> None:
    ficha("migrate", env=environment("", tmp_path))
    settings = Settings(_env_file=None, data_dir=tmp_path)
    assert Path(settings.database.removeprefix("sqlite:///")).stat().st_mode & 0o077 == 0


def test_a_name_that_is_no_setting_is_refused_with_the_one_that_was_meant(tmp_path: Path, data: Path) -> None:
    """Where it stands makes no difference; in development it is a warning."""
    wrong = {"FICHA_WHATSAP_TOKEN": "x", "FICHA_ONCALL_MAILS": "a@b.example", "FICHA_WHEREABOUTS": "x"}
    sentences = [
        "FICHA_ONCALL_MAILS is no setting: did you mean FICHA_ON_CALL_MAILS?",
        "FICHA_WHATSAP_TOKEN is no setting: did you mean FICHA_WHATSAPP_TOKEN?",
        "FICHA_WHEREABOUTS is no setting: docs/settings.md has them all.",
    ]
    for command in ("serve", "worker"):
        assert said(command, env=production(tmp_path, **wrong)).splitlines() == sentences
    in_development = environment("", data, FICHA_MASTER_KEYS="none", **wrong)  # So that it does not start.
    assert said("worker", env=in_development).splitlines()[:-1] == sentences


def test_a_name_in_dotenv_is_looked_at_too_and_those_of_others_are_left_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / ".env").write_text("FICHA_WORKRES=2\nOTHER=1\nFICHA_WORKERS\n")
    monkeypatch.chdir(tmp_path)
    of_others = {
        "FICHA_IMAGE": "ficha:2.1.0",
        "FICHA_TRIAL_DAYS": "14",
        "FICHA_SERVICE_HOST": "10.0.0.1",
        "FICHA_UNREADY_SERVICE_PORT_HTTP": "80",
        "FICHA_UNREADY_PORT": "tcp://10.0.0.1:80",
        "FICHA_UNREADY_PORT_80_TCP_ADDR": "10.0.0.1",
        "ficha_port": "8000",
    }
    assert unknown_settings(of_others) == ["FICHA_WORKRES is no setting: did you mean FICHA_WORKERS?"]
