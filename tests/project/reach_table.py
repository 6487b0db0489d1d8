"""What each kind of caller reaches of one real person: her emergency, the messages about it, their file, its events.

The table of callers asks for what does not exist where an operation names one thing; here that thing is somebody's.
"""

from collections.abc import Mapping
from dataclasses import dataclass

# Every operation of these areas has a row below, or is named as one that concerns no person.
AREAS = ("messaging", "emergencies")
# What these ask for is real in the table of callers already, or belongs to another platform, which has its own rules.
OTHER_AREAS = {"accounts", "fmd", "products", "conversations", "utilities", "administration"}

# Of María, whose number was alerted, and of whoever has no right to the record.
STRANGERS = (
    "ended delegate",
    "delegate of an ended guardian",
    "invited",
    "other institution",
    "other owner",
    "medical",
    "contact",
)
FAMILY = ("owner", "guardian", "editor", "delegate", "institution", "delegate of a guardian")
STAFF = ("staff", "admin")
CALLERS = ("none", "responder", *STRANGERS, *FAMILY, *STAFF)

NOT_STAFF = dict.fromkeys((*STRANGERS, *FAMILY), 403) | {"none": 401, "responder": 401}
NOT_FAMILY = dict.fromkeys((*STRANGERS, *STAFF), 404) | {"none": 401, "responder": 401}
# Staff get an emergency once nobody of the family has answered.
WITH_STAFF = NOT_FAMILY | dict.fromkeys(STAFF, 200)
MAY_READ = dict.fromkeys(FAMILY, 200)
MAY_CHANGE = {"owner": 200, "guardian": 200, "editor": 200, "delegate": 403, "institution": 403}
MAY_CHANGE["delegate of a guardian"] = 403


@dataclass(frozen=True)
class Reach:
    """A request about the person, the status for each caller, and who is told the words that are private."""

    method: str
    path: str
    statuses: dict[str, int]
    told: tuple[str, ...] = ()
    body: Mapping[str, str] | None = None
    # After the ladder has given the emergency to staff.
    is_with_staff: bool = False


# In words that are private, as the contact's are.
NOTE = {"texto": "La madre dice que está en la cocina."}
WHY = {"motivo": "La familia pide que le repitan el mensaje."}

REACH: dict[str, tuple[Reach, ...]] = {
    "Message": (
        Reach("GET", "/v2/whatsapp/messages/{alert}", NOT_STAFF | dict.fromkeys(STAFF, 200)),
        Reach("GET", "/v2/whatsapp/messages/{reply}", NOT_STAFF | dict.fromkeys(STAFF, 200)),
        Reach("GET", "/v2/whatsapp/messages/{photo}", NOT_STAFF | dict.fromkeys(STAFF, 200)),
    ),
    # Before anybody opens the message that it came with.
    "Media download": (Reach("GET", "/v2/whatsapp/media/{media}", NOT_STAFF | dict.fromkeys(STAFF, 403)),),
    "Open message": (
        Reach(
            "POST", "/v2/whatsapp/messages/{alert}/open", NOT_STAFF | dict.fromkeys(STAFF, 200), told=STAFF, body=WHY
        ),
        Reach(
            "POST", "/v2/whatsapp/messages/{reply}/open", NOT_STAFF | dict.fromkeys(STAFF, 200), told=STAFF, body=WHY
        ),
    ),
    "Emergencies": (Reach("GET", "/v2/emergencies", dict.fromkeys(CALLERS, 200) | {"none": 401, "responder": 401}),),
    "Emergency": (
        Reach("GET", "/v2/emergencies/{emergency}", NOT_FAMILY | MAY_READ, told=FAMILY),
        # With the place, which is what helps, and without the names of the family.
        Reach("GET", "/v2/emergencies/{emergency}", WITH_STAFF | MAY_READ, told=(*FAMILY, *STAFF), is_with_staff=True),
    ),
    "Change emergency": (
        Reach("PATCH", "/v2/emergencies/{emergency}", NOT_FAMILY | MAY_CHANGE, body={"state": "acknowledged"}),
        Reach(
            "PATCH",
            "/v2/emergencies/{emergency}",
            NOT_FAMILY | MAY_CHANGE | dict.fromkeys(STAFF, 403),
            body={"state": "acknowledged"},
            is_with_staff=True,
        ),
    ),
    "Take emergency": (
        Reach("POST", "/v2/emergencies/{emergency}/take", NOT_STAFF | dict.fromkeys(STAFF, 404)),
        # Staff comes first in the table, and has it then.
        Reach("POST", "/v2/emergencies/{emergency}/take", NOT_STAFF | {"staff": 200, "admin": 409}, is_with_staff=True),
    ),
    "Write emergency note": (
        Reach("POST", "/v2/emergencies/{emergency}/notes", NOT_STAFF | dict.fromkeys(STAFF, 404), body=NOTE),
        Reach(
            "POST",
            "/v2/emergencies/{emergency}/notes",
            NOT_STAFF | dict.fromkeys(STAFF, 201),
            body=NOTE,
            is_with_staff=True,
        ),
    ),
    "Emergency notes": (
        Reach("GET", "/v2/emergencies/{emergency}/notes", NOT_STAFF | dict.fromkeys(STAFF, 404)),
        Reach("GET", "/v2/emergencies/{emergency}/notes", NOT_STAFF | dict.fromkeys(STAFF, 200), is_with_staff=True),
    ),
    "Open emergency note": (
        Reach("POST", "/v2/emergencies/{emergency}/notes/1/open", NOT_STAFF | dict.fromkeys(STAFF, 404), body=WHY),
        Reach(
            "POST",
            "/v2/emergencies/{emergency}/notes/1/open",
            NOT_STAFF | dict.fromkeys(STAFF, 200),
            told=STAFF,
            body=WHY,
            is_with_staff=True,
        ),
    ),
    "Hand back emergency": (
        Reach(
            "POST",
            "/v2/emergencies/{emergency}/hand-back",
            NOT_STAFF | {"staff": 200, "admin": 409},
            body=WHY,
            is_with_staff=True,
        ),
    ),
    # This service has no help desk; tests/conversations has one.
    "Emergency conversation": (
        Reach(
            "POST",
            "/v2/emergencies/{emergency}/conversation",
            NOT_STAFF | dict.fromkeys(STAFF, 409),
            is_with_staff=True,
        ),
    ),
    # With the code and no tag: whoever may open the record may alert its family. It joins the one under way.
    "Create emergency": (Reach("POST", "/v2/emergencies", NOT_FAMILY | MAY_READ, body={"code": "{code}"}),),
}

# Which kinds of events each caller is sent. Whoever is not named here is sent none.
OF_RECORD = frozenset({"record.changed", "access.opened", "access.offered", "access.granted", "access.withdrawn"})
OF_EMERGENCY = frozenset({"emergency.opened", "emergency.changed"})
EVENTS = {
    "owner": OF_RECORD | OF_EMERGENCY,
    "guardian": OF_RECORD | OF_EMERGENCY,
    "staff": OF_EMERGENCY | {"message.state", "message.received"},
    "admin": OF_EMERGENCY | {"message.state", "message.received"},
    "contact": frozenset({"message.received"}),
}

# They send what staff write, or are about our own account with the platform; the table of callers has them.
CONCERNS_NO_PERSON = {
    "Template message sending",
    "Send Location Message",
    "Send text message",
    "Send media message",
    "Media Test",
    "Resumable upload: start",
    "Resumable upload: bytes",
    "Resumable upload: offset",
    "oauth",
    "Test Connection",
    "Notifications",
    "Platform phone: request code",
    "Platform phone: verify code",
    "Inbox",
    "Webhook",
    "Webhook handshake",
    "Read receipt",
}
