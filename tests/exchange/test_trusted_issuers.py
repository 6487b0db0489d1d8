"""The directory of trusted issuers is read whole or refused with a reason, before the service starts."""

import json
from pathlib import Path
from typing import Any

import pytest

from ficha.cli.start_checks import refuse_unfit
from ficha.core.settings import InsecureSettings
from ficha.exchange.trusted_issuers import MOST_ISSUERS, TrustedIssuersFaulty, trusted_issuers
from tests.world import settings_for

MINISTRY = {"iss": "https://cards.ministry.example/v1", "name": "Ministerio de Salud", "website": "https://a.example"}


def issuer_file(folder: Path, *issuers: Any, **more: Any) -> Path:
    file = folder / "issuers.json"
    file.write_text(json.dumps({"participating_issuers": issuers, **more}))
    return file


def test_without_a_file_only_our_own_cards_are_believed(tmp_path: Path) -> None:
    found = trusted_issuers(settings_for("", tmp_path, base_url="https://ficha.example"))
    assert found.names == {"https://ficha.example": "Ficha"}
    assert found.find("https://cards.ministry.example/v1") is None


def test_an_issuer_is_found_by_its_exact_address(tmp_path: Path) -> None:
    file = issuer_file(tmp_path, MINISTRY | {"canonical_iss": "https://b.example"}, directory="VCI")
    found = trusted_issuers(settings_for("", tmp_path, trusted_issuers_file=file))
    ministry = found.find(MINISTRY["iss"])
    assert ministry is not None and ministry.name == "Ministerio de Salud" and len(found) == 2
    for other in ("https://cards.ministry.example", MINISTRY["iss"] + "/", MINISTRY["iss"].upper(), ""):
        assert found.find(other) is None


def test_nobody_takes_our_own_name(tmp_path: Path) -> None:
    file = issuer_file(tmp_path, {"iss": "https://ficha.example", "name": "Otro"})
    settings = settings_for("", tmp_path, trusted_issuers_file=file, base_url="https://ficha.example")
    assert trusted_issuers(settings).names == {"https://ficha.example": "Ficha"}


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"iss": "http://cards.ministry.example"}, "issuers.0.iss: .*https"),
        ({"iss": "https://cards.ministry.example/"}, "issuers.0.iss: .*slash"),
        ({"iss": "https://user:clave@ministry.example"}, "issuers.0.iss"),
        ({"iss": "https://ministry.example?a=1"}, "issuers.0.iss"),
        ({"iss": "https://ministry.example/" + "a" * 255}, "issuers.0.iss"),
        ({"iss": 7}, "issuers.0.iss"),
        ({"name": " "}, "issuers.0.name"),
        ({"name": "a\nb"}, "issuers.0.name"),
        ({"name": "a" * 121}, "issuers.0.name"),
        ({"name": None}, "issuers.0.name"),
    ],
)
def test_an_entry_that_is_not_right_refuses_the_file(tmp_path: Path, changes: dict[str, Any], why: str) -> None:
    file = issuer_file(tmp_path, MINISTRY | changes)
    with pytest.raises(TrustedIssuersFaulty, match=why):
        trusted_issuers(settings_for("", tmp_path, trusted_issuers_file=file))


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "not JSON"),
        (b"\xff\xfe", "not JSON"),
        (b"[" * 100_000, "not JSON"),
        (b"[]", "the file"),
        (b"{}", "participating_issuers"),
        (b" " * 1_000_001, "bytes"),
    ],
)
def test_what_is_no_directory_is_refused(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "issuers.json"
    file.write_bytes(content)
    with pytest.raises(TrustedIssuersFaulty, match=why):
        trusted_issuers(settings_for("", tmp_path, trusted_issuers_file=file))


def test_its_size_is_bounded_and_nobody_is_in_it_twice(tmp_path: Path) -> None:
    many = [{"iss": f"https://i{number}.example", "name": "Uno"} for number in range(MOST_ISSUERS + 1)]
    with pytest.raises(TrustedIssuersFaulty, match="2000"):
        trusted_issuers(settings_for("", tmp_path, trusted_issuers_file=issuer_file(tmp_path, *many)))
    with pytest.raises(TrustedIssuersFaulty, match="twice"):
        trusted_issuers(settings_for("", tmp_path, trusted_issuers_file=issuer_file(tmp_path, MINISTRY, MINISTRY)))


def test_the_service_does_not_start_with_a_faulty_file(tmp_path: Path) -> None:
    settings = settings_for("", tmp_path, trusted_issuers_file=tmp_path / "none.json")
    with pytest.raises(InsecureSettings, match=r"FICHA_TRUSTED_ISSUERS_FILE: .*none\.json: No such file"):
        refuse_unfit(settings)
