"""What is wrong with a flow, and which of its fields are shown. Its whole life is in test_pywa.py."""

import json
from datetime import timedelta
from typing import Any

import pytest

from tests.sandbox.whatsapp.conftest import Business

FINE = {"version": "7.0", "screens": [{"id": "INICIO", "terminal": True, "layout": {"type": "SingleColumnLayout"}}]}


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ({"categories": ["OTHER"]}, "name"),
        ({"name": "x", "categories": ["NADA"]}, "categories"),
        ({"name": "x", "categories": "OTHER"}, "categories"),
        ({"name": "x", "categories": ["OTHER"], "endpoint_uri": "http://ejemplo.com"}, "endpoint_uri"),
        ({"name": "x", "categories": ["OTHER"], "flow_json": FINE}, "flow_json"),
        ({"name": "x", "clone_flow_id": "7"}, "'7' does not exist"),
    ],
)
def test_a_flow_that_is_not_well_formed_is_refused(business: Business, body: dict[str, Any], wrong: str) -> None:
    answer = business.client.post(f"/{business.config.business_id}/flows", json=body)
    assert answer.status_code == 400 and wrong in answer.json()["error"]["message"]
    assert business.client.get(f"/{business.config.business_id}/flows").json() == {"data": []}


def test_a_flow_s_errors_say_where_they_are(business: Business) -> None:
    account = business.config.business_id
    text = json.dumps({"version": 7, "screens": [{"id": "A"}, {"id": "A"}], "más": 1}, indent=1, ensure_ascii=False)
    body = {"name": "x", "categories": '["OTHER"]', "flow_json": text, "publish": True}
    made = business.client.post(f"/{account}/flows", json=body).json()
    found = {(each["error"], each["line_start"]) for each in made["validation_errors"]}
    lines = text.splitlines()
    place = {word: next(n for n, line in enumerate(lines, 1) if word in line) for word in ("version", '"A"', "más")}
    assert found == {
        ("INVALID_PROPERTY", place["más"]),
        ("INVALID_PROPERTY_VALUE", place["version"]),
        ("REQUIRED_PROPERTY_MISSING", place['"A"']),
        ("INVALID_PROPERTY_VALUE", place['"A"']),
    }
    broken = {"name": "y", "categories": ["OTHER"], "flow_json": '{\n"version" 7'}
    [syntax] = business.client.post(f"/{account}/flows", json=broken).json()["validation_errors"]
    assert (syntax["error_type"], syntax["line_start"]) == ("JSON_SYNTAX_ERROR", 2)
    assert business.client.get(f"/{made['id']}").json()["status"] == "DRAFT"


def test_a_flow_s_fields_are_those_asked_for(business: Business) -> None:
    account = business.config.business_id
    made = business.client.post(f"/{account}/flows", json={"name": "x", "categories": ["OTHER"]}).json()["id"]
    fields = "name,preview.invalidate(false),health_status,metric.name(ENDPOINT_REQUEST_COUNT).granularity(DAY)"
    found = business.client.get(f"/{made}", params={"fields": fields}).json()
    assert set(found) == {"id", "name", "preview", "health_status", "metric"}
    assert found["metric"] == {"name": "ENDPOINT_REQUEST_COUNT", "granularity": "DAY", "data_points": []}
    assert found["preview"]["expires_at"][:10] == (business.clock.now() + timedelta(days=30)).date().isoformat()
    other = business.client.post(f"/{account}/migrate_flows", json={"source_waba_id": "9"}).json()["error"]
    assert (other["code"], other["error_subcode"]) == (100, 33)
