"""The errors of the platform: codes, HTTP statuses, and their JSON in responses and notifications."""

import secrets
from typing import Any, NamedTuple

HREF = "https://developers.facebook.com/docs/whatsapp/cloud-api/support/error-codes/"


class ErrorKind(NamedTuple):
    status: int
    title: str
    details: str = ""


# The platform's own table. Its OpenAPI document names another status for some.
CODES: dict[int, ErrorKind] = {
    0: ErrorKind(401, "AuthException"),
    1: ErrorKind(400, "API Unknown"),
    2: ErrorKind(503, "API Service"),
    3: ErrorKind(500, "API Method"),
    4: ErrorKind(400, "Application request limit reached"),
    10: ErrorKind(403, "Application does not have permission for this action"),
    17: ErrorKind(429, "User request limit reached"),
    33: ErrorKind(400, "Parameter value is not valid"),
    100: ErrorKind(400, "Invalid parameter"),
    101: ErrorKind(400, "Error validating application. Cannot get application info due to a system error."),
    104: ErrorKind(401, "An access token is required to request this resource."),
    190: ErrorKind(401, "Invalid OAuth access token - Cannot parse access token"),
    200: ErrorKind(403, "You do not have the necessary permissions to perform this action"),
    368: ErrorKind(403, "Temporarily blocked for policies violations"),
    613: ErrorKind(400, "Calls to this api have exceeded the rate limit."),
    803: ErrorKind(404, "Some of the aliases you requested do not exist"),
    2500: ErrorKind(400, "An active access token must be used to query information about the current user."),
    80007: ErrorKind(400, "Rate limit issues"),
    80008: ErrorKind(400, "There have been too many calls to this WhatsApp Business account."),
    130429: ErrorKind(
        400,
        "Rate limit hit",
        "Message failed to send because there were too many messages sent from this phone number in a short period"
        " of time",
    ),
    130472: ErrorKind(400, "User's number is part of an experiment", "Message was not sent as part of an experiment."),
    130497: ErrorKind(403, "Business account is restricted from messaging users in this country."),
    131000: ErrorKind(500, "Something went wrong", "Message failed to send due to an unknown error."),
    131005: ErrorKind(403, "Access denied"),
    131008: ErrorKind(400, "Required parameter is missing"),
    131009: ErrorKind(400, "Parameter value is not valid"),
    131016: ErrorKind(500, "Service unavailable"),
    131021: ErrorKind(400, "Recipient cannot be sender", "Sender and recipient phone number is the same."),
    131026: ErrorKind(400, "Message undeliverable", "Message Undeliverable."),
    131030: ErrorKind(
        400,
        "Recipient phone number not in allowed list",
        "Recipient phone number not in allowed list: Add recipient phone number to recipient list and try again.",
    ),
    131031: ErrorKind(403, "Account has been locked"),
    131037: ErrorKind(400, "Display name is not approved"),
    131042: ErrorKind(400, "Business eligibility payment issue"),
    131045: ErrorKind(500, "Incorrect certificate"),
    131047: ErrorKind(
        400,
        "Re-engagement message",
        "Message failed to send because more than 24 hours have passed since the customer last replied to this number.",
    ),
    131048: ErrorKind(400, "Spam rate limit hit"),
    131049: ErrorKind(
        400,
        "This message was not delivered to maintain healthy ecosystem engagement.",
        "In order to maintain a healthy ecosystem engagement, the message failed to be delivered.",
    ),
    131050: ErrorKind(400, "User has stopped marketing messages from this business"),
    131051: ErrorKind(400, "Message type unknown", "Message type is currently not supported."),
    131052: ErrorKind(400, "Media download error"),
    131053: ErrorKind(400, "Media upload error"),
    131056: ErrorKind(
        400,
        "(Business Account, Consumer Account) pair rate limit hit",
        "Message failed to send because there were too many messages sent from this phone number to the same phone"
        " number in a short period of time.",
    ),
    131057: ErrorKind(500, "Account in maintenance mode"),
    131062: ErrorKind(400, "Business-scoped user ID is not supported for this message"),
    131063: ErrorKind(400, "Marketing template is not allowed here"),
    131064: ErrorKind(400, "Limit after classification violations"),
    132000: ErrorKind(400, "Number of parameters does not match the expected number of params"),
    132001: ErrorKind(404, "Template name does not exist in the translation"),
    132005: ErrorKind(400, "Translated text too long"),
    132007: ErrorKind(400, "Template format character policy violated"),
    132008: ErrorKind(400, "Template parameter value is not valid"),
    132012: ErrorKind(400, "Parameter format does not match format in the created template"),
    132015: ErrorKind(400, "Template is paused", "Template is paused due to low quality so it cannot be sent."),
    132016: ErrorKind(400, "Template is disabled", "Template has been paused too many times due to low quality."),
    132068: ErrorKind(400, "Flow is in blocked state"),
    132069: ErrorKind(400, "Flow is in throttled state"),
    133000: ErrorKind(500, "Deregistration incomplete"),
    133004: ErrorKind(503, "Server temporarily unavailable"),
    133005: ErrorKind(400, "Two step verification PIN mismatch"),
    133006: ErrorKind(400, "Phone number re-verification needed"),
    133008: ErrorKind(400, "Too many two step verification PIN guesses"),
    133009: ErrorKind(400, "Two step verification PIN guessed too fast"),
    133010: ErrorKind(400, "Account not registered"),
    133015: ErrorKind(400, "Please wait a few minutes before attempting to register this phone number"),
    133016: ErrorKind(400, "Account register/deregister rate limit exceeded"),
    134011: ErrorKind(400, "Payments terms of service not accepted"),
    135000: ErrorKind(400, "Generic user error"),
    136024: ErrorKind(400, "Request code error"),
    137000: ErrorKind(400, "User identity hash mismatch", "The recipient's identity key hash does not match."),
    139001: ErrorKind(400, "Flow can't be updated", "Once published, a Flow and its assets can't be updated."),
    139002: ErrorKind(400, "Publishing Flow failed"),
    139003: ErrorKind(400, "Deprecating Flow failed"),
    139004: ErrorKind(400, "Can't delete published Flow", "Only a draft can be deleted."),
}
# Their messages do not begin with `(#code)`.
_WITHOUT_CODE = frozenset({1, 101, 104, 190, 2500, 136024})
_TOKEN_CODES = frozenset({0, 104, 190, 2500})


class GraphError(Exception):
    """An error that the Graph API answers with."""

    def __init__(
        self,
        code: int,
        details: str | None = None,
        *,
        message: str | None = None,
        subcode: int | None = None,
        status: int | None = None,
        type_: str = "OAuthException",
    ) -> None:
        kind = CODES.get(code, ErrorKind(400, "Unknown"))
        self.code = code
        self.status = status or kind.status
        self.message = message or (kind.title if code in _WITHOUT_CODE else f"(#{code}) {kind.title}")
        self.details = details if details is not None else kind.details or None
        self.subcode = subcode
        self.type = type_
        super().__init__(self.message)

    @property
    def body(self) -> dict[str, Any]:
        error: dict[str, Any] = {"message": self.message, "type": self.type, "code": self.code}
        if self.details:
            error["error_data"] = {"messaging_product": "whatsapp", "details": self.details}
        if self.subcode is not None:
            error["error_subcode"] = self.subcode
        if self.code in (1, 2, 131000, 131016, 133004):
            error["is_transient"] = True
        return {"error": error | {"fbtrace_id": f"A{secrets.token_urlsafe(16)}"}}

    @property
    def headers(self) -> dict[str, str]:
        if self.code not in _TOKEN_CODES:
            return {}
        return {"WWW-Authenticate": f'OAuth "Facebook Platform" "invalid_request" "{self.message}"'}


def invalid_parameter(message: str) -> GraphError:
    """For a missing or wrong parameter, in the words of the Graph API."""
    return GraphError(100, message=f"(#100) {message}")


def no_such_object(object_id: str, method: str) -> GraphError:
    return GraphError(
        100,
        message=(
            f"Unsupported {method.lower()} request. Object with ID '{object_id}' does not exist, cannot be loaded due"
            " to missing permissions, or does not support this operation. Please read the Graph API documentation at"
            " https://developers.facebook.com/docs/graph-api"
        ),
        subcode=33,
        type_="GraphMethodException",
    )


def webhook_error(code: int, details: str | None = None) -> dict[str, Any]:
    """An error as a notification holds it."""
    kind = CODES.get(code, ErrorKind(400, "Unknown"))
    return {
        "code": code,
        "title": kind.title,
        "message": kind.title,
        "error_data": {"details": details or kind.details or kind.title},
        "href": HREF,
    }
