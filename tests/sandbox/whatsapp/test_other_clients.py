"""Two more clients that nobody here wrote, unchanged: heyoo, and one from npm where node is installed."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest
from heyoo import WhatsApp  # type: ignore[import-untyped]

from ficha.sandbox.whatsapp.sample_files import FILES
from tests.sandbox.whatsapp.conftest import ANA_ID, Business

PACKAGE = "whatsapp-api-js@6.3.0"
SCRIPT = Path(__file__).parent / "npm_client.mjs"
PNG = FILES["image"][1]


@pytest.fixture
def heyoo(business: Business) -> WhatsApp:
    config, url = business.config, business.sandbox.url
    client = WhatsApp(token=config.token, phone_number_id=config.phone_number_id)
    client.base_url, client.v15_base_url = f"{url}/v14.0", f"{url}/v15.0"
    client.url = f"{client.base_url}/{config.phone_number_id}/messages"
    return client


@pytest.mark.filterwarnings("ignore")  # It leaves its files open.
def test_heyoo_sends_messages_templates_and_files(business: Business, heyoo: WhatsApp, tmp_path: Path) -> None:
    theirs = business.receive(type="text", text="Hola")
    picture = tmp_path / "mapa.png"
    picture.write_bytes(PNG)
    media = heyoo.upload_media(str(picture))["id"]
    body = [{"type": "body", "parameters": [{"type": "text", "text": "Hola"}]}]
    rows = [{"title": "Todo", "rows": [{"id": "1", "title": "Uno", "description": "Primero"}]}]
    choice = {"header": "Menú", "body": "Elija", "footer": "Ficha", "action": {"button": "Ver", "sections": rows}}
    answers = [
        heyoo.send_message("Hola", ANA_ID),
        heyoo.send_template("mensaje_pendiente", ANA_ID, body, lang="es"),
        heyoo.send_location(10.5, -66.9, "Plaza", "Centro", ANA_ID),
        heyoo.send_image("https://ejemplo.com/a.png", ANA_ID),  # With `caption: null`.
        heyoo.send_image(media, ANA_ID, caption="Mapa", link=False),
        heyoo.send_document("https://ejemplo.com/guia.pdf", ANA_ID),
        heyoo.send_button(choice, ANA_ID),
    ]
    assert [each["messages"][0]["id"] for each in answers] == [each["id"] for each in business.accepted()]
    saved = heyoo.download_media(heyoo.query_media_url(media), "image/png", str(tmp_path / "saved"))
    assert Path(saved).read_bytes() == PNG
    assert heyoo.mark_as_read(theirs) == {"success": True}
    assert heyoo.delete_media(media) == {"success": True}


@pytest.fixture(scope="session")
def npm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if shutil.which("node") is None or shutil.which("npm") is None:
        pytest.skip("node is not installed")
    folder = tmp_path_factory.mktemp("npm")
    shutil.copy(SCRIPT, folder)
    words = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", PACKAGE]
    try:
        done = subprocess.run(words, cwd=folder, capture_output=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip("npm did not answer")
    if done.returncode:
        pytest.skip("npm could not fetch the client")
    return folder


@pytest.mark.slow
def test_a_client_from_npm_sends_messages_templates_and_files(business: Business, npm_folder: Path) -> None:
    theirs = business.receive(type="text", text="Hola")
    config = business.config
    words = ["node", SCRIPT.name, business.sandbox.url, config.token, config.phone_number_id, ANA_ID, theirs]
    done = subprocess.run(words, cwd=npm_folder, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert said["same"] and said["read"] and said["deleted"]
    accepted = business.accepted()
    assert [each["id"] for each in accepted] == said["ids"]
    assert accepted[0]["key"] == "clave-1"
