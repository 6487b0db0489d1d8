"""The reference says everything the OpenAPI document knows, with scripts off."""

import gzip
import html
import json
import re
from importlib.resources import files
from pathlib import Path

import pytest
from pydantic import Field
from starlette.testclient import TestClient

from ficha.asgi.faults import FAULT_SENTENCES
from ficha.core.errors import FichaError
from ficha.core.key_sources import create_key_file
from ficha.core.settings import Settings
from ficha.http.errors import OWN_FAULT_TYPES
from ficha.http.limits import RateLimit
from ficha.web.docs.page import PLATFORM_SECRETS, limits_of, refusals
from ficha.web.docs.schemas import Schemas
from tests.world import PRODUCTION, build_world, settings_for


@pytest.fixture(scope="module")
def client(one_service: TestClient) -> TestClient:
    return one_service


@pytest.fixture(scope="module")
def docs(client: TestClient) -> str:
    return html.unescape(client.get("/docs").text)


def test_every_operation_is_there(client: TestClient, docs: str) -> None:
    english = html.unescape(client.get("/docs?l=en").text)
    for path, methods in client.get("/openapi.json").json()["paths"].items():
        assert f'<span class="path">{path}</span>' in docs
        for operation in methods.values():
            assert f'id="{operation["operationId"]}"' in docs
            assert f"#{operation['operationId']}" in docs
            assert " ".join(operation["description"].split()).split("`")[0] in english


def test_fields_have_their_type_limits_and_example(docs: str) -> None:
    register = docs[docs.index('id="register"') : docs.index('id="login"')]
    assert "<code>clave</code>" in register
    assert "10–128" in register
    assert "caballo-bateria-grapa" in register
    assert "es | en | pt" in register
    assert "Idempotency-Key" in register
    assert '"fmd_code": 1904221833' in register


def test_values_are_written_as_they_are_sent(docs: str) -> None:
    for written in re.findall(r"<code>([^<]*)</code>", docs):
        assert not re.fullmatch(r"(= )?(None|True|False|[\[{]&#39;.*)", written), written


def test_the_example_calls_can_be_pasted(docs: str) -> None:
    login = docs[docs.index('id="login"') : docs.index('id="logout"')]
    assert "curl -X POST http://testserver/v2/auth/login" in login
    assert '"correo": "maria@ejemplo.com"' in login
    me = docs[docs.index('id="me"') : docs.index('id="tokens"')]
    assert "-H 'Authorization: Bearer <ID>|<SECRET>'" in me


def test_every_error_code_is_there(docs: str) -> None:
    def kinds(parent: type[FichaError]) -> set[str]:
        return {kind.code for kind in parent.__subclasses__() if kind.__module__.startswith("ficha.")}.union(
            *(kinds(kind) for kind in parent.__subclasses__())
        )

    codes = kinds(FichaError) | OWN_FAULT_TYPES | {code for code, _ in FAULT_SENTENCES.values()}
    assert len(refusals()) > 15
    for code in codes:
        assert f"<code>{code}</code>" in docs


def test_refusals_lead_to_the_codes(docs: str) -> None:
    linked = set(re.findall(r'href="#(e\d+)"', docs))
    assert linked
    assert all(f'id="{anchor}"' in docs for anchor in linked)


def test_limits_show_their_present_values(database_url: str, tmp_path: Path) -> None:
    world = build_world(settings_for(database_url, tmp_path / "other", limit_login="77/hour", json_bytes=12345))
    page = world.client.get("/docs?l=en").text
    assert "77/hour" in page
    assert "12 345 bytes" in page
    assert "switched off" in page
    world.close()


def test_every_limit_of_the_service_is_there_in_three_languages(client: TestClient) -> None:
    shown = {limit.variable: limit for limit in limits_of(Settings(_env_file=None))}
    assert {f"FICHA_LIMIT_{limit.value.upper()}" for limit in RateLimit} <= set(shown)
    assert {"FICHA_JSON_BYTES", "FICHA_UPLOAD_BYTES", "FICHA_PICTURE_PIXELS"} <= set(shown)
    for limit in shown.values():
        assert len(set(limit.label)) == 3, f"add a phrase for {limit.variable} to docs.csv"
    for number, language in enumerate(("es", "en", "pt")):
        page = html.unescape(client.get(f"/docs?l={language}").text)
        rows = [f"<tr><td>{limit.label[number]}</td><td>" for limit in shown.values()]
        assert [row for row in rows if row not in page] == []


def test_in_production_nobody_is_told_of_demo_people(database_url: str, tmp_path: Path) -> None:
    """Nor is any secret of a platform shown; who tries an example has to bring her own."""
    create_key_file(tmp_path / "other" / "keys.json", made_for="production")
    world = build_world(settings_for(database_url, tmp_path / "other", **PRODUCTION))
    page = html.unescape(world.client.get("/docs?l=en", headers={"Host": "ficha.example"}).text)
    assert "In the demo, with" not in page and "chosen-" not in page
    assert "-hmac '<SECRET>'" in page and "Bearer <PLATFORM_TOKEN>" in page
    world.close()


def test_a_secret_that_somebody_chose_is_shown_nowhere(database_url: str, tmp_path: Path) -> None:
    """Not even where the demo is: only the sandbox's own, which everybody knows."""
    chosen = dict.fromkeys((*PLATFORM_SECRETS.values(), "payments_secret"), "chosen-by-somebody-for-real-1234567890")
    world = build_world(settings_for(database_url, tmp_path / "other", **chosen))
    page = html.unescape(world.client.get("/docs?l=en").text)
    assert "chosen-by" not in page and page.count("-hmac '<SECRET>'") >= 3
    world.close()


def test_a_limit_without_a_phrase_shows_its_description() -> None:
    class MoreSettings(Settings):
        limit_new: str = Field("3/hour", description="New things per address.")

    [new] = [limit for limit in limits_of(MoreSettings(_env_file=None)) if limit.variable == "FICHA_LIMIT_NEW"]
    assert new.label == ("New things per address.",) * 3
    assert (new.variable, new.value) == ("FICHA_LIMIT_NEW", "3/hour")


def test_trying_needs_a_script_so_it_is_hidden_without(docs: str) -> None:
    assert docs.count('<form class="try"') > 20
    assert all(form.rstrip().endswith("hidden") for form in re.findall(r'<form class="try"([^>]*)>', docs))


def test_inner_objects_become_lines_of_their_own() -> None:
    schemas = Schemas(
        {
            "Contact": {
                "type": "object",
                "required": ["nombre"],
                "properties": {"nombre": {"type": "string", "maxLength": 9}, "self": {"$ref": "#/x/Contact"}},
            }
        }
    )
    whole = {
        "type": "object",
        "required": ["contactos"],
        "properties": {
            "contactos": {"type": "array", "minItems": 1, "items": {"$ref": "#/x/Contact"}},
            "edad": {"anyOf": [{"type": "integer", "minimum": 0}, {"type": "null"}]},
        },
    }
    fields = {field.name: field for field in schemas.fields(whole)}
    assert fields["contactos"].kind == "object[]"
    assert fields["contactos[].nombre"].limits == ["≤ 9"]
    assert fields["edad"].limits == ["≥ 0"]
    assert not fields["edad"].is_required
    assert schemas.example(whole) == {"contactos": [{"nombre": "…"}]}


def test_no_two_places_have_one_name_and_every_link_leads_somewhere(docs: str) -> None:
    anchors = re.findall(r'\sid="([^"]+)"', docs)
    assert sorted(anchors) == sorted(set(anchors))
    assert set(re.findall(r'href="#([^"]+)"', docs)) <= set(anchors)


@pytest.mark.parametrize("language", ["es", "en", "pt"])
def test_the_page_is_small_on_the_wire(client: TestClient, language: str) -> None:
    """As many bytes for an operation as when there were 143 and the page had 60,000."""
    sent = _raw(client, f"/docs?l={language}", "gzip")
    operations = sum(len(methods) for methods in client.get("/openapi.json").json()["paths"].values())
    assert len(sent) <= 420 * operations
    assert client.get(f"/docs?l={language}", headers={"Accept-Encoding": "identity"}).content == gzip.decompress(sent)


def test_the_document_is_written_once_and_small_on_the_wire(client: TestClient) -> None:
    sent, again = (_raw(client, "/openapi.json", "gzip") for _ in range(2))
    assert sent == again and len(sent) <= 100_000
    plain = client.get("/openapi.json", headers={"Accept-Encoding": "identity"})
    assert plain.content == gzip.decompress(sent) and "content-encoding" not in plain.headers
    assert plain.headers["vary"] == "Accept-Encoding"
    assert plain.json()["openapi"].startswith("3.")


def _raw(client: TestClient, path: str, accepted: str) -> bytes:
    with client.stream("GET", path, headers={"Accept-Encoding": accepted}) as answer:
        assert answer.headers["content-encoding"] == accepted and "Accept-Encoding" in answer.headers["vary"]
        return b"".join(answer.iter_raw())


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("es", "De quién es el token."), ("en", "Who the token belongs to."), ("pt", "De quem é o token.")],
)
def test_descriptions_are_in_the_chosen_language(client: TestClient, language: str, sentence: str) -> None:
    page = html.unescape(client.get(f"/docs?l={language}").text)
    assert f'<p lang="{language}">{sentence}</p>' in page
    shown = re.findall(r'<div class="inside"[^>]*>\s*<p lang="(..)">', page)
    assert len(shown) == page.count('<details class="operation"')
    english = re.findall(r'<(?:p|dd) lang="en">(.*?)</(?:p|dd)>', page)
    assert set(shown) == {language} and (language == "en" or english == []), "add it to descriptions.json"


def test_no_translation_is_left_of_words_that_are_gone(client: TestClient) -> None:
    document = json.dumps(client.get("/openapi.json").json(), ensure_ascii=False)
    said = json.loads(files("ficha.web.docs").joinpath("descriptions.json").read_text("utf-8"))
    written = " ".join(document.replace("\\n", " ").split())
    assert [english for english in said if json.dumps(english, ensure_ascii=False)[1:-1] not in written] == []
