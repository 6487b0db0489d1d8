"""Links that open a position on a map."""

from typing import Any

import pytest
from starlette.testclient import TestClient


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(
    ("provider", "url"),
    [
        ("google", "https://www.google.com/maps/search/?api=1&query=10.48801,-66.87919"),
        ("osm", "https://www.openstreetmap.org/?mlat=10.48801&mlon=-66.87919#map=17/10.48801/-66.87919"),
        ("apple", "https://maps.apple.com/?ll=10.48801,-66.87919&q=Plaza%20Bol%C3%ADvar%20%26%20caf%C3%A9"),
        ("waze", "https://waze.com/ul?ll=10.48801,-66.87919&navigate=yes"),
        ("geo", "geo:10.48801,-66.87919?q=10.48801,-66.87919(Plaza%20Bol%C3%ADvar%20%26%20caf%C3%A9)"),
    ],
)
def test_a_place_on_everybody_s_map(client: TestClient, provider: str, url: str) -> None:
    place: dict[str, Any] = {"lat": 10.48801, "lng": -66.87919, "label": "Plaza Bolívar & café", "provider": provider}
    answer = client.get("/v2/maps/url", params=place)
    assert answer.json()["data"] == {"provider": provider, "url": url}


def test_no_map_shows_a_place_that_cannot_be(client: TestClient) -> None:
    impossible: list[dict[str, Any]] = [
        {"lat": 91, "lng": 0},
        {"lat": 0},
        {"lat": 0, "lng": "x"},
        {"lat": 0, "lng": 0, "provider": "bing"},
    ]
    for bad in impossible:
        assert client.get("/v2/maps/url", params=bad).status_code == 422
    zero = client.get("/v2/maps/url", params={"lat": -0.00000001, "lng": 0, "provider": "geo"})
    assert zero.json()["data"]["url"] == "geo:0,0"
