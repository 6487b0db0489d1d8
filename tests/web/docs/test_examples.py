"""Every call that the reference shows works on the demo, sent as it stands, from the first to the last."""

import hashlib
import hmac
import html
import io
import json
import re
import shlex
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.accounts.accounts import account_with
from ficha.api.messaging.files import PIXEL
from ficha.cards.carnets import Carnet
from ficha.demo.people import ensure_demo
from ficha.events.publish import publish
from ficha.institutions.members import Member, MemberState
from ficha.sandbox.chatwoot.webhooks import signature
from ficha.sandbox.platforms import Platforms
from ficha.sandbox.whatsapp.numbers import Number
from ficha.worker import webhook_sender
from tests.world import World

pytestmark = pytest.mark.slow

# Who calls, by the door of the operation.
CALLERS = {
    "bearer": "ana@demo.example",
    "tag or bearer": "ana@demo.example",
    "staff": "soporte@demo.example",
    "admin": "admin@demo.example",
    "institution": "colegio-san-luis@instituciones.invalid",
    "staff or institution": "soporte@demo.example",
}
# Who registered by the first example deletes her account by another.
REGISTERED = "maria@ejemplo.com"
# Whoever is invited by one example accepts by another.
OTHERS = {
    "local_delete_data": REGISTERED,
    "accept_access": "luis@demo.example",
    "accept_access_request_code": "luis@demo.example",
    "keep_access": "luis@demo.example",
    "institution_people": "enfermeria@demo.example",
    "institution_person": "enfermeria@demo.example",
}
ANA = "+584125551111"


class Shown(NamedTuple):
    """An operation of the page, and its example as a shell would take it apart."""

    name: str
    door: str
    method: str
    url: str
    headers: dict[str, str]
    body: bytes
    # The parts of a form.
    parts: list[str]


def shown_on(page: str) -> list[Shown]:
    found = []
    for block in page.split('<details class="operation"')[1:]:
        anchor = re.search(r'class="inside" id="([^"]+)"', block)
        door = re.search(r'<p class="soft">[^<]*<b>([^<]+)</b>', block)
        curl = re.search(r"<code>(curl .*?)</code>", block, re.DOTALL)
        assert anchor and door and curl
        words = shlex.split(html.unescape(curl.group(1)).replace("\\\n", " "))
        options = dict.fromkeys(("-X", "--data-binary"), "")
        headers, url, parts = {}, "", []
        rest = iter(words[1:])
        for word in rest:
            if word == "-H":
                name, _, value = next(rest).partition(": ")
                headers[name] = value
            elif word == "-F":
                parts.append(next(rest))
            elif word in options:
                options[word] = next(rest)
            else:
                url = word
        method = options["-X"] or "GET"
        found.append(
            Shown(anchor.group(1), door.group(1), method, url, headers, options["--data-binary"].encode(), parts)
        )
    return found


class Reader:
    """Somebody who goes through the page with a terminal, and fills in what only she can know."""

    def __init__(self, world: World) -> None:
        self.world = world
        world.listen()
        ensure_demo(world.parts)
        world.platform.call(_open_conversation)
        assert self._token(CALLERS["bearer"]).startswith("1|")  # Whoever logs in first has this one.

    def send(self, shown: Shown) -> Response:
        headers, url, body = dict(shown.headers), shown.url, self._told(shown)
        if shown.door in CALLERS:
            assert headers["Authorization"] == "Bearer <ID>|<SECRET>"
            headers["Authorization"] = f"Bearer {self._token(OTHERS.get(shown.name, CALLERS[shown.door]))}"
        elif "api_access_token" in headers:
            assert headers["api_access_token"] == "<PLATFORM_TOKEN>"
            headers["api_access_token"] = "sandbox-chatwoot-token"
        elif "X-Payment-Signature" in headers:
            seconds = str(int(self.world.clock.now().timestamp()))
            headers["X-Payment-Timestamp"] = seconds
            headers["X-Payment-Signature"] = signature("sandbox-payments-secret", seconds, body)
        elif "X-Chatwoot-Signature" in headers:
            seconds = str(int(self.world.clock.now().timestamp()))
            headers["X-Chatwoot-Timestamp"] = seconds
            headers["X-Chatwoot-Signature"] = signature("sandbox-webhook-secret", seconds, body)
        elif "(public)" in shown.name:
            assert "Authorization" not in headers
        elif shown.door == "platform":
            assert headers["Authorization"] == "Bearer <PLATFORM_TOKEN>"
            headers["Authorization"] = "Bearer sandbox-token"
        elif shown.door == "signed":
            assert headers["X-Hub-Signature-256"] == "sha256=<HMAC>"
            secret = self.world.parts.settings.whatsapp_app_secret.get_secret_value()
            headers["X-Hub-Signature-256"] = "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
        if shown.name == "replay_event_webhook_delivery":
            self._tell_webhooks()
        if shown.name == "verify_carnet":
            url = url.replace("K7M2QXR5T8W3", self._serial())
        if shown.name in ("confirm_hand-over", "keep_access"):
            url = self._handed_over(shown.name == "keep_access")
        if shown.name == "institution_person":
            url = url.replace("W4T9KX", self._issued_code())
        if shown.name == "media_download":
            url = url.replace("1037543291543636", self._file())
        elif shown.name == "user_pic_by_link":
            owner = {"Authorization": f"Bearer {self._token(CALLERS['bearer'])}", "Content-Type": "image/png"}
            told = self.world.reader.put("/v2/user_pic", content=PIXEL, headers=owner)
            url = told.json()["data"]["attributes"]["url"]
        split = urlsplit(url)
        assert "{" not in url and split.netloc == "testserver"
        # An open stream has no end to wait for; its HEAD is let in by the same rules.
        method = "HEAD" if shown.name == "events" else shown.method
        if shown.parts:
            answer = self._send_form(method, url, headers, shown.parts)
        else:
            answer = self.world.reader.request(method, url, headers=headers, content=body)
        self.world.run_jobs()
        self.world.clock.move(seconds=1)  # So that one mail is newer than another.
        return answer

    def _send_form(self, method: str, url: str, headers: dict[str, str], parts: list[str]) -> Response:
        given = dict(part.split("=", 1) for part in parts)
        files = {name: (value[1:].partition(";")[0], PIXEL) for name, value in given.items() if value.startswith("@")}
        fields = {name: value for name, value in given.items() if name not in files}
        return self.world.reader.request(method, url, headers=headers, data=fields, files=files)

    def _told(self, shown: Shown) -> bytes:
        """The body, with what came by mail or by WhatsApp in the place of its example."""
        if not shown.body or "json" not in shown.headers["Content-Type"]:
            return shown.body
        said = json.loads(shown.body)
        if shown.name == "phone_verification_verify":
            [sent] = self.world.platform.call(
                lambda platforms: [one.body for one in platforms.whatsapp.journal.accepted][-1:]
            )
            said["codigo"] = re.findall(r'"(\d{6})"', json.dumps(sent))[0]
        elif shown.name == "email_operations_verify":
            said["codigo"] = self._mailed(r"\b(\d{6})\b")
        elif shown.name == "reset_clave":
            said["token"] = self._mailed(r"/clave/(\w+)")
        elif shown.name == "accept_access":
            said["token"] = self._mailed(r"/invitacion/(\w+)")
        elif shown.name == "accept_access_request_code":
            said["token"] = self._invited_number()
        elif shown.name == "accept_institution":
            said["token"] = self._mailed(r"/institucion/(\w+)")
        elif shown.name == "confirm_product":
            said["token"] = self._mailed(r"/etiqueta/(\w+)")
        elif shown.name == "platform_phone_request_code":
            self._business_number().verified = False  # As it is before one has done this.
        elif shown.name == "platform_phone_verify_code":
            said["code"] = self._business_number().code
        elif shown.name == "read_receipt":
            said["message_id"] = self.world.platform.receive(from_=ANA, text="Buenos días")
        return json.dumps(said).encode() if said != json.loads(shown.body) else shown.body

    def _asks(self, correo: str, path: str, body: dict[str, Any] | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token(correo)}"}
        answer = self.world.reader.request("POST" if body is not None else "GET", path, json=body, headers=headers)
        assert answer.is_success, answer.text
        self.world.run_jobs()
        self.world.clock.move(seconds=1)  # As in `send`.
        return answer.json()["data"]

    def _offer(self, code: str, **more: Any) -> None:
        ends = (self.world.clock.now() + timedelta(days=1)).isoformat()
        self._asks(CALLERS["bearer"], f"/v2/fmd/{code}/grants", {"hasta": ends, "edita": True, **more})

    def _invited_number(self) -> str:
        """The end of the link in the message to whom an owner invited by number."""
        code = self._asks(CALLERS["bearer"], "/v2/fmd", {"relacion": "tutora"})["attributes"]["product_codes"][0]
        self._offer(code, tipo="delegate", cod_telefono="+58", telefono="4145559999")
        sent = self.world.platform.call(lambda platforms: platforms.whatsapp.journal.accepted[-1].body)
        return str(sent["template"]["components"][-1]["parameters"][0]["text"])

    def _handed_over(self, is_confirmed: bool) -> str:
        """A record that Luis accepted, with a delegate: waiting for the owner, or confirmed by her."""
        owner, heir = CALLERS["bearer"], OTHERS["keep_access"]
        code = self._asks(owner, "/v2/fmd", {"relacion": "tutora"})["attributes"]["product_codes"][0]
        for correo, kind in ((CALLERS["staff"], "delegate"), (heir, "owner")):
            self._offer(code, tipo=kind, correo=correo)
            self._asks(correo, "/v2/fmd/grants/accept", {"token": self._mailed(r"/invitacion/(\w+)")})
        grants = f"/v2/fmd/{code}/grants"
        state = {one["attributes"]["estado"]: one["id"] for one in self._asks(owner, grants)}
        confirming = f"{grants}/{state['waiting']}/confirm"
        if not is_confirmed:
            return f"http://testserver{confirming}"
        self._asks(owner, confirming, {})
        state = {one["attributes"]["estado"]: one["id"] for one in self._asks(heir, grants)}
        return f"http://testserver{grants}/{state['held']}/keep"

    def _tell_webhooks(self) -> None:
        """Of an emergency, as there will be one: the first that the address of the examples is told."""
        now = self.world.clock.now()
        with self.world.parts.database.writing() as tx:
            publish(tx, "emergency.opened", {"id": 1, "fmd_code": 1, "simulacro": False}, now, staff=True)
        webhook_sender(self.world.parts).run_turn()

    def _serial(self) -> str:
        with self.world.parts.database.reading() as tx:
            return tx.orm.scalars(select(Carnet.serial)).one()

    def _issued_code(self) -> str:
        """Of whoever accepted the school's record by an example before."""
        with self.world.parts.database.reading() as tx:
            accepted = select(Member.bp_code).where(Member.state == MemberState.ACCEPTED)
            return tx.orm.scalars(accepted).one()

    def _business_number(self) -> Number:
        return self.world.platform.whatsapp.numbers[self.world.parts.settings.whatsapp_phone_number_id]

    def _mailed(self, pattern: str) -> str:
        """From the newest mail that has it."""
        found = (re.search(pattern, mail.text) for mail in self.world.mails())
        return next(match.group(1) for match in found if match)

    def _file(self) -> str:
        content = b"%PDF-1.7 %%EOF"
        return self.world.parts.whatsapp.media.upload(io.BytesIO(content), "guia.pdf", "application/pdf", len(content))

    def _token(self, correo: str) -> str:
        with self.world.parts.database.reading() as tx:
            account = account_with(tx, correo)
            assert account is not None
        return self.world.token_for(account.id)


def _open_conversation(platforms: Platforms) -> None:
    """As there is one at the desk once somebody has written."""
    chatwoot = platforms.chatwoot
    place = chatwoot.join_inbox(chatwoot.add_contact("María"), chatwoot.inboxes[1], "maria")
    chatwoot.add_conversation(place)


def test_every_example_works_as_it_is_shown(world: World) -> None:
    reader = Reader(world)
    shown = shown_on(world.client.get("/docs?l=en").text)
    described = world.app.openapi()["paths"]
    assert len(shown) == sum(len(methods) for methods in described.values())
    failed = []
    for one in shown:
        answer = reader.send(one)
        if not answer.is_success:
            failed.append(f"{one.name}: {answer.status_code} {answer.text[:300]}")
    assert not failed, "\n".join(failed)
