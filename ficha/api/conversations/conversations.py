"""Conversations of the account, their labels and messages, as an agent sees them. `id` is the one that is displayed."""

from starlette.responses import Response

from ficha.api.conversations.examples import CONVERSATION, MESSAGE, example_body
from ficha.api.conversations.parameters import AGENT, BODY_ERRORS, ERRORS, RESPONSES, Labels, Number, Text
from ficha.api.conversations.passing_on import Passing, ServedPassedOn
from ficha.api.operations import Operations

operations = Operations(
    "conversations",
    prefix="/accounts/{account_id}",
    served=ServedPassedOn,
    door="platform",
    credentials=AGENT,
    responses=RESPONSES,
    response_class=Response,
)


@operations.post(
    "/conversations/{id}/labels",
    "Conversation labels",
    seed=True,
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
    seed=True,
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
    seed=True,
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
    seed=True,
    errors=BODY_ERRORS,
    example=MESSAGE,
    body=example_body({"content": "La ambulancia va en camino", "message_type": "outgoing", "private": False}),
)
async def send_simple_message(passing: Passing, account_id: Number, id: Number) -> Response:
    """A message in the conversation; with `private`, a note that the contact never sees."""
    return await passing.to_account(account_id, "conversations", id, "messages")
