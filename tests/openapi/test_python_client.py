"""A client that openapi-python-client made of openapi.json, used as its developer would."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import redirect_stdout
from importlib import import_module
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from tests.processes import Server
from tests.world import registration

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "openapi.json"

pytestmark = pytest.mark.slow


class GeneratedClient:
    """The package, which exists only while its test runs."""

    def __init__(self) -> None:
        self.root, self.models = import_module("ficha_client"), import_module("ficha_client.models")

    def call(self, operation: str, *arguments: Any, **more: Any) -> Any:
        return import_module(f"ficha_client.api.{operation}").sync_detailed(*arguments, **more)


@pytest.fixture
def generated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GeneratedClient]:
    config = tmp_path / "config.yml"
    config.write_text("post_hooks: []")  # It would be formatted, which nobody reads here.
    command = Path(sys.executable).with_name("openapi-python-client")
    words = ["generate", "--path", str(DOCUMENT), "--meta", "none", "--config", str(config), "--output-path"]
    done = subprocess.run(
        [command, *words, tmp_path / "ficha_client"], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    said = done.stdout + done.stderr
    assert "will not be generated" not in said and "Unable to process" not in said, said
    monkeypatch.syspath_prepend(tmp_path)
    yield GeneratedClient()
    for name in [name for name in sys.modules if name.partition(".")[0] == "ficha_client"]:
        del sys.modules[name]


def test_from_registration_to_logout(generated: GeneratedClient, sqlite_file: Path, tmp_path: Path) -> None:
    shutil.copy(sqlite_file, tmp_path / "ficha.db")
    with Server(f"sqlite:///{tmp_path / 'ficha.db'}", tmp_path / "data") as server:
        url = f"http://127.0.0.1:{server.port}"
        with generated.root.Client(base_url=url) as anybody:
            body = generated.models.Registration.from_dict(registration())
            registered = generated.call("accounts.register", client=anybody, body=body)
        assert registered.status_code == 201
        person = registered.parsed.data.attributes
        with generated.root.AuthenticatedClient(base_url=url, token=person.token) as client:
            use(generated, client, person.product_codes[0], url)


def lines_in_readme(language: str) -> str:
    _, _, after = (ROOT / "README.md").read_text("utf-8").partition("## A client from the contract")
    return after.partition(f"```{language}\n")[2].partition("```")[0]


def use(generated: GeneratedClient, client: Any, code: str, url: str) -> None:
    models, call = generated.models, generated.call
    epilepsy = models.Coded(texto="Epilepsia", sistema=models.Sistema.SNOMED, codigo="84757009")
    condition = models.Condicion(condicion=epilepsy, estado=models.Estado.CONTROLADA)
    change = models.SaludPatch(condiciones=[condition], embarazo=None)
    patched = call("fmd.patch_one_model", code, models.ModelName.SALUD, client=client, body=change)
    assert patched.status_code == 200 and patched.headers["ETag"] == '"salud-1"'

    # What comes back is the model that was asked for, though one operation reads all seventeen.
    read = call("fmd.fmd_model_data", code, models.ModelName.SALUD, client=client).parsed.data
    assert isinstance(read, models.SaludModelOut)
    [kept] = read.attributes.data.condiciones
    assert kept.condicion.texto == "Epilepsia" and kept.estado is models.Estado.CONTROLADA and kept.id
    record = call("fmd.fmd", code, client=client).parsed.data.attributes
    assert record.models.salud.data.condiciones[0].id == kept.id and not record.models.vacuna

    late = call("fmd.patch_one_model", code, models.ModelName.SALUD, client=client, body=change, if_match='"salud-0"')
    assert late.status_code == 412 and late.parsed.errors[0].code
    again = call("fmd.patch_one_model", code, models.ModelName.SALUD, client=client, body=change, if_match='"salud-1"')
    assert again.status_code == 200

    alert = models.NewEmergency(code=code)
    raised = call("emergencies.create_emergency", client=client, body=alert)
    joined = call("emergencies.create_emergency", client=client, body=alert)
    assert (raised.status_code, joined.status_code) == (201, 200)
    assert raised.parsed.data.id == joined.parsed.data.id
    assert raised.parsed.data.attributes.state is models.EmergencyState.OPEN

    as_told = lines_in_readme("python").replace("http://127.0.0.1:8000", url)
    names = {"TOKEN": client.token, "CODE": code}
    with redirect_stdout(StringIO()) as printed:
        exec(as_told, names)
    names["client"].get_httpx_client().close()
    assert "Epilepsia" in printed.getvalue()

    assert call("accounts.logout", client=client).parsed.data.sessions_ended == 1
    assert call("accounts.me", client=client).status_code == 401
