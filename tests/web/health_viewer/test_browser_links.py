"""Health Links of others, in a real browser: opened, refused with a reason, and their keys told to nobody."""

import json
from typing import Any

import pytest

from tests.exchange.samples import RECORDS, WHOLE, summary_of
from tests.web.health_viewer.health_server import HealthServer, Issuer, SharedLink, base64url
from tests.web.health_viewer.reader import HealthReader

pytestmark = pytest.mark.browser

SMALL = summary_of(RECORDS["small"])
FIRST = "document.querySelector('#shown section h3').textContent"


def test_a_link_is_opened_only_when_its_reader_says_so(reader: HealthReader, health: HealthServer) -> None:
    link = health.link().embed(summary_of(WHOLE), zip="DEF")
    with reader.at(health.text_of(link, label="Para el viaje", exp=4_000_000_000)) as page:
        about = page.locator("#about").inner_text()
        assert "Para el viaje" in about and health.origin.removeprefix("https://") in about and "2096" in about
        assert health.seen == [] and not page.locator("#passcode-field").is_visible()
        reader.opens(page)
        assert "Ana Lucía Pérez Rojas" in page.locator("#shown .who").inner_text()
        assert page.evaluate(FIRST) == "Alertas"
        assert page.locator(".stop li").first.inner_text().startswith("Alergia grave: Penicilinas (clase), Maní")
        assert "Este archivo no está firmado" in page.locator("#shown").inner_text()
    posted = next(one for one in health.seen if one.method == "POST")
    assert json.loads(posted.body) == {"recipient": "Hospital Central", "embeddedLengthMax": 1_000_000}
    assert "cookie" not in posted.headers.lower() and "referer" not in posted.headers.lower()
    reader.kept_to_herself(link)


def test_every_fact_of_a_summary_is_shown(reader: HealthReader, health: HealthServer) -> None:
    bundle = summary_of(WHOLE)
    with reader.opened(health.link().embed(bundle)) as page:
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        text = page.locator("#shown").inner_text()
    for word in ("Insulina glargina", "18 U, subcutánea, cada noche", "Epilepsia", "Apendicectomía", "Fiebre amarilla"):
        assert word in text
    for word in ("YF-2231", "Hospital Coromoto", "María Rojas", "+58 4125551111", "Grupo sanguíneo", "Nacimiento"):
        assert word in text
    told = {entry["resource"].get("code", {}).get("text") for entry in bundle["entry"]} - {None}
    assert [word for word in told if word not in text] == []


# In Spanish, English and Portuguese.
NOT_KNOWN = {
    "empty": ("No hay información.", "No information is available.", "Não há informação."),
    "none known": ("Ninguna alergia conocida", "No known allergy", "Nenhuma alergia conhecida"),
    "not asked": ("No se preguntó.", "It was not asked.", "Não foi perguntado."),
    "pregnant": ("Embarazo", "Pregnancy", "Gravidez"),
    "words alone": ("Un jarabe <rojo> & otro",) * 3,
    "sensitive": ("VIH",) * 3,
}


@pytest.mark.parametrize("record", NOT_KNOWN)
def test_what_is_not_known_is_not_taken_for_nothing(reader: HealthReader, health: HealthServer, record: str) -> None:
    with reader.opened(health.link().embed(summary_of(RECORDS[record]))) as page:
        for language, said in zip(("es", "en", "pt"), NOT_KNOWN[record], strict=True):
            if language != "es":
                page.get_by_role("link", name=language.upper(), exact=True).click()
            assert page.evaluate("document.documentElement.lang") == language
            assert said in page.locator("#shown").inner_text()


@pytest.mark.parametrize("code", ["transfusion", "rechaza_transfusion"])
@pytest.mark.parametrize("refuses", [True, False])
def test_who_accepts_blood_is_not_taken_for_one_who_refuses_it(
    reader: HealthReader, health: HealthServer, code: str, refuses: bool
) -> None:
    """Nor in a summary of ours from before, whose words are of a refusal whatever the answer."""
    bundle = summary_of({"personal": RECORDS["small"]["personal"], "consentimiento": {"rechaza_transfusion": refuses}})
    written = json.dumps(bundle).replace('"code": "transfusion"', f'"code": "{code}"')
    if code == "rechaza_transfusion":
        written = written.replace(json.dumps("Transfusión de sangre"), json.dumps("Rechaza transfusiones"))
    with reader.opened(health.link().embed(json.loads(written))) as page:
        facts = page.locator("#shown .facts").all_inner_texts()
        [line] = [one for one in facts if "transfusi" in one.lower()]
        assert line.startswith("Transfusión de sangre") and "Rechaza" not in line
        assert ("· no permite" in line) is refuses and ("Clase: permite" in line) is not refuses


def test_another_language_asks_nobody_again(reader: HealthReader, health: HealthServer) -> None:
    with reader.opened(health.link().embed(SMALL)) as page:
        count = len(health.seen)
        page.get_by_role("link", name="PT", exact=True).click()
        assert page.locator("h1").inner_text() == "Ver um link ou um cartão de saúde"
        assert page.get_by_role("heading", name="Vacinas").is_visible()
        assert page.evaluate("document.documentElement.lang") == "pt" and len(health.seen) == count


def test_the_right_passcode_opens_and_a_wrong_one_is_counted(reader: HealthReader, health: HealthServer) -> None:
    link = health.link(passcode="1234-Ñ").embed(SMALL)
    with reader.at(health.text_of(link)) as page:
        for sentence in ("Quedan 2 intentos", "Queda 1 intento"):
            reader.opens(page, "0000")
            assert sentence in page.locator("#refused").inner_text()
            assert page.evaluate("document.activeElement.id") == "passcode"
        reader.opens(page, "1234-Ñ")
        assert page.locator("#refused").is_hidden() and "Ana" in page.locator("#shown .who").inner_text()
    reader.kept_to_herself(link)


def test_after_the_last_try_the_link_is_closed(reader: HealthReader, health: HealthServer) -> None:
    link = health.link(passcode="1234", tries=1).embed(SMALL)
    with reader.opened(link, "0000") as page:
        assert "ya no quedan intentos" in page.locator("#refused").inner_text()


def test_a_file_beside_the_manifest_and_a_direct_file_are_opened(reader: HealthReader, health: HealthServer) -> None:
    with reader.opened(health.locate(health.link(), SMALL)) as page:
        assert "Ana" in page.locator("#shown .who").inner_text()
    assert any(one.path.startswith("/f/") for one in health.seen)
    with reader.opened(health.link().embed(SMALL), flag="LU") as page:
        assert "Ana" in page.locator("#shown .who").inner_text()
    assert health.seen[-1].method == "GET" and health.seen[-1].path.endswith("?recipient=Hospital+Central")


def test_several_files_are_shown_and_none_is_left_out(
    reader: HealthReader, health: HealthServer, ministry: Issuer
) -> None:
    """Coverage as a file of its own, a card, access to a system, something unknown, a file that nobody can open."""
    coverage = {
        "resourceType": "Coverage",
        "status": "active",
        "beneficiary": {"reference": "Patient/1"},
        "payor": [{"display": "Seguros Ávila"}],
        "subscriberId": "SA-77",
    }
    link = health.link(status="can-change").embed(SMALL).embed(coverage)
    card = ministry.card({"resourceType": "Bundle", "type": "collection", "entry": []})
    link.embed({"verifiableCredential": [card]}, "application/smart-health-card")
    link.embed({"aud": "x"}, "application/smart-api-access").embed({"other": 1}, "application/x")
    link.files.append({"contentType": "application/fhir+json", "location": f"{health.origin}/f/none"})
    link.files.append({"contentType": "application/fhir+json"})
    with reader.opened(link) as page:
        text = page.locator("#shown").inner_text()
        assert "Seguro\n" in text and "Seguros Ávila" in text and "SA-77" in text
        assert page.locator("[data-verdict=verified]").count() == 1
        for sentence in (
            "Puede cambiar",
            "Da acceso a un sistema",
            "No es un documento ni una tarjeta",
            "(respuesta 404)",
        ):
            assert sentence in text
        assert page.locator("#shown .refused").count() == 4 and "El archivo 7 no se pudo abrir" in text


def with_other(link: SharedLink, **changes: Any) -> SharedLink:
    link.files[0]["embedded"] = changed_header(link.files[0]["embedded"], **changes)
    return link


def changed_header(jwe: str, **changes: Any) -> str:
    header = {"alg": "dir", "enc": "A256GCM", **changes}
    return ".".join([base64url(json.dumps(header).encode()), *jwe.split(".")[1:]])


def tampered(link: SharedLink) -> SharedLink:
    parts = link.files[0]["embedded"].split(".")
    parts[3] = ("A" if parts[3][0] != "A" else "B") + parts[3][1:]
    link.files[0]["embedded"] = ".".join(parts)
    return link


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (tampered, "alguien lo alteró"),
        (lambda link: with_other(link, cty="text/html"), "alguien lo alteró"),
        (lambda link: with_other(link, alg="A256KW"), "una manera que el estándar no permite"),
        (lambda link: with_other(link, alg="none"), "una manera que el estándar no permite"),
        (lambda link: with_other(link, enc="A128CBC-HS256"), "una manera que el estándar no permite"),
        (lambda link: with_other(link, zip="GZ"), "una manera que el estándar no permite"),
        (lambda link: with_other(link, crit=["exp"]), "una manera que el estándar no permite"),
    ],
)
def test_a_file_that_cannot_be_trusted_is_refused_with_a_reason(
    reader: HealthReader, health: HealthServer, change: Any, sentence: str
) -> None:
    with reader.opened(change(health.link().embed(SMALL))) as page:
        assert sentence in page.locator("#shown .refused").inner_text()
        assert "Ana" not in page.locator("#shown").inner_text()


@pytest.mark.parametrize(
    ("content", "header", "sentence"),
    [
        (b"0" * 60_000_000, {"zip": "DEF"}, "demasiado grande"),  # 58 kB on the way.
        (b"\xff\xfe", {}, "dañado"),
        (b"[1]", {}, "dañado"),
        (b"[" * 100_000, {}, "dañado"),
        (b'{"verifiableCredential":[]}', {}, "dañado"),
        (b'{"resourceType":"Bundle","entry":[{"resource":7},null,{}]}', {}, ""),
        (b'{"resourceType":"Bundle","entry":"x"}', {}, ""),
    ],
)
def test_what_is_no_document_does_no_harm(
    reader: HealthReader, health: HealthServer, content: bytes, header: dict[str, str], sentence: str
) -> None:
    with reader.opened(health.link().embed(content, **header)) as page:
        assert sentence in page.locator("#shown").inner_text()
        assert page.locator("#shown").is_visible()


def test_a_link_that_ended_says_so(reader: HealthReader, health: HealthServer) -> None:
    with reader.opened(health.link(is_ended=True).embed(SMALL)) as page:
        assert "El enlace ya no sirve" in page.locator("#refused").inner_text()
    asked = len(health.seen)
    with reader.at(health.text_of(health.link().embed(SMALL), exp=1_600_000_000)) as page:
        reader.opens(page)
        assert "terminó el 13 de septiembre de 2020" in page.locator("#refused").inner_text()
    assert len(health.seen) == asked


def test_a_server_that_does_not_answer_can_be_asked_again(reader: HealthReader, health: HealthServer) -> None:
    link = health.link().embed(SMALL)
    health.is_silent = True
    with reader.opened(link) as page:
        assert "No se pudo hablar con 127.0.0.1" in page.locator("#refused").inner_text()
        health.is_silent = False
        reader.opens(page)
        assert "Ana" in page.locator("#shown .who").inner_text()


def link_text(**claims: Any) -> str:
    said = {"url": "https://127.0.0.1:1/m/x", "key": base64url(bytes(32)), **claims}
    return f"shlink:/{base64url(json.dumps(said).encode())}"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("hola", "No parece un enlace"),
        ("shlink:/", "No parece un enlace"),
        ("shlink:/AAAA", "dañado"),
        (link_text(key="AAAA"), "dañado"),
        (link_text(key=7), "dañado"),
        (link_text(flag="PU"), "dañado"),
        (link_text(exp="mañana"), "dañado"),
        (link_text(label={"a": 1}), "dañado"),
        (link_text(v=2), "una versión que esta página no conoce"),
        (link_text(url="http://example.com/x"), "no es https"),
        (link_text(url="javascript:alert(1)"), "no es https"),
        (link_text(url="https://ana:clave@127.0.0.1:1/x"), "dañado"),
        ("shc:/1/2/5676", "en desuso"),
        ("shc:/123", "dañado"),
        ("{", "dañado"),
        ("a.b.c", "dañado"),
    ],
)
def test_what_is_no_link_is_refused_with_a_reason(reader: HealthReader, text: str, sentence: str) -> None:
    with reader.at() as page:
        reader.given(page, text)
        assert sentence in page.locator("#refused").inner_text()
        assert page.locator("#give").is_visible()
