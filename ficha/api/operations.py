"""Joins every JSON operation to the application, area by area."""

from fastapi import FastAPI

from ficha.api.accounts import auth, email, local, phone, test_registration, tokens
from ficha.api.emergencies import emergencies, events
from ficha.api.fmd import changes, grants, history, schemas_and_terms
from ficha.api.messaging import files, gateway, messages, platform_account, uploads, webhook
from ficha.api.products import products, qr
from ficha.api.utilities import health, maps
from ficha.core.settings import Settings


def join_all(app: FastAPI, settings: Settings) -> None:
    v1, v2 = settings.v1, settings.v2
    whatsapp = f"{v2}/{settings.integration}"
    for part in (auth, tokens, phone, email):
        part.routes.join(app, v2)
    # Names like /fmd/schemas come before /fmd/{code}.
    for part in (schemas_and_terms, history, grants, changes, products, qr):
        part.routes.join(app, v2)
    for part in (messages, files, uploads, platform_account):
        part.routes.join(app, whatsapp)
    for part in (emergencies, events, maps):
        part.routes.join(app, v2)
    webhook.inbox.join(app, whatsapp)
    webhook.webhook.join(app, f"{v2}/webhook/{settings.messaging_channel}")
    gateway.routes.join(app)
    auth.csrf.join(app, f"/{settings.csrf_scope}")
    test_registration.routes.join(app, settings.test)
    local.routes.join(app, v1)
    health.welcome.join(app, v1)
    health.health.join(app)
