"""Contacts of the account, as an agent sees them."""

from starlette.responses import Response

from ficha.api.conversations.examples import CONTACT, CONVERSATION, example_body
from ficha.api.conversations.parameters import AGENT, BODY_ERRORS, ERRORS, RESPONSES, Labels, Number, Text
from ficha.api.conversations.passing_on import Passing, ServedPassedOn
from ficha.api.operations import Operations

operations = Operations(
    "conversations",
    prefix="/accounts/{account_id}/contacts",
    served=ServedPassedOn,
    door="platform",
    credentials=AGENT,
    responses=RESPONSES,
    response_class=Response,
)


@operations.get(
    "",
    "Get Contacts",
    seed=True,
    errors=ERRORS,
    example={"meta": {"count": 1, "current_page": 1}, "payload": [CONTACT]},
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
    "/search",
    "Find Contacts",
    seed=True,
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
    "",
    "Create Contact",
    seed=True,
    errors=BODY_ERRORS,
    example={"payload": {"contact": CONTACT, "contact_inbox": {"inbox": None, "source_id": None}}},
    body=example_body({"name": "Pedro Pérez", "phone_number": "+584145552222"}),
)
async def create_contact(passing: Passing, account_id: Number) -> Response:
    """A new contact. Its email, phone and identifier are unique in the account; `inbox_id` puts it into an inbox."""
    return await passing.to_account(account_id, "contacts")


@operations.post(
    "/{id}/labels",
    "Add Labels to Contacts",
    seed=True,
    errors=BODY_ERRORS,
    example={"payload": ["vip"]},
    body=example_body({"labels": ["vip"]}),
)
async def add_labels_to_contact(passing: Passing, account_id: Number, id: Number) -> Response:
    """The given list replaces the contact's labels. A comma in a label makes two of it."""
    return await passing.to_account(account_id, "contacts", id, "labels")


@operations.get(
    "/{id}/conversations",
    "Find Conversations for Contact",
    seed=True,
    errors=ERRORS,
    example={"payload": [CONVERSATION]},
)
async def find_conversations_for_contact(passing: Passing, account_id: Number, id: Number) -> Response:
    """The contact's conversations that the token may see, newest activity first, twenty at most."""
    return await passing.to_account(account_id, "contacts", id, "conversations")
