"""One OpenAPI document for all worlds that serve the same."""

from typing import Any

from ficha.asgi.application import Application
from ficha.core.settings import Settings

_documents: dict[tuple[str, ...], dict[str, Any]] = {}


def share_document(app: Application, settings: Settings) -> None:
    """Worlds that serve the same addresses have one OpenAPI document: it is made from the code, in more than a
    second."""
    addresses = (settings.v1, settings.v2, settings.integration, settings.messaging_channel, settings.csrf_scope)
    key = (settings.api_version, settings.test, *addresses)
    describe = app.openapi

    def document() -> dict[str, Any]:
        if key not in _documents:
            _documents[key] = describe()
        return _documents[key]

    app.openapi = document
