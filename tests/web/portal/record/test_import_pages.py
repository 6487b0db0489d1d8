"""The pages on which an owner brings what a hospital gave her, and decides."""

import json
import re
from pathlib import Path

from tests.api.fmd.test_fmd import patch
from tests.exchange.imports.hospital import Hospital
from tests.exchange.imports.test_imports import ALLERGY, bundle, stored
from tests.exchange.samples import SMALL
from tests.web.portal.page_session import TOKEN, PageUser, logged_in
from tests.world import Person, World, build_world, settings_for


def send(user: PageUser, page: str, content: bytes, **fields: str) -> str:
    token = TOKEN.search(user.get(page).text)
    assert token is not None
    files = {"archivo": ("resumen.json", content, "application/json")}
    data = {"_token": token.group(1), **fields}
    answer = user.client.post(page, data=data, files=files, follow_redirects=False)
    return answer.headers["location"] if answer.status_code == 303 else answer.text


def test_she_sends_a_summary_ticks_and_accepts(world: World, ana: Person) -> None:
    patch(ana, "", {"personal": SMALL["personal"]})
    code = ana.data["attributes"]["product_codes"][0]
    user = logged_in(world, ana)
    assert f"/app/{code}/traer" in user.get(f"/app/{code}").text
    peanut = {**ALLERGY, "category": ["food"], "code": {"text": "Maní"}}
    name = [{"family": "Pérez", "given": ["Ana"]}]
    there = send(user, f"/app/{code}/traer", json.dumps(bundle(ALLERGY, peanut, name=name)).encode())
    page = user.get(there).text
    assert "Penicilina" in page and "Sin firma" in page and "Maní" in page
    [ticked] = numbers_of(page, "Penicilina")
    done = user.submit(there, do="accept", **{ticked: "si"})
    assert done.status_code == 303 and done.headers["location"].endswith("?hecho=si")
    assert [one["medicamento"]["texto"] for one in stored(ana, "alergiasm")["alergias"]] == ["Penicilina"]
    assert "Lo elegido ya está en la ficha." in user.get(done.headers["location"]).text
    assert ana.get(f"/v2/fmd/{code}/alergiasa").json()["data"]["attributes"]["data"] == {}


def numbers_of(page: str, word: str) -> list[str]:
    return [name for name, told in re.findall(r'name="(p\d+)"[^>]*>([^<]*)', page) if word in told]


def test_another_person_is_said_loudly_and_nothing_is_ticked(world: World, ana: Person) -> None:
    patch(ana, "", {"personal": SMALL["personal"]})
    code = ana.data["attributes"]["product_codes"][0]
    user = logged_in(world, ana)
    other = bundle(ALLERGY, name=[{"family": "Gómez", "given": ["Luis"]}], birthDate="1970-01-01")
    there = send(user, f"/app/{code}/traer", json.dumps(other).encode())
    page = user.get(there).text
    assert "parece de otra persona" in page and "Luis Gómez" in page and "Ana Pérez" in page
    assert " checked" not in page
    numbers = dict.fromkeys(numbers_of(page, "Penicilina"), "si")
    refused = user.submit(there, do="accept", **numbers)
    assert refused.status_code == 409 and "Confirme que es la misma persona" in refused.text
    assert user.submit(there, do="accept", misma_persona="si", **numbers).status_code == 303
    assert len(stored(ana, "alergiasm")["alergias"]) == 1


def test_what_cannot_be_read_is_said_beside_the_field(world: World, ana: Person) -> None:
    code = ana.data["attributes"]["product_codes"][0]
    user = logged_in(world, ana)
    told = send(user, f"/app/{code}/traer?l=en", b"no es nada")
    assert 'role="alert"' in told and "no health summary that we can read" in told
    assert "Escanéela otra vez" in send(user, f"/app/{code}/traer", b"", texto="shc:/zz")


def test_a_link_with_its_passcode_is_brought_and_what_she_pasted_stays(database_url: str, tmp_path: Path) -> None:
    world, hospital = build_world(settings_for(database_url, tmp_path / "data", health_link_private=True)), Hospital()
    ana = world.register()
    hospital.embeds(bundle(ALLERGY), passcode="274915")
    user, link = logged_in(world, ana), f"https://viewer.example/#{hospital.link(flag='P')}"
    page = f"/app/{ana.data['attributes']['product_codes'][0]}/traer"
    missing = send(user, f"{page}?l=pt", b"", texto=link)
    assert "Esse link pede uma senha" in missing and f">{link}</textarea>" in missing
    assert 'aria-describedby="passcode-hint passcode-fault" aria-invalid="true"' in missing
    wrong = send(user, page, b"", texto=link, passcode="000000")
    assert "Intentos que quedan antes de que deje de abrir: 9." in wrong and "000000" not in wrong
    there = send(user, page, b"", texto=link, passcode=" 274915 ")
    host = hospital.url.partition("//")[2]
    assert f"Traído por un enlace de {host}" in user.get(there).text and "Penicilina" in user.get(there).text
    hospital.close()
    gone = send(user, page, b"", texto=link, passcode="274915")
    assert 'id="texto-fault"' in gone and "no responde, o tarda demasiado" in gone
    world.close()
