"""What is passed on to the conversation platform. What an agent does is below `/accounts`, where the `id` of a
conversation is the one that is displayed. What a contact may do is below `/inboxes`, by the names of the inbox and its
own there, which are the secret: no token is needed."""

from starlette.responses import Response

from ficha.api.conversations.descriptions import (
    AGENT,
    ANYBODY,
    BODY_ERRORS,
    CONTACT,
    CONTACT_RECORD,
    CONVERSATION,
    ERRORS,
    MESSAGE,
    PUBLIC_CONVERSATION,
    RESPONSES,
    Contact,
    Inbox,
    Labels,
    Number,
    Text,
    example_body,
)
from ficha.api.conversations.passing_on import Passing, ServedPassedOn
from ficha.api.operations import Declaration, Operations

SHARED: Declaration = {"callers": "platform", "seed": True, "responses": RESPONSES, "response_class": Response}
AS_ANYBODY, AS_AGENT = SHARED | {"credentials": ANYBODY}, SHARED | {"credentials": AGENT}
public_operations = Operations("conversations", "/inboxes", served=ServedPassedOn, **AS_ANYBODY)
operations = Operations("conversations", "/accounts/{account_id}", served=ServedPassedOn, **AS_AGENT)


@public_operations.get(
    "/{inbox_id}/contacts/{contact_id}/conversations",
    "Find conversation for contact (public)",
    errors=ERRORS,
    example=[PUBLIC_CONVERSATION],
)
async def find_public_conversations(passing: Passing, inbox_id: Inbox, contact_id: Contact) -> Response:
    """All conversations of a contact with all their messages. `inbox_id` is the inbox's identifier, `contact_id` the
    contact's `source_id` in it."""
    return await passing.to_inbox(inbox_id, "contacts", contact_id, "conversations")


@public_operations.patch(
    "/{inbox_identifier}/contacts/{source_id}",
    "Update Contact information (public)",
    errors=BODY_ERRORS,
    example=CONTACT_RECORD,
    body=example_body({"name": "María Rojas", "phone_number": "+584125551111"}),
)
async def update_public_contact(passing: Passing, inbox_identifier: Inbox, source_id: Contact) -> Response:
    """Changes the contact, and answers with its whole record. Blank values are ignored; an email or phone of another
    contact merges the two."""
    return await passing.to_inbox(inbox_identifier, "contacts", source_id)


@operations.get(
    "/contacts", "Get Contacts", errors=ERRORS, example={"meta": {"count": 1, "current_page": 1}, "payload": [CONTACT]}
)
async def get_contacts(
    passing: Passing,
    account_id: Number,
    page: Text = None,
    sort: Text = None,
    labels: Labels = None,
    include_contact_inboxes: Text = None,
) -> Response:
    """Contacts with an email, a phone or an identifier, fifteen a page."""
    return await passing.to_account(account_id, "contacts")


@operations.get(
    "/contacts/search",
    "Find Contacts",
    errors=ERRORS,
    example={"meta": {"count": 1, "current_page": 1, "has_more": False}, "payload": [CONTACT]},
)
async def find_contacts(
    passing: Passing,
    account_id: Number,
    q: Text = None,
    page: Text = None,
    sort: Text = None,
    include_contact_inboxes: Text = None,
) -> Response:
    """Contacts whose name, email, phone or identifier contains `q`. Write a `+` as `%2B`."""
    return await passing.to_account(account_id, "contacts", "search")


@operations.post(
    "/contacts",
    "Create Contact",
    errors=BODY_ERRORS,
    example={"payload": {"contact": CONTACT, "contact_inbox": {"inbox": None, "source_id": None}}},
    body=example_body({"name": "Pedro Pérez", "phone_number": "+584145552222"}),
    example_once=True,
)
async def create_contact(passing: Passing, account_id: Number) -> Response:
    """A new contact. Its email, phone and identifier are unique in the account; `inbox_id` puts it into an inbox."""
    return await passing.to_account(account_id, "contacts")


@operations.post(
    "/contacts/{id}/labels",
    "Add Labels to Contacts",
    errors=BODY_ERRORS,
    example={"payload": ["vip"]},
    body=example_body({"labels": ["vip"]}),
)
async def add_labels_to_contact(passing: Passing, account_id: Number, id: Number) -> Response:
    """The given list replaces the contact's labels. A comma in a label makes two of it."""
    return await passing.to_account(account_id, "contacts", id, "labels")


@operations.get(
    "/contacts/{id}/conversations", "Find Conversations for Contact", errors=ERRORS, example={"payload": [CONVERSATION]}
)
async def find_conversations_for_contact(passing: Passing, account_id: Number, id: Number) -> Response:
    """The contact's conversations that the token may see, newest activity first, twenty at most."""
    return await passing.to_account(account_id, "contacts", id, "conversations")


@operations.post(
    "/conversations/{id}/labels",
    "Conversation labels",
    errors=BODY_ERRORS,
    example={"payload": ["emergencia", "es"]},
    body=example_body({"labels": ["emergencia", "es"]}),
)
async def conversation_labels(passing: Passing, account_id: Number, id: Number) -> Response:
    """The given list replaces the conversation's labels: `[]` removes all. A comma in a label makes two of it."""
    return await passing.to_account(account_id, "conversations", id, "labels")


@operations.get(
    "/labels",
    "List Labels",
    errors=ERRORS,
    example={
        "payload": [{"id": 1, "title": "emergencia", "description": None, "color": "#1f93ff", "show_on_sidebar": True}]
    },
)
async def list_labels(passing: Passing, account_id: Number) -> Response:
    """The labels that the account has defined, by title. Others can be used too."""
    return await passing.to_account(account_id, "labels")


@operations.get(
    "/conversations",
    "Get Conversations",
    errors=ERRORS,
    example={
        "data": {
            "meta": {"mine_count": 1, "assigned_count": 1, "unassigned_count": 0, "all_count": 1},
            "payload": [CONVERSATION],
        }
    },
)
async def get_conversations(
    passing: Passing,
    account_id: Number,
    status: Text = None,
    assignee_type: Text = None,
    inbox_id: Text = None,
    team_id: Text = None,
    labels: Labels = None,
    q: Text = None,
    source_id: Text = None,
    sort_by: Text = None,
    updated_within: Text = None,
    page: Text = None,
) -> Response:
    """Open conversations, unless `status` says otherwise, twenty-five a page."""
    return await passing.to_account(account_id, "conversations")


@operations.post(
    "/conversations/{id}/messages",
    "Send Simple Messages To Conversation Platform",
    errors=BODY_ERRORS,
    example=MESSAGE,
    body=example_body({"content": "La ambulancia va en camino", "message_type": "outgoing", "private": False}),
)
async def send_simple_message(passing: Passing, account_id: Number, id: Number) -> Response:
    """A message in the conversation; with `private`, a note that the contact never sees."""
    return await passing.to_account(account_id, "conversations", id, "messages")
