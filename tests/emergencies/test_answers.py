"""What a contact sees behind their link, what they answer there, and what the responder sees of it."""

import re

import pytest

from ficha.emergencies.alert_progress import LiveLine, News, current_emergency, live_lines
from ficha.emergencies.answers import AnswerView, LinkUnknown, answer, view
from ficha.emergencies.steps import ContactAnswer, Label
from ficha.emergencies.timeouts import Timeouts
from ficha.fmd.records import Record
from tests.emergencies.house import HERE, MARIA, House, Sticker, contact, father

PATIENCE = Timeouts()


def alert_family(house: House, *contacts: dict[str, object], **models: object) -> tuple[Sticker, int, str]:
    """The sticker, the emergency, and the token that the first contact was sent."""
    sticker = house.sticker(*(contacts or (contact(), father())), **models)
    assert house.press(sticker, HERE).status_code == 201
    house.settle()
    return sticker, house.emergencies()[-1].id, token_in(house, -1)


def token_in(house: House, place: int) -> str:
    (button,) = [
        part
        for part in house.alerts()[place].body["template"]["components"]
        if part.get("sub_type", "").lower() == "url"
    ]
    return str(button["parameters"][0]["text"])


def look(house: House, token: str) -> AnswerView:
    with house.database.reading() as session:
        return view(session, house.world.parts.keyring, token, house.now, PATIENCE)


def say(house: House, token: str, said: ContactAnswer) -> None:
    with house.database.writing() as session:
        answer(session, token, said, house.now, PATIENCE, origin="203.0.113.9")
    house.settle()


def lines(house: House, sticker: Sticker) -> list[LiveLine]:
    with house.database.reading() as session:
        record = session.get_one(Record, sticker.record_id)
        emergency = current_emergency(session, record.id)
        assert emergency is not None
        return live_lines(session, record.open_key(house.world.parts.keyring), emergency, house.now)


def test_the_link_shows_who_where_and_since_when(house: House) -> None:
    _, emergency, token = alert_family(house)
    seen = look(house, token)
    assert (seen.emergency_id, seen.name, seen.state, seen.answer) == (emergency, "Ana", "open", None)
    assert seen.position is not None and seen.position.lat == HERE["lat"] and seen.since == house.now
    assert seen.own == Label("María Rojas", "madre") and seen.coming == ()


def test_mail_and_message_carry_the_same_link(house: House) -> None:
    _, _, token = alert_family(house)
    house.pass_seconds(60)
    (mail,) = house.world.mails()
    found = re.search(r"/a/([\w-]+)", mail.text)
    assert found and found[1] == token


def test_who_says_so_on_the_page_is_going(house: House) -> None:
    sticker, emergency, token = alert_family(house)
    say(house, token, ContactAnswer.VOY)
    say(house, token, ContactAnswer.VOY)
    assert house.emergency(emergency).state == "acknowledged"
    assert look(house, token).answer is ContactAnswer.VOY
    answers = [entry for entry in house.log_of(sticker) if entry.action == "contact.answered"]
    assert [(entry.via, entry.origin) for entry in answers] == [("page", "203.0.113.9")], "twice is once"


def test_who_was_called_sees_who_is_going(house: House) -> None:
    _, _, mother = alert_family(house)
    say(house, mother, ContactAnswer.NO_PUEDO)
    say(house, token_in(house, -1), ContactAnswer.VOY)
    assert look(house, mother).coming == (Label("Pedro Pérez", "padre"),)


def test_who_can_no_longer_come_hands_it_to_staff(house: House) -> None:
    _, emergency, token = alert_family(house)
    say(house, token, ContactAnswer.VOY)
    house.pass_seconds(5)
    say(house, token, ContactAnswer.NO_PUEDO)
    found = house.emergency(emergency)
    assert found.state == "acknowledged" and found.staff_at == house.now


def test_the_link_lasts_a_day_after_the_end_and_a_guess_never(house: House) -> None:
    sticker, emergency, token = alert_family(house)
    body = {"state": "resolved"}
    headers = sticker.owner.headers
    assert house.world.client.patch(f"/v2/emergencies/{emergency}", json=body, headers=headers).status_code == 200
    house.world.clock.move(hours=23)
    assert look(house, token).state == "resolved"
    house.world.clock.move(hours=1)
    for bad in (token, "x" * 22, "", "á"):
        with pytest.raises(LinkUnknown):
            look(house, bad)


def test_only_the_hash_of_a_link_is_kept(house: House) -> None:
    _, _, token = alert_family(house)
    with house.database.engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM emergency_contacts").all()
    assert rows and token not in str(rows) and "María" not in str(rows)


def test_the_responder_sees_that_the_mother_read_it_40_seconds_ago(house: House) -> None:
    sticker, _, _ = alert_family(house)
    house.read_chat(MARIA)
    house.world.clock.move(seconds=40)
    newest, *_ = lines(house, sticker)
    assert (newest.kind, newest.relation, newest.seconds) == (News.READ, "madre", 40)


def test_the_responder_sees_who_is_coming(house: House) -> None:
    sticker, _, token = alert_family(house)
    house.pass_seconds(5)
    say(house, token, ContactAnswer.VOY)
    found = lines(house, sticker)
    assert [(line.kind, line.relation) for line in found] == [
        (News.COMING, "madre"),
        (News.DELIVERED, "madre"),
        (News.OPENED, ""),
    ]


def test_a_contact_hidden_from_strangers_is_called_and_not_named(house: House) -> None:
    sticker, _, _ = alert_family(house, consentimiento={"visibilidad": {"emergencia": "P"}})
    assert len(house.alerts()) == 1
    assert all(line.relation == "" and line.name == "" for line in lines(house, sticker))
    assert News.DELIVERED in {line.kind for line in lines(house, sticker)}
