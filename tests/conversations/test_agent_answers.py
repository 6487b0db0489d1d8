"""No answer of an agent vanishes: each ends as sent with its state, or as failed with a reason that she reads."""

from typing import Any

import pytest
from sqlalchemy import select, update

from ficha.conversations.desk_conversations import DeskConversation
from ficha.jobs.queue import dead_jobs
from ficha.messaging.failures import PENDING_LENGTH
from ficha.messaging.tables import Message, Thread
from ficha.sandbox.chatwoot.records import OUTGOING
from tests.conversations.conftest import MARIA, DeskScenario
from tests.messaging.webhook_notifications import enveloped, message, notify, value

pytestmark = pytest.mark.oldest_postgresql


def outcome(desk: DeskScenario, number: int = 1) -> tuple[str, str]:
    """State and reason of the agent's last message, as she sees them."""
    last = [each for each in desk.conversation(number).messages if each.type == OUTGOING and not each.private][-1]
    return last.status, str(last.content_attributes.get("external_error", ""))


def is_healthy(desk: DeskScenario) -> bool:
    with desk.world.parts.database.reading() as tx:
        return dead_jobs(tx) == []


def test_after_24_hours_the_template_tells_how_far_the_answer_came(desk: DeskScenario) -> None:
    desk.write("Hola")
    desk.world.clock.move(hours=25)
    desk.answer("Su cita es el lunes")
    desk.settle()
    [_refused, template] = messages_of(desk)
    assert (template.type, template.state) == ("template", "delivered")
    assert outcome(desk) == ("delivered", "")
    desk.answer("A las nueve")
    desk.settle()
    assert [each.type for each in desk.world.platform.whatsapp.journal.accepted] == ["template", "template"]
    assert outcome(desk) == ("delivered", "") and is_healthy(desk)


def test_where_the_template_fails_too_the_agent_reads_why(desk: DeskScenario) -> None:
    desk.write("Hola")
    desk.world.clock.move(hours=25)
    fails = {"fails": {MARIA.lstrip("+"): 131026}}
    desk.world.platform.call(lambda platforms: platforms.whatsapp.change_behaviour(fails))
    desk.answer("Su cita es el lunes")
    desk.settle()
    state, reason = outcome(desk)
    assert state == "failed" and reason and reason != "rechazado" and is_healthy(desk)


def test_a_text_that_would_be_cut_is_not_sent(desk: DeskScenario) -> None:
    desk.write("Hola")
    long = "palabra " * 200
    desk.answer(long)
    assert outcome(desk) == ("delivered", ""), "within the 24 hours all of it goes"
    desk.world.clock.move(hours=25)
    desk.answer(long)
    state, reason = outcome(desk)
    assert state == "failed" and "24 horas" in reason and f"{PENDING_LENGTH} caracteres" in reason
    assert len(desk.on_the_phone()) == 1


def test_what_is_cut_all_the_same_says_so(desk: DeskScenario) -> None:
    """The 24 hours end between the answer and its sending."""
    desk.write("Hola")
    desk.world.platform.call(lambda platforms: platforms.whatsapp.faults.set([{"action": "http", "status": 503}]))
    desk.world.clock.move(hours=23, minutes=59)
    desk.answer("palabra " * 200)
    desk.world.platform.call(lambda platforms: platforms.whatsapp.faults.set([]))
    for _ in range(5):
        desk.world.clock.move(minutes=5)
        desk.settle()
    [sent] = [each for each in desk.world.platform.whatsapp.journal.accepted if each.type == "template"]
    [words] = [each["text"] for part in sent.body["template"]["components"] for each in part["parameters"]]
    assert words.endswith("… [mensaje cortado]") and len(words) == PENDING_LENGTH


def test_whoever_stopped_our_messages_is_not_written_to(desk: DeskScenario) -> None:
    desk.write("Hola")
    desk.write("BAJA")
    desk.answer("Una cosa más")
    state, reason = outcome(desk)
    assert state == "failed" and "pidió no recibir más mensajes" in reason


def test_after_two_threads_were_joined_the_agent_is_sent_to_the_other_conversation(desk: DeskScenario) -> None:
    """María was known by her number, and wrote with it hidden; then both meet in one message."""
    hidden: dict[str, Any] = {"sender": None, "from_user_id": "VE.13491208655302741918"}
    assert (
        notify(desk.world, enveloped(value([message(text="Soy María", sender=MARIA.lstrip("+"))]))).status_code == 200
    )
    desk.settle()
    assert notify(desk.world, enveloped(value([message(text="Yo otra vez", **hidden)]))).status_code == 200
    desk.settle()
    assert len(desk.world.platform.chatwoot.conversations) == 2
    both = hidden | {"sender": MARIA.lstrip("+")}
    assert notify(desk.world, enveloped(value([message(text="Aquí estoy", **both)]))).status_code == 200
    desk.settle()
    with desk.world.parts.database.reading() as tx:
        [gone] = tx.orm.scalars(select(DeskConversation).where(DeskConversation.thread_id.is_(None)))
    number = gone.conversation_id or 0
    desk.answer("¿En qué la ayudo?", number=number)
    state, reason = outcome(desk, number)
    assert state == "failed" and "se unió a otra" in reason
    desk.answer("¿En qué la ayudo?", number=3 - number)
    assert outcome(desk, 3 - number) == ("delivered", "")


def test_a_person_who_erased_her_data_is_not_written_to(desk: DeskScenario) -> None:
    desk.write("Hola")
    with desk.world.parts.database.writing() as tx:
        tx.orm.execute(update(Thread).values(wa_id=None, user_id=None))
    desk.answer("Dígame")
    state, reason = outcome(desk)
    assert state == "failed" and "borró sus datos" in reason
    with desk.world.parts.database.reading() as tx:
        assert len(tx.orm.scalars(select(Thread)).all()) == 1, "nobody was invented to write to"


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(("text", "why"), [("", "está vacío"), (" \n ", "está vacío"), ("x" * 5000, "4096")])
def test_what_whatsapp_cannot_take_is_not_sent(desk: DeskScenario, text: str, why: str) -> None:
    desk.write("Hola")
    desk.answer(text)
    state, reason = outcome(desk)
    assert state == "failed" and why in reason and desk.on_the_phone() == []
    desk.answer("Dígame")
    assert desk.on_the_phone() == ["Dígame"], "the next one goes"


def messages_of(desk: DeskScenario) -> list[Message]:
    with desk.world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(Message).where(Message.is_ours).order_by(Message.id)))


def test_the_desk_reads_what_was_pressed_where_and_who(desk: DeskScenario) -> None:
    receive = desk.world.platform.receive
    receive(from_=MARIA, type="button", text="Voy en camino", payload="x")
    receive(from_=MARIA, type="interactive", title="Lunes", payload="1", description="a las nueve")
    receive(from_=MARIA, type="location", latitude=10.5, longitude=-66.9, place="Plaza", address="Caracas")
    receive(from_=MARIA, type="contacts", contact_name="Luis", contact_phone="+58 412-555-0134")
    first = receive(from_=MARIA, type="text", text="Hola")
    receive(from_=MARIA, type="reaction", message_id=first, emoji="👍")
    receive(from_=MARIA, type="reaction", message_id=first)
    receive(from_=MARIA, type="edit", original_message_id=first, text="Hola a todos")
    receive(from_=MARIA, type="revoke", original_message_id=first)
    desk.settle()
    assert sorted(str(text) for _, text in desk.at_the_desk()) == sorted(
        [
            "[Botón] Voy en camino",
            "[Botón] Lunes · a las nueve",
            "[Ubicación] Plaza · Caracas · https://www.openstreetmap.org/?mlat=10.5&mlon=-66.9",
            "[Contacto] Luis: +58 412-555-0134",
            "Hola",
            "[Reacción] 👍",
            "[Reacción] quitada",
            "[Edición] Hola a todos",
            "[Mensaje borrado]",
        ]
    )
