"""What a contact may do, by the names of the inbox and its own there, which are the secret: no token is needed."""

from starlette.responses import Response

from ficha.api.conversations.examples import CONTACT_RECORD, PUBLIC_CONVERSATION, example_body
from ficha.api.conversations.parameters import ANYBODY, BODY_ERRORS, ERRORS, RESPONSES, Contact, Inbox
from ficha.api.conversations.passing_on import Passing, ServedPassedOn
from ficha.api.operations import Operations

operations = Operations(
    "conversations",
    prefix="/inboxes",
    served=ServedPassedOn,
    door="platform",
    credentials=ANYBODY,
    responses=RESPONSES,
    response_class=Response,
)


@operations.get(
    "/{inbox_id}/contacts/{contact_id}/conversations",
    "Find conversation for contact (public)",
    seed=True,
    errors=ERRORS,
    example=[PUBLIC_CONVERSATION],
)
async def find_public_conversations(passing: Passing, inbox_id: Inbox, contact_id: Contact) -> Response:
    """All conversations of a contact with all their messages. `inbox_id` is the inbox's identifier, `contact_id` the
    contact's `source_id` in it."""
    return await passing.to_inbox(inbox_id, "contacts", contact_id, "conversations")


@operations.patch(
    "/{inbox_identifier}/contacts/{source_id}",
    "Update Contact information (public)",
    seed=True,
    errors=BODY_ERRORS,
    example=CONTACT_RECORD,
    body=example_body({"name": "María Rojas", "phone_number": "+584125551111"}),
)
async def update_public_contact(passing: Passing, inbox_identifier: Inbox, source_id: Contact) -> Response:
    """Changes the contact, and answers with its whole record. Blank values are ignored; an email or phone of another
    contact merges the two."""
    return await passing.to_inbox(inbox_identifier, "contacts", source_id)
