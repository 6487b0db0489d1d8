"""Files: those from people are fetched and stored sealed, ours are sent and go on after an interruption."""

import hashlib
from base64 import b64encode
from typing import Any

import pytest
from sqlalchemy import select

from ficha.accounts.accounts import Role
from ficha.channels.errors import RetryLater
from ficha.messaging.files import (
    FETCH,
    FORWARD,
    FilePiece,
    FileState,
    KeptFile,
    Upload,
    UploadState,
    Use,
    add_piece,
    begin_upload,
    read_pieces,
    sha256_of,
)
from ficha.sandbox.whatsapp.journal import RequestEntry
from tests.messaging.webhook_notifications import MARIA
from tests.world import World

pytestmark = pytest.mark.oldest_postgresql

PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 3_000


@pytest.fixture
def listening(world: World) -> World:
    world.listen()
    return world


def receive_picture(world: World, content: bytes = PICTURE) -> None:
    world.platform.receive(from_=MARIA, name="María", type="image", data=b64encode(content).decode())
    world.platform.wait_until_idle()
    world.do("whatsapp.notificaciones")


def only_file(world: World) -> KeptFile:
    with world.parts.database.reading() as tx:
        return tx.orm.scalars(select(KeptFile)).one()


def upload_of(world: World, use: Use = Use.HANDLE, content: bytes = PICTURE) -> int:
    staff = world.somebody_with(Role.STAFF)
    parts = world.parts
    with parts.database.writing() as tx:
        upload = begin_upload(
            tx, parts.keyring, "logo.png", len(content), "image/png", use, staff.id, world.clock.now()
        )
        for start in range(0, len(content), 300_000):
            add_piece(tx, parts.keyring, upload, start, content[start : start + 300_000])
        return upload.id


def found(world: World, upload_id: int) -> Upload:
    with world.parts.database.reading() as tx:
        return tx.orm.get_one(Upload, upload_id)


def set_faults(world: World, *rules: dict[str, Any]) -> None:
    world.platform.call(lambda platforms: platforms.whatsapp.faults.set(rules))


def count_parts(world: World) -> int:
    """How often the platform was sent a part of a file."""
    entries = [each for each in world.platform.whatsapp.journal.entries if isinstance(each, RequestEntry)]
    return sum(each.method == "POST" and "upload:" in each.path for each in entries)


def test_an_interrupted_upload_goes_on_where_it_stopped(listening: World) -> None:
    """The connection breaks in the middle; the next attempt asks the platform how much it has."""
    upload_id = upload_of(listening)
    set_faults(listening, {"match": {"method": "POST", "path": "upload:"}, "times": 1, "action": "cut_request"})
    with pytest.raises(RetryLater):
        listening.do(FORWARD, upload_id=upload_id)
    half = found(listening, upload_id)
    assert half.platform_id is not None and half.state == UploadState.SENDING
    arrived = listening.parts.whatsapp.uploads.offset(half.platform_id)
    assert 0 < arrived < len(PICTURE), "the rest begins where the platform says"
    listening.do(FORWARD, upload_id=upload_id)
    whole = found(listening, upload_id)
    assert (whole.state, whole.platform_id) == (UploadState.DONE, half.platform_id)
    assert whole.handle
    assert count_parts(listening) == 2


def test_an_upload_goes_in_one_piece(listening: World) -> None:
    upload_id = upload_of(listening)
    listening.do(FORWARD, upload_id=upload_id)
    assert found(listening, upload_id).state == UploadState.DONE
    assert count_parts(listening) == 1


def test_where_the_platform_takes_a_part_the_rest_follows_from_its_offset(listening: World) -> None:
    """In one attempt of the job and one session: it is asked for its offset after each part."""
    upload_id = upload_of(listening)
    set_faults(listening, {"match": {"method": "POST", "path": "upload:"}, "times": 2, "action": "take_half"})
    listening.do(FORWARD, upload_id=upload_id)
    whole = found(listening, upload_id)
    assert whole.state == UploadState.DONE and whole.handle and count_parts(listening) == 3
    [tx] = listening.platform.whatsapp.uploads.sessions.values()
    assert (tx.id, bytes(tx.content)) == (whole.platform_id, PICTURE)


def test_the_picture_of_the_business_is_set_with_its_handle(listening: World) -> None:
    upload_id = upload_of(listening, Use.PROFILE_PICTURE)
    listening.do(FORWARD, upload_id=upload_id)
    assert found(listening, upload_id).state == UploadState.DONE
    assert listening.parts.whatsapp.account.profile().profile_picture_url


def test_a_file_to_be_sent_gets_an_id_and_arrives_whole(listening: World) -> None:
    upload_id = upload_of(listening, Use.MEDIA)
    listening.do(FORWARD, upload_id=upload_id)
    media_id = found(listening, upload_id).media_id
    assert media_id is not None
    with listening.parts.whatsapp.media.download(media_id) as download:
        assert b"".join(download) == PICTURE


def test_a_file_from_a_person_is_fetched_and_stored_sealed(listening: World) -> None:
    receive_picture(listening)
    file = only_file(listening)
    listening.do(FETCH, message_id=file.message_id)
    listening.do(FETCH, message_id=file.message_id)  # As after a crash: once is enough.
    file = only_file(listening)
    assert (file.state, file.size) == (FileState.KEPT, len(PICTURE))
    with listening.parts.database.reading() as tx:
        keyring = listening.parts.keyring
        assert b"".join(read_pieces(tx, keyring, file)) == PICTURE
        assert sha256_of(tx, keyring, file) == hashlib.sha256(PICTURE).hexdigest() == file.sha256
        stored = tx.orm.scalars(select(FilePiece)).all()
        assert len(stored) > 1 and not any(PICTURE[:64] in piece.sealed for piece in stored)


def test_a_file_whose_connection_breaks_is_fetched_again(listening: World) -> None:
    receive_picture(listening)
    file = only_file(listening)
    set_faults(listening, {"match": {"method": "GET"}, "times": 1, "action": "half_answer"})
    with pytest.raises(RetryLater):
        listening.do(FETCH, message_id=file.message_id)
    assert only_file(listening).state == FileState.WAITING
    listening.do(FETCH, message_id=file.message_id)
    assert (only_file(listening).state, only_file(listening).size) == (FileState.KEPT, len(PICTURE))
