"""Operations on the business account: its numbers, templates and subscriptions."""

from typing import Any

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import invalid_parameter
from ficha.sandbox.whatsapp.notifications import template_status
from ficha.sandbox.whatsapp.operations.call import Call, checked_webhook, own_account
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform
from ficha.sandbox.whatsapp.responses import page, success_response
from ficha.sandbox.whatsapp.templates import Template


def phone_numbers(call: Call, account_id: str) -> HttpResponse:
    own_account(call, account_id)
    fields = call.request.query.get("fields")
    found = [number.description(fields) for number in call.platform.numbers.values()]
    return json_response(page(found, call.request.query, call.address))


def list_templates(call: Call, account_id: str) -> HttpResponse:
    own_account(call, account_id)
    fields = call.request.query.get("fields")
    found = [each.description for each in call.platform.templates.matching(call.request.query)]
    if fields:
        wanted = {*fields.split(","), "id"}
        found = [{name: value for name, value in each.items() if name in wanted} for each in found]
    listed = page(found, call.request.query, call.address)
    if "summary" in call.request.query:
        total = len(call.platform.templates.known)
        listed["summary"] = {
            "total_count": len(found),
            "message_template_count": total,
            "message_template_limit": 6000,
            "are_translations_complete": True,
        }
    return json_response(listed)


def create_template(call: Call, account_id: str) -> HttpResponse:
    own_account(call, account_id)
    platform = call.platform
    template = platform.templates.create(call.request.fields())
    if platform.behaviour.review_seconds is not None:
        platform.schedule(platform.behaviour.review_seconds, lambda: approve(platform, template))
    return json_response({"id": template.id, "status": template.status, "category": template.category})


def approve(platform: WhatsAppPlatform, template: Template) -> None:
    template.status = "APPROVED"
    platform.notify(template_status(template.id, template.name, template.language, "APPROVED"))
    platform.mark_changed()


def delete_template(call: Call, account_id: str) -> HttpResponse:
    own_account(call, account_id)
    call.platform.templates.delete(call.request.query)
    return success_response()


def subscriptions(call: Call, account_id: str) -> HttpResponse:
    own_account(call, account_id)
    subscription, config = call.platform.subscription, call.platform.config
    if not subscription.active:
        return json_response({"data": []})
    app: dict[str, Any] = {
        "whatsapp_business_api_data": {
            "id": config.app_id,
            "name": config.verified_name,
            "link": f"https://www.facebook.com/games/?app_id={config.app_id}",
        }
    }
    if subscription.override is not None:
        app["override_callback_uri"] = subscription.override
    return json_response({"data": [app]})


async def subscribe(call: Call, account_id: str) -> HttpResponse:
    own_account(call, account_id)
    asked = call.request.fields()
    subscription = call.platform.subscription
    if "override_callback_uri" in asked:
        if not subscription.active:
            raise invalid_parameter("The app must be subscribed before its callback can be overridden.")
        subscription.override = await checked_webhook(call, asked)
    else:
        subscription.active, subscription.override = True, None
    return success_response()


def unsubscribe(call: Call, account_id: str) -> HttpResponse:
    own_account(call, account_id)
    call.platform.subscription.active = False
    return success_response()
