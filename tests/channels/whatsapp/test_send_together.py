"""Several messages at once: each has its own answer, and none waits for another's."""

import pytest

from ficha.channels.errors import BadContent, NotSent, OutcomeUnknown
from ficha.channels.messages import Accepted, Outgoing, Text
from ficha.channels.messenger import SendAnswer, send_all
from ficha.channels.whatsapp.client import WhatsApp
from ficha.channels.whatsapp.error_codes import WhatsAppRetryLater
from tests.channels.whatsapp.scripted_platform import ACCEPTED, Reply, ScriptedPlatform, client, scripted_platform

LIMIT = Reply(400, {"error": {"message": "(#130429)", "type": "OAuthException", "code": 130429, "fbtrace_id": "A"}})


def messages(count: int) -> list[Outgoing]:
    return [Outgoing(f"+58412555111{number}", Text("Hola"), f"msg-{number}") for number in range(count)]


def gathered(whatsapp: WhatsApp, outgoing: list[Outgoing]) -> list[SendAnswer]:
    found = {place: answer for answers in send_all(whatsapp, outgoing) for place, answer in answers.items()}
    return [found[place] for place in range(len(outgoing))]


def test_each_message_gets_its_own_answer(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    platform.answers(Reply(body=ACCEPTED), LIMIT, Reply(closes=True), Reply(body=ACCEPTED))
    outgoing = messages(4)
    answers = gathered(whatsapp, [*outgoing, Outgoing("nobody", Text("Hola"), "msg-4")])
    assert isinstance(answers[4], BadContent), "what cannot be sent is not asked for, and holds up nothing"
    by_kind = sorted(type(answer).__name__ for answer in answers[:4])
    assert by_kind == sorted(["Accepted", WhatsAppRetryLater.__name__, OutcomeUnknown.__name__, "Accepted"])
    assert {request.json["biz_opaque_callback_data"] for request in platform.requests} == {m.key for m in outgoing}


def test_connections_are_used_again(whatsapp: WhatsApp, platform: ScriptedPlatform) -> None:
    for _ in range(3):
        assert all(isinstance(answer, Accepted) for answer in gathered(whatsapp, messages(4)))
    assert (len(platform.requests), platform.connections) == (12, 4)


@pytest.mark.slow
def test_answers_are_given_before_one_that_never_comes(platform: ScriptedPlatform) -> None:
    platform.answers(Reply(never_answers=True), Reply(body=ACCEPTED))
    with client(platform.url, whatsapp_seconds=2) as whatsapp:
        answers = send_all(whatsapp, messages(3))
        known = next(answers)
        while len(known) < 2:
            known = {**known, **next(answers)}
        assert all(isinstance(answer, Accepted) for answer in known.values())
        [last] = answers
    assert [type(answer) for answer in last.values()] == [OutcomeUnknown]
    assert known.keys() | last.keys() == {0, 1, 2}


def test_none_is_sent_where_nobody_listens() -> None:
    with scripted_platform() as platform:
        url = platform.url
    with client(url) as whatsapp:
        assert [type(answer) for answer in gathered(whatsapp, messages(3))] == [NotSent] * 3
