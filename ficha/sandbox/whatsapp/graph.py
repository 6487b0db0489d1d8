"""The paths of the Graph API."""

import re
from collections.abc import Awaitable, Callable

from ficha.sandbox.http_messages import HttpRequest, HttpResponse
from ficha.sandbox.whatsapp.errors import no_such_object
from ficha.sandbox.whatsapp.groups import ID_START
from ficha.sandbox.whatsapp.media import DOWNLOAD_PATH
from ficha.sandbox.whatsapp.operations import (
    account,
    blocks_and_qr,
    flows,
    groups,
    messages,
    numbers,
    objects,
    tokens,
    uploads,
)
from ficha.sandbox.whatsapp.operations.call import Call
from ficha.sandbox.whatsapp.platform import WhatsAppPlatform

DEFAULT_VERSION = 23.0


async def graph(platform: WhatsAppPlatform, request: HttpRequest) -> HttpResponse:
    """Answers a request to the Graph API; raises GraphError, also for a path that does not exist."""
    if request.path.rstrip("/") == DOWNLOAD_PATH.rstrip("/"):
        return messages.download(Call(platform, request, DEFAULT_VERSION, request.path))
    first, _, rest = request.path.lstrip("/").partition("/")
    version = _version_of(first)
    path = (request.path.lstrip("/") if version is None else rest).strip("/")
    call = Call(platform, request, version or DEFAULT_VERSION, path)
    for method, pattern, operation in _ROUTES:
        if method == request.method and (found := pattern.fullmatch(path)):
            response = operation(call, *found.groups())
            return response if isinstance(response, HttpResponse) else await response
    call.token()
    raise no_such_object(path.partition("/")[0], request.method)


def _version_of(path_part: str) -> float | None:
    found = re.fullmatch(r"v(\d+\.\d+)", path_part)
    return float(found[1]) if found else None


_GROUP = rf"({ID_START}[\w-]+)"
_Operation = Callable[..., HttpResponse | Awaitable[HttpResponse]]
_ROUTES: list[tuple[str, re.Pattern[str], _Operation]] = [
    (method, re.compile(pattern), operation)
    for method, pattern, operation in (
        ("POST", r"(\d+)/messages", messages.messages),
        ("POST", r"(\d+)/media", messages.upload_media),
        ("GET", r"(\d+)/whatsapp_business_profile", numbers.profile),
        ("POST", r"(\d+)/whatsapp_business_profile", numbers.change_profile),
        ("POST", r"(\d+)/request_code", numbers.request_code),
        ("POST", r"(\d+)/verify_code", numbers.verify_code),
        ("POST", r"(\d+)/register", numbers.register),
        ("POST", r"(\d+)/deregister", numbers.deregister),
        ("GET", r"(\d+)/block_users", blocks_and_qr.blocked_users),
        ("POST", r"(\d+)/block_users", blocks_and_qr.block_users),
        ("DELETE", r"(\d+)/block_users", blocks_and_qr.unblock_users),
        ("GET", r"(\d+)/message_qrdls", blocks_and_qr.list_qr),
        ("POST", r"(\d+)/message_qrdls", blocks_and_qr.put_qr),
        ("GET", r"(\d+)/message_qrdls/(\w+)", blocks_and_qr.one_qr),
        ("DELETE", r"(\d+)/message_qrdls/(\w+)", blocks_and_qr.delete_qr),
        ("GET", r"(\d+)/whatsapp_commerce_settings", numbers.commerce_settings),
        ("POST", r"(\d+)/whatsapp_commerce_settings", numbers.change_commerce_settings),
        ("GET", r"(\d+)/groups", groups.list_groups),
        ("POST", r"(\d+)/groups", groups.create_group),
        ("GET", _GROUP, groups.get_group),
        ("POST", _GROUP, groups.change_group),
        ("DELETE", _GROUP, groups.delete_group),
        ("POST", rf"{_GROUP}/invite_link", groups.make_invite_link),
        ("DELETE", rf"{_GROUP}/invite_link", groups.delete_invite_link),
        ("GET", rf"{_GROUP}/join_requests", groups.join_requests),
        ("POST", rf"{_GROUP}/join_requests", groups.approve_join_requests),
        ("DELETE", rf"{_GROUP}/join_requests", groups.reject_join_requests),
        ("POST", rf"{_GROUP}/participants", groups.add_participants),
        ("DELETE", rf"{_GROUP}/participants", groups.remove_participants),
        ("GET", r"(\d+)/flows", flows.list_flows),
        ("POST", r"(\d+)/flows", flows.create_flow),
        ("POST", r"(\d+)/migrate_flows", flows.migrate_flows),
        ("GET", r"(\d+)/assets", flows.list_assets),
        ("POST", r"(\d+)/assets", flows.upload_asset),
        ("POST", r"(\d+)/publish", flows.publish_flow),
        ("POST", r"(\d+)/deprecate", flows.deprecate_flow),
        ("GET", r"(\d+)/phone_numbers", account.phone_numbers),
        ("GET", r"(\d+)/message_templates", account.list_templates),
        ("POST", r"(\d+)/message_templates", account.create_template),
        ("DELETE", r"(\d+)/message_templates", account.delete_template),
        ("GET", r"(\d+)/subscribed_apps", account.subscriptions),
        ("POST", r"(\d+)/subscribed_apps", account.subscribe),
        ("DELETE", r"(\d+)/subscribed_apps", account.unsubscribe),
        ("POST", r"(\d+|app)/uploads", uploads.begin_upload),
        ("POST", r"(upload:[^/]+)", uploads.add_to_upload),
        ("GET", r"(upload:[^/]+)", uploads.upload_state),
        ("GET", r"oauth/access_token", tokens.oauth),
        ("GET", r"me", tokens.me),
        ("GET", r"debug_token", tokens.debug_token),
        ("GET", r"(\d+)", objects.get_object),
        ("POST", r"(\d+)", objects.change_object),
        ("DELETE", r"(\d+)", objects.delete_object),
    )
]
