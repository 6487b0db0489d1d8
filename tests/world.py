"""The service as a test sees it: the application, its parts, and people who use it."""

import atexit
import re
from dataclasses import dataclass, replace
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

from httpx2 import Response
from pydantic import BaseModel
from sqlalchemy import text
from starlette.testclient import TestClient

from ficha.accounts.accounts import Account, Role
from ficha.accounts.login import hash_clave
from ficha.accounts.tokens import issue_token
from ficha.app import create_app
from ficha.asgi.application import Application
from ficha.channels.mail import FolderMailer, KeptMail
from ficha.core.db import Base
from ficha.core.settings import Settings
from ficha.core.transaction import Transaction
from ficha.enrolment.registration import NewPerson, register
from ficha.jobs.kinds import Job
from ficha.parts import Parts, build_parts
from ficha.photos.picture_process import PictureProcess
from ficha.sandbox.server import Sandbox
from ficha.worker import kinds_of
from tests.app_client import AppClient, Lifespan, client_of
from tests.bridge import Bridge
from tests.clock import MovableClock
from tests.late_platform import LatePlatform
from tests.openapi_document import share_document
from tests.run_due import run_due

CLAVE = "caballo-bateria-grapa"
_numbers = count(1)


@cache
def count_rows() -> str:
    """One statement for all tables: many tests ask twice."""
    names = (table.name for table in Base.metadata.sorted_tables)
    counted = (
        name for name in names if name not in ("hearing", "jobs", "job_schedule", "master_keys", "processes", "secrets")
    )
    return " UNION ALL ".join(f"SELECT '{name}' AS name, count(*) AS number FROM {name}" for name in counted)


@cache
def clave_hash() -> str:
    return hash_clave(CLAVE)


@cache
def photo_reader() -> PictureProcess:
    """One for all worlds: to start it takes longer than to read a photo. It yields to everybody else, so on a busy
    machine it is given long."""
    process = PictureProcess(most_waiting=4, seconds=300, idle_seconds=5)
    atexit.register(process.end)
    return process


def new_correo() -> str:
    return f"persona{next(_numbers)}@ejemplo.com"


def registration(**changes: Any) -> dict[str, Any]:
    """A body that registers somebody new."""
    return {
        "correo": new_correo(),
        "clave": CLAVE,
        "cod_telefono": "+58",
        "telefono": "4125551111",
        "relacion": "madre",
        "nombre": "María Rojas",
    } | changes


class SaidSettings(Settings):
    """What is said and the defaults, nothing of the machine's environment. Looking there for a hundred names is also a
    quarter of what a world costs."""

    def __init__(self, **values: Any) -> None:
        BaseModel.__init__(self, **values)


def settings_for(database_url: str, data_dir: Path, **changes: Any) -> Settings:
    """What a test sees is what it says."""
    values: dict[str, Any] = {
        "database_url": database_url,
        "data_dir": data_dir,
        "rate_limits": "off",
        "env": "development",
        "base_url": "http://testserver",
        "host": "127.0.0.1",
        "port": 8000,
        "smtp_url": "",
        "master_keys": "",
        "database_pool": 5,
        "whatsapp_seconds": 1,
        "picture_seconds": 300,  # Its process yields to everybody, and a machine may be busy.
        "chatwoot_bridge": False,
        "log_format": "json",  # To write the columns for a terminal takes three times as long.
    }
    return SaidSettings(**values | changes)


# What production asks for at least, all of it chosen by somebody.
PRODUCTION: dict[str, Any] = {
    "env": "production",
    "base_url": "https://ficha.example",
    "smtp_url": "smtp://localhost:2525",
    "mail_from": "Ficha <ficha@ficha.example>",
    "rate_limits": "on",
    "trusted_proxies": ("10.0.0.1",),
    "whatsapp_base_url": "https://platform.example",
    "whatsapp_token": "chosen-token",
    "whatsapp_phone_number_id": "100000000000001",
    "whatsapp_business_id": "100000000000002",
    "whatsapp_app_id": "100000000000003",
    "whatsapp_app_secret": "chosen-secret-of-thirty-two-letters",
    "whatsapp_verify_token": "chosen-word",
}


@dataclass
class Person:
    """Somebody with an account and a live token."""

    client: TestClient
    body: dict[str, Any]
    data: dict[str, Any]

    @property
    def id(self) -> int:
        return int(self.data["id"])

    @property
    def correo(self) -> str:
        return str(self.data["attributes"]["correo"])

    @property
    def token(self) -> str:
        return str(self.data["attributes"]["token"])

    @property
    def headers(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"}

    def get(self, path: str, **more: Any) -> Response:
        return self.client.get(path, headers=self.headers | more.pop("headers", {}), **more)

    def post(self, path: str, json: Any = None, **more: Any) -> Response:
        return self.client.post(path, json=json, headers=self.headers | more.pop("headers", {}), **more)

    def put(self, path: str, json: Any = None) -> Response:
        return self.client.put(path, json=json, headers=self.headers)

    def delete(self, path: str, json: Any = None) -> Response:
        return self.client.request("DELETE", path, json=json, headers=self.headers)


@dataclass
class World:
    app: Application
    parts: Parts
    clock: MovableClock
    client: TestClient
    _platform: LatePlatform
    _lifespan: Lifespan | None = None
    _reader: AppClient | None = None
    _bridge: Bridge | None = None

    @property
    def platform(self) -> Sandbox:
        """The messaging platform, a real server of this world's own, which runs once a test has asked for it. It tells
        nobody until `listen` is called."""
        return self._platform.sandbox

    @property
    def bridge(self) -> Bridge | None:
        return self._bridge

    def listen(self) -> None:
        """From now on the platform's notifications come in, over HTTP."""
        self._bridge = Bridge(self.reader)
        webhook = f"{self._bridge.url}{self.parts.settings.v2}/webhook/whatsapp"
        self.platform.call(lambda platforms: setattr(platforms.whatsapp.subscription, "override", webhook))

    def register(self, **changes: Any) -> Person:
        body = registration(**changes)
        answer = self.client.post("/v2/auth/register", json=body)
        assert answer.status_code == 201, answer.text
        return Person(self.client, body, answer.json()["data"])

    def login(self, correo: str, clave: str = CLAVE) -> Response:
        return self.client.post("/v2/auth/login", json={"correo": correo, "clave": clave})

    def somebody_with(self, *roles: Role) -> Person:
        """Somebody new with these roles and a live token, without the slow way through the door."""
        with self.parts.database.writing() as tx:
            return self.make_person(tx, *roles)

    def make_person(self, tx: Transaction, *roles: Role, token_minutes: int = 60) -> Person:
        """Somebody new, in a transaction with more."""
        now = self.clock.now()
        person = NewPerson(correo=new_correo(), clave_hash=clave_hash(), nombre="Persona", roles=roles)
        account = register(tx, person, self.parts.keyring, now)
        token = issue_token(tx, account, now, token_minutes).text
        return Person(self.client, {}, {"id": account.id, "attributes": {"correo": account.correo, "token": token}})

    def token_for(self, account_id: int) -> str:
        with self.parts.database.writing() as tx:
            account = tx.orm.get_one(Account, account_id)
            return issue_token(tx, account, self.clock.now(), 60).text

    @property
    def reader(self) -> TestClient:
        """Of the application after its start, as a server serves it."""
        if self._reader is None:
            self._lifespan = Lifespan(self.app)
            self._reader = AppClient(self.app, self._lifespan.portal)
        return self._reader

    def drain_reads(self) -> None:
        self.parts.read_log.drain()

    def close(self) -> None:
        self._platform.stop()
        if self._bridge is not None:
            self._bridge.close()
        self.parts.messenger.close()
        self.parts.background_remover.end()
        assert self.client.portal is not None
        self.client.portal.call(self.parts.chatwoot.close)
        if self._lifespan is not None:
            self._lifespan.stop()
        self.parts.database.close()

    def accept_invitation(self, guest: Person) -> Response:
        """Runs the jobs, and takes up the invitation that was mailed to this person and is still good."""
        self.run_jobs()
        links = [re.search(r"/invitacion/(\w+)", mail.text) for mail in self.mails() if mail.to == guest.correo]
        answers = (guest.post("/v2/fmd/grants/accept", {"token": link.group(1)}) for link in links if link is not None)
        refused = None
        for answer in answers:
            if answer.status_code != 404:
                return answer
            refused = answer
        assert refused is not None, "nothing was mailed"
        return refused

    def confirm_hand_over(self, owner: Person, code: str) -> Response:
        """The owner confirms who accepted her record."""
        listed = owner.get(f"/v2/fmd/{code}/grants").json()["data"]
        [waiting] = [each["id"] for each in listed if each["attributes"]["estado"] == "waiting"]
        return owner.post(f"/v2/fmd/{code}/grants/{waiting}/confirm")

    def rows(self) -> dict[str, int]:
        """How many rows each table has, to show that nothing was written."""
        with self.parts.database.reading() as tx:
            return {row.name: row.number for row in tx.orm.execute(text(count_rows()))}

    def account(self, account_id: int) -> Account | None:
        with self.parts.database.reading() as tx:
            return tx.orm.get(Account, account_id)

    def run_jobs(self) -> None:
        """Runs every job that is due by the world's clock, and those that they put."""
        run_due(self.parts.database, kinds_of(self.parts))

    def do(self, kind: str, **payload: Any) -> None:
        """One job of this kind, here and now, whatever the clock says."""
        [found] = [known for known in kinds_of(self.parts) if known.name == kind]
        found.run(Job(0, kind, payload, 1))

    def mails(self, count: int = 50) -> list[KeptMail]:
        assert isinstance(self.parts.mailer, FolderMailer)
        return self.parts.mailer.newest(count)


def build_world(settings: Settings, *, has_database: bool = True) -> World:
    clock = MovableClock()
    platform = LatePlatform(clock)
    if settings.uses_sandbox:
        address = f"http://127.0.0.1:{platform.port}"
        chatwoot = settings.chatwoot_base_url or address
        settings = settings.model_copy(update={"whatsapp_base_url": address, "chatwoot_base_url": chatwoot})
    parts = replace(build_parts(settings, clock), photo_reader=photo_reader())
    if has_database:
        parts.secrets.ensure_root()
    app = create_app(parts, checks_answers=True)
    share_document(app, settings)
    return World(app, parts, clock, client_of(app), platform)
