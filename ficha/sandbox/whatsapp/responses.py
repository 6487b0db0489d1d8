"""Responses of the Graph API: success, and an error with its headers."""

from ficha.sandbox.http_messages import HttpResponse, json_response
from ficha.sandbox.whatsapp.errors import GraphError


def success_response() -> HttpResponse:
    return json_response({"success": True})


def error_response(error: GraphError) -> HttpResponse:
    plain = json_response(error.body, error.status)
    return HttpResponse(plain.status, plain.body, {**plain.headers, **error.headers})
