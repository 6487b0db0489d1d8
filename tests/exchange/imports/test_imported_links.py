"""Health Links of others brought into a record: asked for once, within bounds, and refused with a sentence."""

import io
import json
from collections.abc import Callable, Iterator
from contextlib import redirect_stderr, suppress
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ficha.core.errors import FichaError
from ficha.core.log import configure_logs
from ficha.exchange.health_links.encryption import decrypted_file
from ficha.exchange.health_links.reading import read_health_link
from ficha.exchange.imports.bounded_json import MOST_FACTS
from ficha.exchange.imports.link_faults import HealthLinkAddressRefused
from ficha.exchange.imports.link_fetching import LinkCaller, fetch_link
from ficha.exchange.jose import InflatesTooLarge, NotJose
from ficha.http.sent_documents import FETCHED_AT_ONCE
from tests.api.fmd.test_fmd import fmd, patch
from tests.exchange.health_cards.cards import Issuer
from tests.exchange.health_links.links import share
from tests.exchange.imports.hospital import CARD, IPS, JOSE, SECRET, Asked, Hospital, Told, base64url
from tests.exchange.imports.test_imported_cards import qr, said
from tests.exchange.imports.test_imports import (
    ALLERGY,
    actions,
    bundle,
    contacts,
    decide,
    import_document,
    proposals,
    stored,
)
from tests.exchange.samples import NOW, SMALL, WHOLE
from tests.world import Person, World, build_world, settings_for

Builder = Callable[..., World]
PASSCODE = "274915"
SUMMARY = bundle(ALLERGY)


@pytest.fixture
def hospital() -> Iterator[Hospital]:
    hospital = Hospital()
    yield hospital
    hospital.close()


@pytest.fixture
def build(database_url: str, tmp_path: Path) -> Iterator[Builder]:
    worlds: list[World] = []

    def built(**changes: Any) -> World:
        worlds.append(build_world(settings_for(database_url, tmp_path / "data", **changes)))
        return worlds[-1]

    yield built
    for world in worlds:
        world.close()


@pytest.fixture
def world(build: Builder) -> World:
    """One that may call this machine."""
    return build(health_link_private=True)


def import_link(who: Person, link: str, passcode: str = "", language: str = "es", **headers: str) -> Any:
    body = {"link": link} | ({"passcode": passcode} if passcode else {})
    return who.post(fmd(who, "/imports"), body, headers={"Accept-Language": language, **headers})


def refusal(answer: Any) -> str:
    [error] = answer.json()["errors"]
    assert error["detail"].endswith(".") and answer.status_code in (413, 422, 429, 503), answer.text
    return str(error["code"])


def documents(answer: Any) -> list[dict[str, Any]]:
    assert answer.status_code in (200, 201), answer.text
    found: list[dict[str, Any]] = answer.json()["data"]["attributes"]["documentos"]
    return found


def test_its_files_become_proposals_and_accepting_them_twice_changes_nothing(
    world: World, ana: Person, hospital: Hospital
) -> None:
    card = json.dumps({"verifiableCredential": [Issuer().sign(said(nbf=1_700_000_000))]}).encode()
    hospital.lists(
        {"contentType": f"{IPS};fhirVersion=4.0.1", "embedded": hospital.file(SUMMARY), "unknown": 1},
        {"contentType": CARD, "location": f"{hospital.url}/card?once"},
        passcode=PASSCODE,
    )
    hospital.says(hospital.file(card, CARD).encode(), path="/card", kind=JOSE)
    made = import_link(ana, hospital.link(flag="LPX", extension={"a": 1}), PASSCODE, **{"Idempotency-Key": "one"})
    assert made.status_code == 201
    told = json.loads(hospital.asked[0].body)
    assert told == {"recipient": "Ficha (http://testserver)", "embeddedLengthMax": 1_000_000, "passcode": PASSCODE}
    assert [one.method for one in hospital.asked] == ["POST", "GET"]
    signed, summary = documents(made)
    assert {summary["traido_de"], signed["traido_de"]} == {hospital.url.partition("//")[2]}
    assert (summary["firma"]["estado"], signed["firma"]["estado"]) == ("sin_firma", "desconocida")
    assert {one["efecto"] for one in proposals(made) if one["modelo"] == "alergiasm"} == {"nuevo"}
    assert stored(ana, "alergiasm") == {}
    # The same request again is answered as before, and nobody is asked.
    again = import_link(ana, hospital.link(flag="LPX", extension={"a": 1}), PASSCODE, **{"Idempotency-Key": "one"})
    assert again.json() == made.json() and len(hospital.asked) == 2
    accepted = decide(ana, made, "accept", misma_persona=True)
    assert accepted.status_code == 200, accepted.text
    before, version = stored(ana, "alergiasm"), ana.get(fmd(ana)).headers["etag"]
    assert len(before["alergias"]) == 1 and before["alergias"][0]["fuente"] == "representante"
    # Asked again, it leads to the same: it is the import that it was, and all of it is accepted already.
    same = import_link(ana, hospital.link(flag="P"), PASSCODE)
    assert same.json()["data"]["id"] == made.json()["data"]["id"]
    assert {one["estado"] for one in proposals(same)} == {"aceptada"}
    decide(ana, same, "accept", misma_persona=True)
    assert stored(ana, "alergiasm") == before and ana.get(fmd(ana)).headers["etag"] == version
    assert {"import.proposed", "import.accepted"} <= set(actions(ana, world))


def test_what_changed_behind_it_is_another_import(ana: Person, hospital: Hospital) -> None:
    hospital.embeds(SUMMARY)
    made = import_link(ana, hospital.link(flag="L"))
    decide(ana, made, "accept")
    hospital.embeds(bundle(ALLERGY, {**ALLERGY, "category": ["food"], "code": {"text": "Maní"}}))
    more = import_link(ana, hospital.link(flag="L"))
    assert more.json()["data"]["id"] != made.json()["data"]["id"]
    assert {one["modelo"]: one["efecto"] for one in proposals(more)} == {"alergiasm": "igual", "alergiasa": "nuevo"}


def test_a_direct_link_is_asked_for_its_one_file(ana: Person, hospital: Hospital) -> None:
    hospital.says(hospital.file(SUMMARY).encode(), kind=JOSE)
    assert len(proposals(import_link(ana, hospital.link(flag="U")))) == 1
    [asked] = hospital.asked
    assert (asked.method, asked.path) == ("GET", f"/m/{SECRET}?recipient=Ficha+%28http%3A%2F%2Ftestserver%29")
    hospital.says(hospital.file(SUMMARY, None, zip=None).encode())  # Without a kind, and not compressed.
    assert len(proposals(import_link(ana, hospital.link(flag="U", url=f"{hospital.url}/m/{SECRET}?a=1")))) == 1
    assert "?a=1&recipient=" in hospital.asked[-1].path


def test_it_comes_as_text_in_a_form_and_as_a_picture(ana: Person, hospital: Hospital) -> None:
    hospital.embeds(SUMMARY, passcode=PASSCODE)
    link = hospital.link(flag="P")
    for_viewer, broken = f"https://viewer.example/ver#{link}", f"{link[:40]}\r\n  {link[40:]}\n"
    for text in (link, for_viewer, broken, "SHLINK" + link[6:]):
        assert len(proposals(import_link(ana, text, PASSCODE))) == 1, text
    path = fmd(ana, "/imports")
    forms: list[tuple[dict[str, str], dict[str, Any]]] = [
        ({"passcode": PASSCODE}, {"link": (None, for_viewer)}),
        ({"passcode": PASSCODE}, {"archivo": ("qr.png", qr(for_viewer), "image/png")}),
    ]
    for data, files in forms:
        assert len(proposals(ana.client.post(path, data=data, files=files, headers=ana.headers))) == 1
    hospital.embeds(SUMMARY)
    assert len(proposals(import_document(ana, hospital.link().encode(), kind="text/plain"))) == 1
    for wrong in ({"link": 1}, {"link": link, "clave": "1"}, {"link": "x" * 10_001}):
        assert ana.post(path, wrong).status_code == 422


def test_a_wrong_passcode_is_asked_once_and_its_tries_are_told(world: World, ana: Person, hospital: Hospital) -> None:
    hospital.embeds(SUMMARY, passcode=PASSCODE, tries=2)
    link = hospital.link(flag="P")
    missing = import_link(ana, link)
    assert refusal(missing) == "enlace_pide_clave" and hospital.asked == []
    for left, words in (("1", "before it stops opening: 1."), ("0", "no tries are left")):
        wrong = import_link(ana, link, "000000", language="en")
        assert refusal(wrong) == "clave_de_enlace_incorrecta" and words in wrong.json()["errors"][0]["detail"], left
    assert len(hospital.asked) == 2
    hospital.says({}, 401)  # It does not say how many.
    assert "unos pocos intentos" in import_link(ana, link, "000000").json()["errors"][0]["detail"]
    assert refusal(import_link(ana, hospital.link())) == "enlace_pide_clave"  # It did not say that it asks for one.
    assert world.rows()["imports"] == 0


# A file's compact form with one part changed.
def altered(compact: str, part: int, value: str) -> str:
    parts = compact.split(".")
    parts[part] = value
    return ".".join(parts)


def test_whatever_its_server_answers_a_sentence_says_it(world: World, ana: Person, hospital: Hospital) -> None:
    other = Hospital()
    other.close()
    good, bomb = hospital.file(SUMMARY), hospital.file(b"[" + b" " * 6_000_000 + b"]")
    bare = json.dumps({"files": [{"contentType": IPS}]}).encode()
    wrong: dict[str, tuple[Any, int, str]] = {
        "gone": (b"", 404, "enlace_sin_efecto"),
        "gone for good": (b"", 410, "enlace_sin_efecto"),
        "broken": (b"<html>", 502, "servidor_de_enlace_no_responde"),
        "asked too often": (b"", 429, "servidor_de_enlace_ocupado"),
        "a login page": (b"<html>", 200, "respuesta_de_enlace_invalida"),
        "forbidden": (b"", 403, "respuesta_de_enlace_invalida"),
        "elsewhere": (b"", 302, "respuesta_de_enlace_invalida"),
        "no list": ({"files": "none"}, 200, "respuesta_de_enlace_invalida"),
        "a list of words": ({"files": ["one"]}, 200, "respuesta_de_enlace_invalida"),
        "no content": (bare, 200, "respuesta_de_enlace_invalida"),
        "nothing": ({"files": []}, 200, "enlace_sin_documentos"),
        "too many": ({"files": [{"contentType": IPS}] * 21}, 200, "documento_demasiado_grande"),
        "deep": (b'{"files":' + b"[" * 100_000, 200, "respuesta_de_enlace_invalida"),
        "endless": (b" " * 10_000_001, 200, "documento_demasiado_grande"),
    }
    for name, (body, status, code) in wrong.items():
        hospital.says(body, status, **({"Location": "/elsewhere"} if status == 302 else {}))
        assert refusal(import_link(ana, hospital.link())) == code, name
    assert "/elsewhere" not in [one.path for one in hospital.asked]
    hospital.says(b"", 429, **{"Retry-After": "120"})
    assert import_link(ana, hospital.link()).headers["retry-after"] == "120"
    files = {
        "of another key": (other.file(SUMMARY), "archivo_de_enlace_alterado"),
        "altered": (altered(good, 3, base64url(b"x" * 40)), "archivo_de_enlace_alterado"),
        "with another header": (
            altered(good, 0, hospital.file(SUMMARY, CARD).split(".")[0]),
            "archivo_de_enlace_alterado",
        ),
        "not encrypted": (base64url(b'{"alg":"none"}') + "....", "respuesta_de_enlace_invalida"),
        "for another": (hospital.file(SUMMARY, enc="A128GCM"), "respuesta_de_enlace_invalida"),
        "packed otherwise": (hospital.file(SUMMARY, zip="GZ"), "respuesta_de_enlace_invalida"),
        "not packed": (hospital.file(b"{}", packs=False), "respuesta_de_enlace_invalida"),
        "a bomb": (bomb, "documento_demasiado_grande"),
        "no bundle": (hospital.file({"resourceType": "Endpoint"}), "documento_no_reconocido"),
        "a bad card": (hospital.file({"verifiableCredential": ["a.b.c"]}, CARD), "tarjeta_ilegible"),
    }
    for name, (compact, code) in files.items():
        hospital.lists({"contentType": IPS, "embedded": compact})
        assert refusal(import_link(ana, hospital.link())) == code, name
        hospital.says(compact.encode())
        assert refusal(import_link(ana, hospital.link(flag="U"))) == code, name
    assert refusal(import_link(ana, other.link())) == "servidor_de_enlace_no_responde"
    assert world.rows()["imports"] == 0 and ana.get(fmd(ana, "/imports")).json()["data"] == []


def test_all_files_together_say_no_more_than_one_import_takes(ana: Person, hospital: Hospital) -> None:
    half = bundle(contact=contacts(MOST_FACTS // 2 + 1))
    file = {"contentType": IPS, "embedded": hospital.file(half)}
    hospital.lists(file)
    assert len(proposals(import_link(ana, hospital.link()))) == MOST_FACTS // 2 + 1
    hospital.lists(file, file)
    assert refusal(import_link(ana, hospital.link())) == "documento_demasiado_grande"


def test_what_is_no_link_is_refused_and_nobody_is_asked(ana: Person, hospital: Hospital) -> None:
    hospital.embeds(SUMMARY)
    wrong = {
        "shlink:/": "enlace_ilegible",
        "shlink:/eyJ1cmwiOiJo": "enlace_ilegible",
        "shlink:/" + base64url(b"[]"): "enlace_ilegible",
        hospital.link(key=None): "enlace_ilegible",
        hospital.link(key=base64url(b"short")): "enlace_ilegible",
        hospital.link(url=None): "enlace_ilegible",
        hospital.link(url=hospital.url.replace("//", "//ana:clave@")): "enlace_ilegible",
        hospital.link(url="http://[::1"): "enlace_ilegible",
        hospital.link(flag="PU"): "enlace_ilegible",
        hospital.link(v=2): "enlace_de_otra_version",
        hospital.link(exp=1_700_000_000): "enlace_de_salud_vencido",
        hospital.link(url="file:///etc/passwd"): "enlace_ilegible",
        hospital.link(url="ftp://hospital.example/a"): "direccion_de_enlace_no_admitida",
        hospital.link(url="https://hospital.example:99999/a"): "respuesta_de_enlace_invalida",
    }
    for link, code in wrong.items():
        assert refusal(import_link(ana, link)) == code, link
    assert import_link(ana, "shc:/zz").json()["errors"][0]["code"] == "tarjeta_ilegible"
    assert hospital.asked == []
    hospital.lists({"contentType": IPS, "location": "ftp://hospital.example/a"})
    assert refusal(import_link(ana, hospital.link())) == "direccion_de_enlace_no_admitida"


def test_private_addresses_are_not_called(build: Builder, hospital: Hospital) -> None:
    ana = build().register()
    hospital.embeds(SUMMARY)
    here = hospital.url.partition("127.0.0.1")
    hosts = ("127.0.0.1", "localhost", "[::ffff:127.0.0.1]", "10.1.2.3", "169.254.169.254", "[fd00::1]", "0.0.0.0")
    for host in hosts:
        link = hospital.link(url=f"{here[0]}{host}{here[2]}/m/{SECRET}")
        assert refusal(import_link(ana, link)) == "direccion_de_enlace_no_admitida", host
    assert hospital.asked == []


def test_without_tls_only_outside_production(hospital: Hospital) -> None:
    hospital.embeds(SUMMARY)
    link = read_health_link(hospital.link(), NOW)
    caller = LinkCaller("Ficha", "es", 30, allows_private=True)
    with pytest.raises(HealthLinkAddressRefused):
        fetch_link(link, "", caller)
    assert hospital.asked == []
    assert len(fetch_link(link, "", caller._replace(allows_http=True)).files) == 1


def test_a_server_that_never_finishes_is_left(build: Builder, hospital: Hospital) -> None:
    """And the record is free meanwhile: it is changed by her while the other server has the request."""
    ana = build(health_link_private=True, health_link_seconds=1).register()
    release, changed = Event(), []

    def stall(_asked: Asked) -> Told:
        changed.append(patch(ana, "", SMALL).status_code)
        release.wait(90)
        return Told(b"{}")

    hospital.answers[f"/m/{SECRET}"] = stall
    assert refusal(import_link(ana, hospital.link())) == "servidor_de_enlace_no_responde"
    release.set()
    assert changed == [200] and len(hospital.asked) == 1


def test_only_so_many_are_fetched_at_once_and_by_one_account(build: Builder, hospital: Hospital) -> None:
    ana = build(rate_limits="on", limit_health_link_import="3/minute", health_link_private=True).register()
    hospital.embeds(SUMMARY)
    taken = [FETCHED_AT_ONCE.acquire(blocking=False) for _ in range(8)]
    try:
        assert refusal(import_link(ana, hospital.link())) == "servicio_ocupado" and all(taken)
    finally:
        FETCHED_AT_ONCE.release(len(taken))
    assert [import_link(ana, hospital.link()).status_code for _ in range(3)] == [201, 201, 429]
    assert len(hospital.asked) == 2
    assert import_document(ana, SUMMARY).status_code == 201  # Files are counted apart.


def test_what_it_has_besides_is_left_out_with_a_reason(ana: Person, hospital: Hospital) -> None:
    """A link may open only once, so one bad file does not lose the others."""
    bad = hospital.file({"verifiableCredential": ["a.b.c"]}, CARD)
    hospital.lists(
        {"contentType": CARD, "embedded": bad},
        {"contentType": "application/smart-api-access", "embedded": hospital.file({"access_token": "x"})},
        {"contentType": IPS, "status": "retracted", "embedded": "never opened"},
        {"contentType": IPS, "status": "finalized", "embedded": hospital.file(SUMMARY)},
    )
    made = import_link(ana, hospital.link())
    assert len(proposals(made)) == 1
    [document] = documents(made)
    left = {(one["que"], one["motivo"]) for one in document["no_tomado"]}
    assert left == {
        (CARD, "archivo_rechazado"),
        ("application/smart-api-access", "otra_clase"),
        (IPS, "retirado"),
    }
    hospital.lists({"contentType": "application/smart-api-access", "embedded": "never opened"})
    assert refusal(import_link(ana, hospital.link())) == "enlace_sin_documentos"


@pytest.fixture
def log_stream(tmp_path: Path) -> Iterator[io.StringIO]:
    with redirect_stderr(io.StringIO()) as stream:
        configure_logs(settings_for("", tmp_path, log_level="debug", log_format="json"))
        yield stream
    configure_logs(settings_for("", tmp_path))


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_key_passcode_and_address_are_kept_nowhere(
    world: World, ana: Person, hospital: Hospital, log_stream: io.StringIO, tmp_path: Path
) -> None:
    hospital.embeds(SUMMARY, passcode=PASSCODE)
    link = hospital.link(flag="P")
    assert import_link(ana, link, "000000", **{"Idempotency-Key": "one"}).status_code == 422
    made = import_link(ana, link, PASSCODE, **{"Idempotency-Key": "two"})
    decide(ana, made, "accept")
    hospital.answers.clear()
    assert import_link(ana, link, PASSCODE).status_code == 422
    world.drain_reads()
    with world.parts.database.engine.connect() as connection:
        connection.exec_driver_sql("PRAGMA wal_checkpoint(FULL)")
    kept = [log_stream.getvalue().encode(), *(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())]
    assert "/imports" in log_stream.getvalue()
    for secret in (PASSCODE, SECRET, base64url(hospital.key), link.partition("/")[2][:60]):
        assert not any(secret.encode() in content for content in kept), secret
    assert not any(hospital.key in content for content in kept)


def test_a_link_of_ours_fills_another_record(build: Builder, hospital: Hospital) -> None:
    """Made in one record, opened by its server over HTTP, brought into another: whole, and counted there."""
    world = build(health_link_private=True, base_url=hospital.url)

    def pass_on(asked: Asked) -> Told:
        kind = {"Content-Type": "application/json"}
        told = world.client.request(asked.method, asked.path, content=asked.body, headers=kind)
        return Told(told.content, told.status_code, {}, told.headers["content-type"])

    hospital.respond = pass_on
    ana, luis = world.register(nombre="Ana Pérez"), world.register(nombre="Luis")
    insured = {**SMALL, "poliza": WHOLE["poliza"]}
    assert patch(ana, "", insured).status_code == 200
    link = share(world, ana, passcode=PASSCODE)
    text = link.told["viewer_link"]
    wrong = import_link(luis, text, "000000")
    assert refusal(wrong) == "clave_de_enlace_incorrecta" and ": 9." in wrong.json()["errors"][0]["detail"]
    made = import_link(luis, text, PASSCODE)
    assert [one["firma"]["estado"] for one in documents(made)] == ["sin_firma", "sin_firma"]
    assert decide(luis, made, "accept", misma_persona=True).status_code == 200
    for wire in ("alergiasm", "medicacion", "vacuna", "poliza"):
        [[theirs], [mine]] = (list(stored(one, wire).values()) for one in (luis, ana))
        unsaid = dict.fromkeys(("id", "fuente", "confirmado_en"))
        assert [one | unsaid for one in theirs] == [one | unsaid for one in mine], wire
    before = {wire: stored(luis, wire) for wire in SMALL}
    again = import_link(luis, text, PASSCODE)
    assert {one["efecto"] for one in proposals(again)} == {"igual"}
    # A card says less than the summary, but is signed: what the summary says more stays when both are accepted.
    assert ana.get(fmd(ana, "/health-card")).status_code == 200
    both = import_link(luis, text, PASSCODE)
    assert [one["firma"]["estado"] for one in documents(both)] == ["verificada", "sin_firma", "sin_firma"]
    assert decide(luis, both, "accept", misma_persona=True).status_code == 200
    assert {wire: stored(luis, wire) for wire in SMALL} == before
    once = share(world, ana, once=True, direct=True).told["link"]
    assert len(proposals(import_link(luis, once))) > 0
    assert refusal(import_link(luis, once)) == "enlace_sin_efecto"
    [opened] = [one for one in ana.get(fmd(ana, "/links")).json()["data"] if one["id"] == link.id]
    assert opened["attributes"]["opened_by"][0]["recipient"] == f"Ficha ({hospital.url})"


@given(st.text() | st.binary().map(lambda told: "shlink:/" + base64url(told)) | st.text().map("shlink:/".__add__))
def test_any_text_is_a_link_or_refused(text: str) -> None:
    with suppress(FichaError):
        assert len(read_health_link(text, NOW).key) == 32


KEY = bytes(32)


@given(st.text(alphabet="abc.-_=09") | st.lists(st.binary(max_size=40).map(base64url), max_size=6).map(".".join))
def test_any_text_is_a_file_or_refused(text: str) -> None:
    with pytest.raises((NotJose, InflatesTooLarge)):
        decrypted_file(KEY, text, 1000)
