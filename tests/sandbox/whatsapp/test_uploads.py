"""Resumable uploads: begun, cut, continued, and what the handle is used for."""

import httpx
import pytest

from ficha.sandbox.whatsapp.sample_files import FILES
from tests import local_http
from tests.sandbox.whatsapp.conftest import Business
from tests.sandbox.whatsapp.test_sending import error_of

PICTURE = FILES["image"][1] * 50


def begin(business: Business, length: int = len(PICTURE)) -> str:
    query = {"file_name": "foto.png", "file_length": str(length), "file_type": "image/png"}
    answer = business.client.post(f"/{business.config.app_id}/uploads", params=query)
    session: str = answer.json()["id"]
    assert session.startswith("upload:") and "?sig=" in session
    return session


def add(business: Business, session: str, content: bytes, offset: int) -> httpx.Response:
    headers = {"Authorization": f"OAuth {business.config.token}", "file_offset": str(offset)}
    return business.client.post(f"/{session}", content=content, headers=headers)


def test_a_picture_goes_up_at_once_and_becomes_the_profile_picture(business: Business) -> None:
    handle = add(business, begin(business), PICTURE, 0).json()["h"]
    path = f"/{business.number}/whatsapp_business_profile"
    change = {"messaging_product": "whatsapp", "profile_picture_handle": handle, "about": "Aquí"}
    assert business.client.post(path, json=change).json() == {"success": True}
    [profile] = business.client.get(path, params={"fields": "about,profile_picture_url"}).json()["data"]
    assert profile["about"] == "Aquí" and set(profile) == {"about", "profile_picture_url", "messaging_product"}
    assert local_http.get(profile["profile_picture_url"]).content == PICTURE
    wrong = change | {"profile_picture_handle": "4:inventado"}
    assert error_of(business.client.post(path, json=wrong))["code"] == 100


def test_an_upload_that_was_cut_continues_where_it_stopped(business: Business) -> None:
    session = begin(business)
    business.set_faults({"action": "cut_request", "match": {"path": "upload:"}, "times": 1})
    with pytest.raises(httpx.RemoteProtocolError):
        add(business, session, PICTURE, 0)
    state = business.client.get(f"/{session}").json()
    assert state == {"id": session, "file_offset": len(PICTURE) // 2}
    assert error_of(add(business, session, PICTURE, 0))["code"] == 100
    assert "h" in add(business, session, PICTURE[state["file_offset"] :], state["file_offset"]).json()


def test_pieces_are_kept_in_order(business: Business) -> None:
    session = begin(business)
    short = add(business, session, PICTURE[:1000], 0)
    assert short.status_code == 400 and "Partial request" in error_of(short)["message"]
    assert business.client.get(f"/{session}").json()["file_offset"] == 1000
    for offset in (0, 500, 1500):
        assert error_of(add(business, session, b"x", offset))["message"].endswith("file_offset must be 1000.")
    assert error_of(add(business, session, PICTURE, 1000))["message"] == "(#100) More bytes than file_length."
    assert "h" in add(business, session, PICTURE[1000:], 1000).json()


def test_a_session_needs_its_signature_and_a_token_in_the_header(business: Business) -> None:
    session = begin(business)
    bare = session.partition("?")[0]
    assert error_of(add(business, bare, PICTURE, 0))["code"] == 100
    with local_http.client(base_url=business.client.base_url) as stranger:
        url = f"/{session}&access_token={business.config.token}"
        assert error_of(stranger.post(url, content=PICTURE, headers={"file_offset": "0"}))["code"] == 104


@pytest.mark.parametrize(
    "change", [{"file_name": ""}, {"file_length": "x"}, {"file_length": ""}, {"file_type": "image/gif"}]
)
def test_a_session_needs_the_name_length_and_type_of_its_file(business: Business, change: dict[str, str]) -> None:
    query = {"file_name": "a.png", "file_length": "10", "file_type": "image/png"} | change
    answer = business.client.post(f"/{business.config.app_id}/uploads", params=query)
    assert (answer.status_code, error_of(answer)["code"]) == (400, 100)
    assert error_of(business.client.post("/1/uploads", params=query))["error_subcode"] == 33
