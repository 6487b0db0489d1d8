"""The paths of both APIs, and who may call them."""

import re
from collections.abc import Callable, Sequence

from ficha.sandbox.chatwoot.agents import User
from ficha.sandbox.chatwoot.errors import not_found, not_signed_in, public_not_found, text_error
from ficha.sandbox.chatwoot.operations import account, contacts, conversations, labels, messages, public
from ficha.sandbox.chatwoot.operations.call import Call
from ficha.sandbox.chatwoot.platform import ChatwootPlatform
from ficha.sandbox.http_messages import HttpRequest, HttpResponse

APPLICATION, PUBLIC, FILES = "/api/v1/", "/public/api/v1/", "/rails/active_storage/"
_Operation = Callable[..., HttpResponse]
_Routes = Sequence[tuple[str, re.Pattern[str], _Operation]]


def answer(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    """Raises ChatwootError."""
    if request.path.startswith(PUBLIC):
        found = _route(_PUBLIC, request, request.path.removeprefix(f"{PUBLIC}inboxes/"))
        if found is None:
            raise public_not_found()
        operation, groups = found
        return operation(Call(platform, request), *groups)
    if request.path.startswith(FILES):
        return _file(platform, request.path)
    return _answer_agent(platform, request)


def _answer_agent(platform: ChatwootPlatform, request: HttpRequest) -> HttpResponse:
    user = _user(platform, request)
    if request.path == f"{APPLICATION}profile" and request.method == "GET":
        return account.profile(Call(platform, request, user))
    within = re.fullmatch(r"accounts/([^/]+)/(.+)", request.path.removeprefix(APPLICATION))
    if within is None:
        raise not_found()
    _check_account(platform, user, within[1])
    found = _route(_ROUTES, request, within[2])
    if found is None:
        raise not_found()
    operation, groups = found
    call = Call(platform, request, user)
    if operation not in _FOR_BOTS:
        call.refuse_bots()
    return operation(call, *groups)


def _user(platform: ChatwootPlatform, request: HttpRequest) -> User:
    # Both spellings are one name to the server that runs it.
    token = request.headers.get("api_access_token") or request.headers.get("api-access-token")
    if not token:
        raise not_signed_in()
    user = platform.agents.with_token(token)
    if user is None:
        raise text_error(401, "Invalid Access Token")
    return user


def _check_account(platform: ChatwootPlatform, user: User, given: str) -> None:
    found = platform.agents.accounts.get(int(given) if given.isdigit() and len(given) < 19 else 0)
    if found is None:
        raise not_found()
    if found.is_suspended:
        raise text_error(401, "Account is suspended")
    if found.id not in user.account_ids:
        raise text_error(401, "You are not authorized to access this account")


def _route(routes: _Routes, request: HttpRequest, path: str) -> tuple[_Operation, tuple[str, ...]] | None:
    for method, pattern, operation in routes:
        if method == request.method and (found := pattern.fullmatch(path)):
            return operation, found.groups()
    return None


def _file(platform: ChatwootPlatform, path: str) -> HttpResponse:
    number = path.removeprefix(f"{FILES}blobs/").partition("/")[0]
    for conversation in platform.conversations.values():
        for message in conversation.messages:
            for each in message.attachments:
                if str(each.id) == number:
                    headers = {"Content-Type": each.content_type, "Content-Security-Policy": "sandbox"}
                    return HttpResponse(200, each.content, headers)
    raise not_found()


_ROUTES: _Routes = [
    (method, re.compile(pattern), operation)
    for method, pattern, operation in (
        ("GET", r"contacts", contacts.list_contacts),
        ("POST", r"contacts", contacts.create_contact),
        ("GET", r"contacts/search", contacts.search_contacts),
        ("POST", r"contacts/filter", contacts.filter_contacts),
        ("GET", r"contacts/([^/]+)", contacts.get_contact),
        ("PUT", r"contacts/([^/]+)", contacts.update_contact),
        ("PATCH", r"contacts/([^/]+)", contacts.update_contact),
        ("DELETE", r"contacts/([^/]+)", contacts.delete_contact),
        ("GET", r"contacts/([^/]+)/conversations", contacts.contact_conversations),
        ("GET", r"contacts/([^/]+)/labels", contacts.contact_labels),
        ("POST", r"contacts/([^/]+)/labels", contacts.set_contact_labels),
        ("POST", r"contacts/([^/]+)/contact_inboxes", contacts.join_inbox),
        ("GET", r"conversations", conversations.list_conversations),
        ("POST", r"conversations", conversations.create_conversation),
        ("POST", r"conversations/filter", conversations.filter_conversations),
        ("GET", r"conversations/([^/]+)", conversations.get_conversation),
        ("GET", r"conversations/([^/]+)/labels", conversations.conversation_labels),
        ("POST", r"conversations/([^/]+)/labels", conversations.set_conversation_labels),
        ("POST", r"conversations/([^/]+)/toggle_status", conversations.toggle_status),
        ("POST", r"conversations/([^/]+)/assignments", conversations.assign),
        ("GET", r"conversations/([^/]+)/messages", messages.list_messages),
        ("POST", r"conversations/([^/]+)/messages", messages.create_message),
        ("PATCH", r"conversations/([^/]+)/messages/(\d+)", messages.change_message),
        ("GET", r"labels", labels.list_labels),
        ("POST", r"labels", labels.create_label),
        ("GET", r"inboxes", account.list_inboxes),
        ("GET", r"webhooks", account.list_webhooks),
        ("POST", r"webhooks", account.create_webhook),
        ("PATCH", r"webhooks/(\d+)", account.update_webhook),
        ("DELETE", r"webhooks/(\d+)", account.delete_webhook),
    )
]
_FOR_BOTS = {
    conversations.create_conversation,
    conversations.toggle_status,
    conversations.assign,
    messages.create_message,
}
_CONVERSATION = r"([^/]+)/contacts/([^/]+)/conversations"
_PUBLIC: _Routes = [
    (method, re.compile(pattern), operation)
    for method, pattern, operation in (
        ("GET", r"([^/]+)", public.inbox),
        ("POST", r"([^/]+)/contacts", public.create_contact),
        ("GET", r"([^/]+)/contacts/([^/]+)", public.get_contact),
        ("PATCH", r"([^/]+)/contacts/([^/]+)", public.update_contact),
        ("GET", _CONVERSATION, public.list_conversations),
        ("POST", _CONVERSATION, public.create_conversation),
        ("GET", rf"{_CONVERSATION}/(\d+)", public.get_conversation),
        ("POST", rf"{_CONVERSATION}/(\d+)/toggle_status", public.toggle_status),
        ("POST", rf"{_CONVERSATION}/(\d+)/toggle_typing", public.toggle_typing),
        ("POST", rf"{_CONVERSATION}/(\d+)/update_last_seen", public.update_last_seen),
        ("GET", rf"{_CONVERSATION}/(\d+)/messages", public.list_messages),
        ("POST", rf"{_CONVERSATION}/(\d+)/messages", public.create_message),
        ("PATCH", rf"{_CONVERSATION}/(\d+)/messages/(\d+)", public.change_message),
    )
]
