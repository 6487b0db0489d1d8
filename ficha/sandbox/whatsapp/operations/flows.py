"""Operations on flows."""

import re
from datetime import timedelta
from typing import Any

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import invalid_parameter, no_such_object
from ficha.sandbox.whatsapp.flows import Flow
from ficha.sandbox.whatsapp.operations.call import Call, own_account
from ficha.sandbox.whatsapp.responses import page, success_response

PREVIEW_DAYS = 30
LARGEST = 10_000_000
_DEFAULT_FIELDS = ("id", "name", "status", "categories", "validation_errors")


def list_flows(call: Call, account_id: str) -> HttpResponse:
    own_account(call, account_id)
    found = [_description(call, each) for each in call.platform.flows.known.values()]
    return json_response(page(found, call.request.query, call.address))


def create_flow(call: Call, account_id: str) -> HttpResponse:
    """With `flow_json` it has its content at once, and with `publish` it is published too if that has no errors."""
    own_account(call, account_id)
    asked, now = call.request.fields(), call.platform.now()
    content = asked.get("flow_json")
    if content is not None and not isinstance(content, str):
        raise invalid_parameter("Param flow_json must be a string.")
    flow = call.platform.flows.create(asked, now)
    if content is None:
        return json_response({"id": flow.id})
    flow.set_content(content.encode(), now)
    if asked.get("publish") in (True, "true") and not flow.errors:
        flow.publish(now)
    return json_response({"id": flow.id, "success": True, "validation_errors": flow.errors})


def migrate_flows(call: Call, account_id: str) -> HttpResponse:
    """The sandbox has one account: there is none to copy from."""
    own_account(call, account_id)
    source = call.request.fields().get("source_waba_id")
    if not source:
        raise invalid_parameter("The parameter source_waba_id is required.")
    raise no_such_object(str(source), "POST")


def get_flow(call: Call, flow: Flow) -> HttpResponse:
    call.check_management()
    return json_response(_description(call, flow))


def change_flow(call: Call, flow: Flow) -> HttpResponse:
    call.check_management()
    call.platform.flows.change(flow, call.request.fields(), call.platform.now())
    return success_response()


def delete_flow(call: Call, flow: Flow) -> HttpResponse:
    call.check_management()
    call.platform.flows.delete(flow)
    return success_response()


def list_assets(call: Call, flow_id: str) -> HttpResponse:
    flow = _own_flow(call, flow_id)
    url = f"{call.platform.url}/_sandbox/flows/{flow.id}"
    file = {"name": "flow.json", "asset_type": "FLOW_JSON", "download_url": url}
    return json_response(page([file] if flow.content is not None else [], call.request.query, call.address))


def upload_asset(call: Call, flow_id: str) -> HttpResponse:
    flow, asked = _own_flow(call, flow_id), call.request.fields()
    if asked.get("asset_type") != "FLOW_JSON":
        raise invalid_parameter("Param asset_type must be one of {FLOW_JSON}.")
    if not asked.get("name"):
        raise invalid_parameter("The parameter name is required.")
    file = next((part for part in call.request.parts() if part.name == "file"), None)
    if file is None:
        raise invalid_parameter("The parameter file is required.")
    if len(file.content) > LARGEST:
        raise invalid_parameter("Param file must be at most 10 MB.")
    flow.set_content(file.content, call.platform.now())
    return json_response({"success": True, "validation_errors": flow.errors})


def publish_flow(call: Call, flow_id: str) -> HttpResponse:
    _own_flow(call, flow_id).publish(call.platform.now())
    return success_response()


def deprecate_flow(call: Call, flow_id: str) -> HttpResponse:
    _own_flow(call, flow_id).deprecate(call.platform.now())
    return success_response()


def _own_flow(call: Call, flow_id: str) -> Flow:
    call.check_management()
    return call.platform.flows.find(flow_id, call.request.method)


def _description(call: Call, flow: Flow) -> dict[str, Any]:
    """The fields that were asked for, each of which may carry options: `preview.invalidate(false)`."""
    config, document = call.platform.config, flow.document
    asked = call.request.query.get("fields")
    options = {} if asked is None else {each.strip().partition(".")[0]: each for each in asked.split(",")}
    available = {"can_send_message": "AVAILABLE"}
    everything: dict[str, Any] = {
        "id": flow.id,
        "name": flow.name,
        "status": flow.status,
        "categories": flow.categories,
        "validation_errors": flow.errors,
        "json_version": document.get("version"),
        "data_api_version": document.get("data_api_version"),
        "data_channel_uri": flow.endpoint_uri,
        "endpoint_uri": flow.endpoint_uri,
        "updated_at": flow.updated_at.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "preview": {
            "preview_url": f"https://business.facebook.com/wa/manage/flows/{flow.id}/preview/?token={flow.id}",
            "expires_at": (call.platform.now() + timedelta(days=PREVIEW_DAYS)).strftime("%Y-%m-%dT%H:%M:%S%z"),
        },
        "health_status": available | {"entities": [available | {"entity_type": "FLOW", "id": flow.id}]},
        "whatsapp_business_account": {
            "id": config.business_id,
            "name": config.verified_name,
            "timezone_id": "1",
            "message_template_namespace": config.business_id,
        },
        "application": {
            "id": config.app_id,
            "name": config.verified_name,
            "link": f"https://www.facebook.com/games/?app_id={config.app_id}",
        },
        "metric": _metric(options.get("metric", "")),
    }
    wanted = dict.fromkeys((*options, "id")) if options else _DEFAULT_FIELDS
    return {name: everything[name] for name in wanted if everything.get(name) is not None}


def _metric(asked: str) -> dict[str, Any]:
    """Of the requests to the endpoint, of which the sandbox makes none."""
    options = dict(re.findall(r"(\w+)\((\w+)\)", asked))
    return {"name": options.get("name", ""), "granularity": options.get("granularity", "DAY"), "data_points": []}
