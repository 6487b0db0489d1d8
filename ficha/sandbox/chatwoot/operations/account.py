"""The account: its inboxes, its webhooks, and who asks."""

from typing import Any

from ficha.sandbox.chatwoot import answers
from ficha.sandbox.chatwoot.errors import invalid, not_found
from ficha.sandbox.chatwoot.operations.call import Call
from ficha.sandbox.chatwoot.records import EVENTS, Webhook
from ficha.sandbox.chatwoot.responses import chatwoot_json, empty
from ficha.sandbox.http_messages import HttpResponse


def profile(call: Call) -> HttpResponse:
    user, agents = call.user, call.platform.agents
    accounts = [
        {"id": number, "name": agents.accounts[number].name, "role": user.role, "status": "active"}
        for number in user.account_ids
    ]
    shown = answers.agent(user, user.account_ids[0])
    return chatwoot_json(shown | {"access_token": user.token, "accounts": accounts, "uid": user.email})


def list_inboxes(call: Call) -> HttpResponse:
    visible = [inbox for inbox in call.platform.inboxes.values() if call.user.sees(inbox.id)]
    payload = [
        answers.slim_inbox(inbox)
        | {"inbox_identifier": inbox.identifier or None, "webhook_url": inbox.webhook_url, "hmac_mandatory": False}
        for inbox in visible
    ]
    return chatwoot_json({"payload": payload})


def list_webhooks(call: Call) -> HttpResponse:
    call.require_administrator()
    return chatwoot_json({"payload": {"webhooks": [_shown(call, each) for each in call.platform.webhooks.values()]}})


def create_webhook(call: Call) -> HttpResponse:
    call.require_administrator()
    wrapped = call.object("webhook") or call.params
    found = Webhook(next(call.platform.webhook_ids), "", [], call.platform.new_uuid())
    _change(found, wrapped)
    call.platform.webhooks[found.id] = found
    return chatwoot_json({"payload": {"webhook": _shown(call, found)}})


def update_webhook(call: Call, webhook_id: str) -> HttpResponse:
    call.require_administrator()
    found = _webhook(call, webhook_id)
    _change(found, call.object("webhook") or call.params)
    return chatwoot_json({"payload": {"webhook": _shown(call, found)}})


def delete_webhook(call: Call, webhook_id: str) -> HttpResponse:
    call.require_administrator()
    del call.platform.webhooks[_webhook(call, webhook_id).id]
    return empty()


def _webhook(call: Call, webhook_id: str) -> Webhook:
    found = call.platform.webhooks.get(int(webhook_id))
    if found is None:
        raise not_found()
    return found


def _change(webhook: Webhook, given: dict[str, Any]) -> None:
    url = str(given.get("url", webhook.url))
    if not url.startswith(("http://", "https://")):
        raise invalid([("url", "Url is invalid")])
    subscriptions = given.get("subscriptions", webhook.subscriptions)
    if not isinstance(subscriptions, list) or not subscriptions or set(map(str, subscriptions)) - set(EVENTS):
        raise invalid([("subscriptions", "Subscriptions Invalid events")])
    webhook.url, webhook.subscriptions = url, [str(each) for each in subscriptions]
    webhook.name = given.get("name", webhook.name)


def _shown(call: Call, webhook: Webhook) -> dict[str, Any]:
    shown: dict[str, Any] = {"id": webhook.id}
    if webhook.name is not None:
        shown["name"] = webhook.name
    return shown | {
        "url": webhook.url,
        "account_id": call.platform.config.account_id,
        "subscriptions": webhook.subscriptions,
        "secret": webhook.secret,
    }
