"""Files between a person and the desk, both ways: each once, in order, and with its state."""

import asyncio
import base64
from collections.abc import Iterable
from typing import Any

import pytest
from sqlalchemy import update

from ficha.accounts.accounts import Role
from ficha.channels.chatwoot.address import AnswerTooLong, PlatformAnswer
from ficha.channels.chatwoot.client import Chatwoot
from ficha.channels.chatwoot.help_desk import FileNotFetched, fetch_file
from ficha.conversations.desk_conversations import SWEEP
from ficha.messaging.files import FileState, KeptFile
from ficha.sandbox.chatwoot.records import OUTGOING, Attachment, Message, Sender
from ficha.sandbox.whatsapp import sample_files
from tests.conversations.conftest import MARIA, DeskScenario
from tests.conversations.test_agent_answers import is_healthy, outcome
from tests.emergencies.scenario import EmergencyScenario, contact
from tests.web.portal.page_session import logged_in

PNG = sample_files.FILES["image"]
MEGABYTE = 1024 * 1024


def attach(desk: DeskScenario, *files: tuple[str, str, bytes], text: str | None = None) -> None:
    """The agent sends files: their names, types and contents."""

    def write(platforms: Any) -> None:
        chatwoot = platforms.chatwoot
        made = [Attachment(next(chatwoot.ids["attachment"]), *file) for file in files]
        message = Message(next(chatwoot.ids["message"]), text, OUTGOING, chatwoot.now(), Sender("user", 2))
        message.attachments = made
        chatwoot.add_message(chatwoot.conversations[1], message)

    desk.world.platform.call(write)
    desk.settle()


def sent(desk: DeskScenario) -> list[tuple[str, str]]:
    """Type and text of what María was sent."""
    accepted = desk.world.platform.whatsapp.journal.accepted
    return [(each.type, each.body[each.type].get("caption", each.body[each.type].get("body", ""))) for each in accepted]


def content_of(desk: DeskScenario, place: int) -> bytes:
    """The bytes that WhatsApp has of a file that María was sent."""
    body = desk.world.platform.whatsapp.journal.accepted[place].body
    return bytes(desk.world.platform.whatsapp.media.files[body[body["type"]]["id"]].content)


@pytest.mark.oldest_postgresql
def test_what_a_person_sends_is_at_the_desk_in_order(desk: DeskScenario) -> None:
    receive = desk.world.platform.receive
    receive(from_=MARIA, text="Mire")
    receive(from_=MARIA, type="image", caption="La receta", data=base64.b64encode(PNG[1]).decode(), mime_type=PNG[0])
    receive(from_=MARIA, type="document", filename="informe.pdf")
    receive(from_=MARIA, text="¿Lo vio?")
    desk.settle()
    for _ in range(2):
        desk.world.clock.move(seconds=3)  # It looks again for what was being fetched.
        desk.settle()
    texts = [each.content for each in desk.conversation().messages]
    assert texts == ["Mire", "[Imagen] La receta", "[Documento] informe.pdf", "¿Lo vio?"]
    [image], [document] = (each.attachments for each in desk.conversation().messages[1:3])
    assert (image.content, image.content_type) == (PNG[1], PNG[0])
    assert document.content == sample_files.FILES["document"][1] and document.file_name.endswith(".pdf")


@pytest.mark.oldest_postgresql
def test_an_answer_that_was_lost_doubles_no_file(desk: DeskScenario) -> None:
    desk.write("Hola")
    rules = [{"action": "drop_after", "method": "POST", "times": 1}]
    desk.world.platform.call(lambda platforms: platforms.chatwoot.faults.set(rules))
    desk.world.platform.receive(from_=MARIA, type="image")
    desk.settle()
    desk.world.platform.call(lambda platforms: platforms.chatwoot.faults.set([]))
    for _ in range(3):
        desk.world.clock.move(seconds=61)
        desk.world.do(SWEEP)
        desk.settle()
    assert [len(each.attachments) for each in desk.conversation().messages] == [0, 1]


def test_a_file_that_a_server_before_the_desk_refuses_holds_up_nothing(desk: DeskScenario) -> None:
    desk.write("Hola")
    rules = [{"action": "http", "status": 413, "method": "POST", "times": 1}]
    desk.world.platform.call(lambda platforms: platforms.chatwoot.faults.set(rules))
    desk.world.platform.receive(from_=MARIA, type="image", caption="La receta")
    desk.settle()
    desk.write("¿La vio?")
    texts = [str(each.content) for each in desk.conversation().messages]
    assert texts[1:] == ["[Imagen] La receta (la mesa no aceptó el archivo)", "¿La vio?"]


def test_a_file_that_is_not_here_yet_is_waited_for_but_not_for_ever(desk: DeskScenario) -> None:
    desk.write("Hola")
    desk.world.platform.call(lambda platforms: platforms.whatsapp.faults.set([{"action": "http", "status": 503}]))
    desk.world.platform.receive(from_=MARIA, type="image", caption="La receta")
    desk.world.platform.receive(from_=MARIA, text="¿Lo vio?")
    desk.settle()
    assert len(desk.conversation().messages) == 1, "in order"
    desk.world.clock.move(minutes=11)
    desk.settle()
    texts = [str(each.content) for each in desk.conversation().messages]
    assert texts[1:] == ["[Imagen] La receta (el archivo no se pudo guardar)", "¿Lo vio?"]


@pytest.mark.parametrize(
    ("values", "said"),
    [({"size": 41 * MEGABYTE}, "demasiado grande"), ({"state": FileState.LOST}, "no se pudo guardar")],
)
def test_what_cannot_be_at_the_desk_is_said(desk: DeskScenario, values: dict[str, Any], said: str) -> None:
    breaker = desk.world.parts.chatwoot.breaker
    while not breaker.is_open:
        breaker.failed()
    desk.write("Hola")
    desk.world.platform.receive(from_=MARIA, type="image")
    desk.settle()
    with desk.world.parts.database.writing() as tx:
        tx.orm.execute(update(KeptFile).values(**values))
    breaker.succeeded()
    for _ in range(3):
        desk.world.clock.move(seconds=61)
        desk.settle()
    last = desk.conversation().messages[-1]
    assert said in str(last.content) and not last.attachments


@pytest.mark.oldest_postgresql
def test_the_file_of_an_answer_to_an_alert_stays_here_and_opens_with_a_reason(desk: DeskScenario) -> None:
    scenario = EmergencyScenario(desk.world)
    scenario.press_alert(scenario.sticker(contact()))
    desk.settle()
    desk.world.platform.receive(from_=MARIA, type="image", data=base64.b64encode(PNG[1]).decode(), mime_type=PNG[0])
    desk.settle()
    [named] = desk.conversation(2).messages
    assert not named.attachments and str(named.content).startswith("[Imagen] sobre una emergencia")
    path = str(named.content).rpartition("http://testserver")[2]
    staff = logged_in(desk.world, desk.world.somebody_with(Role.STAFF))
    assert staff.get(f"{path}/archivo").status_code == 403
    assert staff.submit(path, motivo="El médico necesita ver la foto").status_code == 303
    assert f'href="{path}/archivo' in staff.get(path).text
    fetched = staff.get(f"{path}/archivo")
    assert fetched.content == PNG[1] and fetched.headers["content-disposition"].startswith("attachment")


def test_what_an_agent_attaches_reaches_the_person(desk: DeskScenario) -> None:
    desk.write("Hola")
    attach(desk, ("receta.png", "image/png", PNG[1]), text="Su receta")
    assert sent(desk) == [("image", "Su receta")] and content_of(desk, 0) == PNG[1]
    desk.settle()
    assert outcome(desk) == ("delivered", "")
    desk.answer("¿La ve?")
    assert sent(desk)[1] == ("text", "¿La ve?")


@pytest.mark.oldest_postgresql
def test_several_files_go_in_order_and_count_as_one_answer(desk: DeskScenario) -> None:
    desk.write("Hola")
    voice, pdf = sample_files.FILES["audio"], sample_files.FILES["document"]
    attach(desk, ("nota.ogg", voice[0], voice[1]), ("informe.pdf", pdf[0], pdf[1]), text="Escuche")
    desk.answer("Fin")
    for _ in range(4):
        desk.settle()
    assert [kind for kind, _ in sent(desk)] == ["text", "audio", "document", "text"]
    assert sent(desk)[0] == ("text", "Escuche")
    states = [each.status for each in desk.conversation().messages if each.type == OUTGOING]
    assert states == ["delivered", "delivered"] and is_healthy(desk)


@pytest.mark.oldest_postgresql
def test_where_one_of_several_fails_the_answer_failed(desk: DeskScenario) -> None:
    desk.write("Hola")
    attach(desk, ("a.png", "image/png", PNG[1]), ("b.exe", "application/x-msdownload", b"MZ"), text="Dos")
    state, reason = outcome(desk)
    assert state == "failed" and "b.exe" in reason and sent(desk) == [], "nothing of it left"


@pytest.mark.parametrize(
    ("file", "why"),
    [
        (("grande.png", "image/png", b"x" * (6 * MEGABYTE)), "5120 KB"),
        (("virus.exe", "application/x-msdownload", b"MZ"), "no lleva ese tipo"),
    ],
)
def test_a_file_that_whatsapp_does_not_take_is_not_sent(
    desk: DeskScenario, file: tuple[str, str, bytes], why: str
) -> None:
    desk.write("Hola")
    attach(desk, file)
    state, reason = outcome(desk)
    assert state == "failed" and why in reason and file[0] in reason and sent(desk) == []
    desk.answer("Se lo mando por correo")
    assert len(sent(desk)) == 1


def test_after_24_hours_a_file_is_not_sent(desk: DeskScenario) -> None:
    desk.write("Hola")
    desk.world.clock.move(hours=25)
    attach(desk, ("receta.png", "image/png", PNG[1]))
    state, reason = outcome(desk)
    assert state == "failed" and "24 horas" in reason and sent(desk) == []


class FakeChatwoot:
    """Answers downloads from a table, and notes where it was sent."""

    def __init__(self, platform: Chatwoot, answers: Iterable[PlatformAnswer]) -> None:
        self.address, self._answers = platform.address, list(answers)
        self.asked: list[str] = []

    async def download(self, target: Any, take: Any, most: int) -> PlatformAnswer:
        self.asked.append(target.url)
        answer = self._answers.pop(0)
        if len(answer.body) > most:
            raise AnswerTooLong
        take(answer.body)
        return answer


def redirect(to: str) -> PlatformAnswer:
    return PlatformAnswer(302, "text/html", b"", None, to)


FILE = PlatformAnswer(200, "image/png", b"png")


@pytest.mark.parametrize(
    ("url", "answers", "asked"),
    [
        ("{here}/rails/x.png", [FILE], 1),
        ("{here}/rails/x.png", [redirect("/rails/disk/x.png?sig=1"), FILE], 2),
        ("{here}/rails/x.png", [redirect("https://93.184.216.34/x.png"), FILE], 2),
    ],
)
def test_a_file_is_followed_to_where_the_platform_keeps_it(
    desk: DeskScenario, url: str, answers: list[PlatformAnswer], asked: int
) -> None:
    fake = FakeChatwoot(desk.world.parts.chatwoot, answers)
    here = desk.world.parts.settings.chatwoot_url
    fetched = asyncio.run(fetch_file(fake, url.format(here=here), 100))  # type: ignore[arg-type]
    assert b"".join(fetched.content.pieces()) == b"png" and len(fake.asked) == asked


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("url", "answers"),
    [
        ("http://evil.example/x.png", []),
        ("{here}@evil.example/x.png", []),
        ("{here}/../x.png", []),
        ("", []),
        ("{here}/x.png", [redirect("http://169.254.169.254/latest/meta-data")]),
        ("{here}/x.png", [redirect("https://127.0.0.1/x.png")]),
        ("{here}/x.png", [redirect("https://[::1]/x.png")]),
        ("{here}/x.png", [redirect("https://localhost/x.png")]),
        ("{here}/x.png", [redirect("https://10.0.0.1/x.png")]),
        ("{here}/x.png", [redirect("http://93.184.216.34/x.png")]),
        ("{here}/x.png", [redirect("file:///etc/passwd")]),
        ("{here}/x.png", [redirect("/x.png")] * 9),
        ("{here}/x.png", [PlatformAnswer(404, "text/html", b"")]),
        ("{here}/x.png", [PlatformAnswer(200, "image/png", b"x" * 101)]),
    ],
)
def test_nothing_is_fetched_from_anywhere_else(desk: DeskScenario, url: str, answers: list[PlatformAnswer]) -> None:
    fake = FakeChatwoot(desk.world.parts.chatwoot, answers)
    here = desk.world.parts.settings.chatwoot_url
    with pytest.raises(FileNotFetched):
        asyncio.run(fetch_file(fake, url.format(here=here), 100))  # type: ignore[arg-type]
    assert all(each.startswith(here) for each in fake.asked)
