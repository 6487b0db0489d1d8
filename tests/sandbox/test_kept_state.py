"""A sandbox that starts again finds what was said before."""

import stat
from pathlib import Path
from typing import Any

import pytest

from ficha.sandbox.chatwoot.records import INCOMING, Message
from ficha.sandbox.config import SandboxConfig
from ficha.sandbox.kept_state import FILE, SAVE_SECONDS, KeptState
from ficha.sandbox.platforms import Platforms
from ficha.sandbox.server import Sandbox
from tests.waiting import eventually

MARIA = "+584125551111"


def say(platforms: Any, words: str) -> int:
    """A contact of the desk writes; gives the number of the conversation."""
    chatwoot = platforms.chatwoot
    place = chatwoot.join_inbox(chatwoot.add_contact("María"), chatwoot.inboxes[chatwoot.config.inbox_id])
    conversation = chatwoot.add_conversation(place)
    chatwoot.add_message(conversation, Message(next(chatwoot.ids["message"]), words, INCOMING, chatwoot.now()))
    return int(conversation.id)


def test_chats_and_conversations_are_there_again_and_numbers_go_on(tmp_path: Path) -> None:
    config = SandboxConfig(folder=str(tmp_path))
    with Sandbox(config) as first:
        first.receive(from_=MARIA, text="Hola")
        number = first.call(lambda platforms: say(platforms, "¿Hay alguien?"))
    assert stat.S_IMODE((tmp_path / FILE).stat().st_mode) == 0o600
    with Sandbox(config) as second:
        (person,) = second.whatsapp.people
        assert [each.text for each in second.whatsapp.chats.of(person)] == ["Hola"]
        assert [each.content for each in second.chatwoot.conversations[number].messages] == ["¿Hay alguien?"]
        assert second.call(lambda platforms: say(platforms, "Otra")) == number + 1
        contacts = second.chatwoot.contacts
        assert len(contacts) == 2 and second.chatwoot.conversations[number].contact is contacts[1]


def test_one_that_is_killed_loses_a_second_at_most(tmp_path: Path) -> None:
    with Sandbox(SandboxConfig(folder=str(tmp_path))) as sandbox:
        sandbox.receive(from_=MARIA, text="Hola")
        eventually((tmp_path / FILE).exists)
    assert SAVE_SECONDS <= 1


@pytest.mark.parametrize("content", [b"", b"no pickle", b"\x80\x04}\x94.", b"\x80\x04K\x01."])
def test_a_file_that_cannot_be_read_is_as_none(tmp_path: Path, content: bytes) -> None:
    (tmp_path / FILE).write_bytes(content)
    platforms = Platforms(SandboxConfig())
    KeptState(tmp_path, platforms).load()
    assert platforms.chatwoot.conversations == {} and list(platforms.whatsapp.people) == []


def test_without_a_folder_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Sandbox() as sandbox:
        sandbox.receive(from_=MARIA, text="Hola")
    assert list(tmp_path.iterdir()) == []
