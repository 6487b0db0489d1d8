"""For each operation, a good request and the status that each kind of caller gets for it."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from ficha.api.messaging.webhook import NOTIFICATION
from tests.world import CLAVE, Person, World, new_correo, registration

# Who gets which status. Whoever is not named gets the status after "else".
PUBLIC = {"else": 200}
ANYBODY_KNOWN = {"none": 401, "expired": 401, "responder": 401, "else": 200}
READS = {
    "none": 401,
    "expired": 401,
    "responder": 401,
    "owner": 200,
    "guardian": 200,
    "editor": 200,
    "delegate": 200,
    "institution": 200,
    "else": 404,
}
CHANGES = READS | {"delegate": 403, "institution": 403}
MANAGES = CHANGES | {"editor": 403}
OWNS = READS | {"editor": 404, "delegate": 404, "institution": 404}
ADMINISTERS = {"none": 401, "expired": 401, "responder": 401, "admin": 200, "else": 403}
TOLD = {"none": 401, "expired": 401, "responder": 401, "institution": 200, "other institution": 200, "else": 403}
TOLD |= {"staff": 200, "admin": 200}
STAFFED = ADMINISTERS | {"staff": 200}
# At these operations no token of ours means anything, whoever shows it; at three of them a signature does.
NO_TOKEN_OF_OURS = {"else": 401}
SIGNED = {"signed": 200, "else": 401}
# A token of the platform is passed on, and none at all is; one of ours opens these to staff only.
CONVERSES = {"none": 401, "expired": 401, "responder": 401, "staff": 200, "admin": 200, "else": 403}
TO = {"to": "+584125551111"}
CONTACT = {
    "nombre": "María",
    "relacion": "madre",
    "cod_telefono": "+58",
    "telefono": "4125551111",
    "canales": ["whatsapp"],
}

# What a hospital wrote.
IMPORTED = {"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Patient"}}]}


DEVICE = {
    "endpoint": "https://fcm.googleapis.com/fcm/send/x",
    "keys": {
        "p256dh": "BNcRdreALRFXTkOOUHK1EtK2wtaz5Ry4YfYCA_0QTpQtUbVlUls0VJXg7A8u-Ts1XbjhazAkj7I99e8QcYP7DkM",
        "auth": "8eDyX_uCN0XRhSbY5hs7Hg",
    },
}


@dataclass(frozen=True)
class Attempt:
    """A good request for an operation, and what each caller gets for it."""

    expected: dict[str, int]
    body: Callable[[World, Person], Any] | None = None
    path: str | None = None


def created(table: dict[str, int], status: int = 201) -> dict[str, int]:
    return {who: status if known == 200 else known for who, known in table.items()}


def but(table: dict[str, int], status: int) -> dict[str, int]:
    """Whoever gets in meets something else there."""
    return created(table, status)


def grant_body(world: World, _owner: Person) -> dict[str, str]:
    ends = (world.clock.now() + timedelta(days=1)).isoformat()
    return {"correo": world.register().correo, "tipo": "delegate", "hasta": ends}


def link_body(world: World, _owner: Person) -> dict[str, str]:
    return {"label": "Para la cardióloga", "ends_at": (world.clock.now() + timedelta(hours=1)).isoformat()}


ATTEMPTS = {
    "Put project": Attempt(
        created(ADMINISTERS),
        lambda _w, _o: {"name": "Campaña", "url": "https://ejemplo.com/campana"},
        path="/v2/projects/campana",
    ),
    "Projects": Attempt(STAFFED),
    "Project": Attempt(but(STAFFED, 404), path="/v2/projects/ninguno"),
    "Project access URL": Attempt(but(STAFFED, 404), path="/v2/projects/ninguno/access-url"),
    "Subscribe": Attempt(created(ANYBODY_KNOWN), lambda _w, _o: {"plan": "familiar"}),
    "Subscription": Attempt(but(ANYBODY_KNOWN, 404)),
    "Change subscription": Attempt(but(ANYBODY_KNOWN, 404), lambda _w, _o: {"state": "active"}),
    "Subscription plans": Attempt(PUBLIC),
    "Payment webhook": Attempt(
        SIGNED, lambda _w, _o: {"id": "pago-1", "subscription_id": 999, "plan": "familiar"}, path="/v2/webhook/payments"
    ),
    # The others of this table are of no institution of that name.
    "Institution user": Attempt(
        {"none": 401, "expired": 401, "responder": 401, "institution": 200, "other institution": 404, "else": 403},
        lambda _w, _o: {"external_id": "alumno-1", "nombre": "Ana Pérez"},
        path="/v1/colegio-san-luis/user",
    ),
    "Accept institution": Attempt(ANYBODY_KNOWN | {"else": 404}, lambda _w, _o: {"token": "x", "ve": True}),
    "Institutions": Attempt(ANYBODY_KNOWN),
    # The record is of no institution.
    "Put consent": Attempt(
        but(MANAGES, 404),
        lambda _w, owner: {"code": owner.data["attributes"]["product_codes"][0], "ve": True},
        path="/v2/institutions/nadie/consent",
    ),
    # Nobody in this table works at one.
    "Institution people": Attempt(but(ANYBODY_KNOWN, 404), path="/v2/institutions/nadie/people"),
    "Institution person": Attempt(but(ANYBODY_KNOWN, 404), path="/v2/institutions/nadie/people/W4T9KX"),
    "Register event webhook": Attempt(
        created(TOLD),
        lambda _w, _o: {"url": "https://93.184.215.14/ficha", "kinds": ["emergency.opened"]},
    ),
    "Event webhooks": Attempt(TOLD),
    # There is none.
    "Event webhook": Attempt(but(TOLD, 404)),
    "Change event webhook": Attempt(but(TOLD, 404), lambda _w, _o: {"active": False}),
    "Rotate event webhook secret": Attempt(but(TOLD, 404)),
    "Event webhook deliveries": Attempt(but(TOLD, 404)),
    "Replay event webhook delivery": Attempt(but(TOLD, 404), path="/v2/webhooks/1/deliveries/1/replay"),
    "Delete event webhook": Attempt(but(TOLD, 404)),
    # The first who is let in makes it, and the next replaces it with the same.
    "Put service": Attempt(ADMINISTERS, lambda _w, _o: {"name": "Ambulancias"}, path="/v1/services/ambulancias"),
    "Services": Attempt(PUBLIC),
    "Service": Attempt({"else": 404}, path="/v1/services/ninguno"),
    "Put navigation button": Attempt(
        ADMINISTERS,
        lambda _w, _o: {"label": "Pedir", "url": "https://ejemplo.com/pedir"},
        path="/v1/navigation-buttons/pedir",
    ),
    "Navigation Buttons": Attempt(PUBLIC),
    "Navigation button": Attempt({"else": 404}, path="/v1/navigation-buttons/ninguno"),
    "Register": Attempt(created(PUBLIC), lambda _w, _o: registration()),
    "Login": Attempt(PUBLIC, lambda _w, owner: {"correo": owner.correo, "clave": CLAVE}),
    "Logout": Attempt(ANYBODY_KNOWN),
    "Test register": Attempt(PUBLIC, lambda _w, _o: {"correo": new_correo(), "clave": CLAVE}),
    "CSRF cookie": Attempt(PUBLIC),
    "Me": Attempt(ANYBODY_KNOWN),
    "Tokens": Attempt(ANYBODY_KNOWN),
    "Renew token": Attempt(created(ANYBODY_KNOWN)),
    "Revoke token": Attempt(ANYBODY_KNOWN | {"else": 404}, path="/v2/auth/tokens/999999"),
    "Phone verification: request": Attempt(ANYBODY_KNOWN),
    "Phone verification: verify": Attempt(but(ANYBODY_KNOWN, 422), lambda _w, _o: {"codigo": "000000"}),
    "Email operations: request": Attempt(ANYBODY_KNOWN),
    "Email operations: verify": Attempt(ANYBODY_KNOWN | {"else": 422}, lambda _w, _o: {"codigo": "000000"}),
    "Email operations: test": Attempt(ADMINISTERS),
    "Forgot clave": Attempt(PUBLIC, lambda _w, owner: {"correo": owner.correo}),
    "Reset clave": Attempt({"else": 422}, lambda _w, _o: {"token": "x", "clave": CLAVE}),
    "user_pic": Attempt(but(ANYBODY_KNOWN, 404)),
    # JSON is no picture.
    "Put user_pic": Attempt(but(ANYBODY_KNOWN, 415), lambda _w, _o: {}),
    "Delete user_pic": Attempt(but(ANYBODY_KNOWN, 404)),
    "user_pic by link": Attempt({"else": 404}, path="/v2/user_pic/f1.x.y"),
    "Local: Login": Attempt(PUBLIC, lambda _w, owner: {"correo": owner.correo, "clave": CLAVE}),
    "Local: Logout": Attempt(ANYBODY_KNOWN),
    "Local: Update data": Attempt(
        ANYBODY_KNOWN,
        lambda _w, _o: {"cod_telefono": "+58", "telefono": "4125551111", "relacion": "madre", "nombre": "Ana"},
    ),
    "Local: Delete data": Attempt(ANYBODY_KNOWN | {"else": 422}, lambda _w, _o: {"clave": "no es la clave"}),
    "Records": Attempt(ANYBODY_KNOWN),
    "Open record": Attempt(created(ANYBODY_KNOWN), lambda _w, _o: {"relacion": "madre", "nombres": "Luis"}),
    # The clave comes first, so that a wrong one tells nothing of the record.
    "Erase record": Attempt(ANYBODY_KNOWN | {"else": 422}, lambda _w, _o: {"clave": "no es la clave"}),
    "FMD": Attempt(READS),
    "FMD Models Data": Attempt(READS),
    "FMD Model Data": Attempt(READS),
    "FMD Model exists": Attempt(READS),
    "Check existent FMD": Attempt(READS),
    "FMD Patch": Attempt(CHANGES, lambda _w, _o: {"cuerpo": {"peso_kg": 60}}),
    "Patch one model": Attempt(CHANGES, lambda _w, _o: {}),
    "Put one model": Attempt(CHANGES, lambda _w, _o: {}),
    "Relationship": Attempt(MANAGES, lambda _w, _o: {"relacion": "madre"}),
    "FMD Patch Emergency Contacts": Attempt(CHANGES, lambda _w, _o: [CONTACT]),
    "FMD Update Emergency Contacts": Attempt(CHANGES, lambda _w, _o: [CONTACT]),
    "FMD Patch Template Type": Attempt(MANAGES, lambda _w, _o: {"template_type": "general"}),
    "FMD schemas": Attempt(PUBLIC),
    "FMD schema": Attempt(PUBLIC),
    "FMD terms": Attempt(PUBLIC, path="/v2/fmd/terms?q=asma"),
    "FMD history": Attempt(MANAGES),
    "FMD access log": Attempt(MANAGES),
    "FMD export": Attempt(MANAGES),
    "FMD IPS": Attempt(READS),
    "FMD IPS page": Attempt(READS),
    "FMD IPS PDF": Attempt(READS),
    **dict.fromkeys(("Health Card", "Health Card PNG", "Health Card SVG", "Health Cards issued"), Attempt(MANAGES)),
    "Revoke Health Card": Attempt(but(MANAGES, 404), path="/v2/fmd/{code}/health-cards/999999"),
    "Issuer keys": Attempt(PUBLIC),
    "Revoked Health Cards": Attempt({"else": 404}, path="/.well-known/crl/unknown.json"),
    "FHIR patient summary": Attempt(READS),
    "Import into record": Attempt(created(MANAGES), lambda _w, _o: IMPORTED),
    "Imports of record": Attempt(MANAGES),
    "Import": Attempt(but(MANAGES, 404)),
    "Accept proposals": Attempt(but(MANAGES, 404), lambda _w, _o: {"propuestas": [1]}),
    "Refuse proposals": Attempt(but(MANAGES, 404), lambda _w, _o: {"propuestas": [1]}),
    "FHIR metadata": Attempt(PUBLIC),
    "FHIR extension": Attempt(PUBLIC),
    # The first who is let in opens it, the others join. Whoever shows no token and no tag is nobody.
    "Create emergency": Attempt(
        READS | {"owner": 201}, lambda _w, owner: {"code": owner.data["attributes"]["product_codes"][0]}
    ),
    "Emergencies": Attempt(ANYBODY_KNOWN),
    "Emergency": Attempt(ANYBODY_KNOWN | {"else": 404}, path="/v2/emergencies/999999"),
    "Change emergency": Attempt(
        ANYBODY_KNOWN | {"else": 404}, lambda _w, _o: {"state": "resolved"}, path="/v2/emergencies/999999"
    ),
    "Take emergency": Attempt(but(STAFFED, 404), path="/v2/emergencies/999999/take"),
    "Hand back emergency": Attempt(
        but(STAFFED, 404), lambda _w, _o: {"motivo": "Termina mi turno."}, path="/v2/emergencies/999999/hand-back"
    ),
    "Emergency notes": Attempt(but(STAFFED, 404), path="/v2/emergencies/999999/notes"),
    "Write emergency note": Attempt(
        but(STAFFED, 404), lambda _w, _o: {"texto": "La vecina espera."}, path="/v2/emergencies/999999/notes"
    ),
    "Open emergency note": Attempt(
        but(STAFFED, 404),
        lambda _w, _o: {"motivo": "Sigo yo con la emergencia."},
        path="/v2/emergencies/999999/notes/1/open",
    ),
    "Emergency conversation": Attempt(but(STAFFED, 404), path="/v2/emergencies/999999/conversation"),
    "Events": Attempt(ANYBODY_KNOWN),
    "Maps URL generator": Attempt(PUBLIC, path="/v2/maps/url?lat=1&lng=2"),
    "Grant access": Attempt(created(MANAGES), grant_body),
    "Accept access": Attempt(ANYBODY_KNOWN | {"else": 404}, lambda _w, _o: {"token": "x"}),
    "Accept access: request code": Attempt(ANYBODY_KNOWN | {"else": 404}, lambda _w, _o: {"token": "x"}),
    "Confirm hand-over": Attempt(
        MANAGES | {"owner": 404, "guardian": 403}, path="/v2/fmd/{code}/grants/999999/confirm"
    ),
    "Keep access": Attempt(MANAGES | {"owner": 404, "guardian": 403}, path="/v2/fmd/{code}/grants/999999/keep"),
    "Grants": Attempt(MANAGES),
    "Create health link": Attempt(created(MANAGES), link_body),
    "Health links": Attempt(MANAGES),
    "End health link": Attempt(MANAGES | {"owner": 404, "guardian": 404}, path="/v2/fmd/{code}/links/999999"),
    # The secret of a link opens it, and no token of anybody.
    "Health link manifest": Attempt({"else": 404}, lambda _w, _o: {"recipient": "Dra. Silva"}, path="/shl/x"),
    "Health link direct file": Attempt({"else": 404}, path="/shl/x?recipient=x"),
    "Health link file": Attempt({"else": 404}, path="/shl/file/x"),
    "Withdraw access": Attempt(MANAGES | {"owner": 404, "guardian": 404}, path="/v2/fmd/{code}/grants/999999"),
    "Product": Attempt(OWNS),
    "Claim product": Attempt(ANYBODY_KNOWN, path="/v2/products/{printed}/claim"),
    "Confirm product": Attempt({"else": 422}, lambda _w, _o: {"token": "x"}),
    "New tag": Attempt(OWNS),
    "Product lost": Attempt(OWNS),
    "Retire product": Attempt(OWNS),
    "Generators: codes": Attempt(created(ADMINISTERS), lambda _w, _o: {"count": 2}),
    "Codes": Attempt(ADMINISTERS),
    "Code": Attempt(ADMINISTERS),
    "Ship code": Attempt(ADMINISTERS, path="/v2/codes/{printed}/ship"),
    "Void code": Attempt(ADMINISTERS, path="/v2/codes/{printed}/void"),
    "Statistics": Attempt(ADMINISTERS),
    "Statistics CSV": Attempt(ADMINISTERS),
    "Batches": Attempt(ADMINISTERS),
    "Batch": Attempt(but(ADMINISTERS, 404), path="/v2/batches/999999"),
    "Batch CSV": Attempt(but(ADMINISTERS, 404), path="/v2/batches/999999/csv"),
    "Ship batch": Attempt(but(ADMINISTERS, 404), path="/v2/batches/999999/ship"),
    "Void batch": Attempt(but(ADMINISTERS, 404), path="/v2/batches/999999/void"),
    "Batch sheet": Attempt(but(ADMINISTERS, 404), path="/v2/batches/999999/sheet"),
    "Confirm batch": Attempt(but(ADMINISTERS, 404), path="/v2/batches/999999/confirm"),
    "Sticker preview": Attempt(STAFFED, path="/v2/dev/inventory/stickers/preview?codes={code},{printed}"),
    "Print sticker": Attempt(MANAGES),
    "Carnet": Attempt(READS),
    # There is none yet.
    "Carnet PDF": Attempt(but(MANAGES, 409)),
    "Carnet PNG": Attempt(but(MANAGES, 409)),
    "Carnet SVG": Attempt(but(MANAGES, 409)),
    "Issue carnet": Attempt(MANAGES | {"owner": 201, "guardian": 409}),
    "Revoke carnet": Attempt(but(MANAGES, 409)),
    "Verify carnet": Attempt({"else": 404}, path="/v2/carnet/verify/K7M2QXR5T8W3"),
    "Generators: QR": Attempt(READS, path="/v2/generators/qr?code={code}"),
    "Template message sending": Attempt(
        created(STAFFED, 202), lambda _w, _o: TO | {"template": {"name": "aviso_lectura", "language": "es"}}
    ),
    "Send Location Message": Attempt(
        created(STAFFED, 202), lambda _w, _o: TO | {"location": {"latitude": 10.5, "longitude": -66.9}}
    ),
    "Send text message": Attempt(created(STAFFED, 202), lambda _w, _o: TO | {"text": {"body": "Hola"}}),
    "Send media message": Attempt(
        created(STAFFED, 202), lambda _w, _o: TO | {"media": {"kind": "image", "media_id": "1037543291543636"}}
    ),
    "Message": Attempt(but(STAFFED, 404), path="/v2/whatsapp/messages/999999"),
    "Open message": Attempt(
        but(STAFFED, 404),
        lambda _w, _o: {"motivo": "La familia pide que le repitan el mensaje."},
        path="/v2/whatsapp/messages/999999/open",
    ),
    "Read receipt": Attempt(
        NO_TOKEN_OF_OURS,
        lambda _w, _o: {"messaging_product": "whatsapp", "status": "read", "message_id": "wamid.X"},
        path="/v23.0/106540352242922/messages",
    ),
    # No token is needed; the contact of the path does not exist.
    "Find conversation for contact (public)": Attempt(
        {"else": 404}, path="/v1/inboxes/sandbox-inbox/contacts/nadie/conversations"
    ),
    "Update Contact information (public)": Attempt(
        {"else": 404}, lambda _w, _o: {"name": "Ana"}, path="/v1/inboxes/sandbox-inbox/contacts/nadie"
    ),
    "Conversation labels": Attempt(
        but(CONVERSES, 404), lambda _w, _o: {"labels": []}, path="/v1/accounts/1/conversations/999999/labels"
    ),
    "List Labels": Attempt(CONVERSES, path="/v1/accounts/1/labels"),
    "Get Contacts": Attempt(CONVERSES, path="/v1/accounts/1/contacts"),
    "Find Contacts": Attempt(CONVERSES, path="/v1/accounts/1/contacts/search?q=ana"),
    "Create Contact": Attempt(CONVERSES, lambda _w, _o: {"name": "Ana"}, path="/v1/accounts/1/contacts"),
    "Add Labels to Contacts": Attempt(
        but(CONVERSES, 404), lambda _w, _o: {"labels": []}, path="/v1/accounts/1/contacts/999999/labels"
    ),
    "Find Conversations for Contact": Attempt(but(CONVERSES, 404), path="/v1/accounts/1/contacts/999999/conversations"),
    "Get Conversations": Attempt(CONVERSES, path="/v1/accounts/1/conversations"),
    "Send Simple Messages To Conversation Platform": Attempt(
        but(CONVERSES, 404), lambda _w, _o: {"content": "Hola"}, path="/v1/accounts/1/conversations/999999/messages"
    ),
    # JSON is no form: that is said before who asks is looked at.
    "Send Attachments": Attempt({"else": 415}, lambda _w, _o: {}, path="/v1/accounts/1/conversations/1/attachments"),
    "Conversation webhook": Attempt(SIGNED, lambda _w, _o: {"event": "message_created"}, path="/v2/webhook/chatwoot"),
    "Inbox": Attempt(STAFFED, lambda _w, _o: NOTIFICATION),
    "Webhook": Attempt(SIGNED, lambda _w, _o: NOTIFICATION),
    "Webhook handshake": Attempt(
        PUBLIC,
        path="/v2/webhook/whatsapp?hub.mode=subscribe&hub.challenge=1&hub.verify_token=sandbox-verify-token",
    ),
    "Media Test": Attempt(STAFFED),
    "Media download": Attempt(but(STAFFED, 404), path="/v2/whatsapp/media/999999"),
    "Resumable upload: start": Attempt(
        created(STAFFED),
        lambda _w, _o: {"file_name": "guia.pdf", "file_length": 10, "file_type": "application/pdf"},
    ),
    "Resumable upload: bytes": Attempt(but(STAFFED, 415), lambda _w, _o: {}, path="/v2/whatsapp/uploads/999999"),
    "Resumable upload: offset": Attempt(but(STAFFED, 404), path="/v2/whatsapp/uploads/999999"),
    "oauth": Attempt(STAFFED),
    "Test Connection": Attempt(STAFFED),
    "Notifications": Attempt(STAFFED),
    # The sandbox's number is verified already, and says so.
    "Platform phone: request code": Attempt(
        but(ADMINISTERS, 409), lambda _w, _o: {"code_method": "SMS", "language": "es"}
    ),
    "Platform phone: verify code": Attempt(but(ADMINISTERS, 422), lambda _w, _o: {"code": "000000"}),
    # JSON is no picture.
    "Remove background": Attempt(but(ANYBODY_KNOWN, 415), lambda _w, _o: {}),
    "Push subscription": Attempt(created(ANYBODY_KNOWN), lambda _w, _o: DEVICE),
    "Push key": Attempt(PUBLIC),
    "Push test": Attempt(STAFFED, path="/v1/push/test?identification_id=31555777"),
    "Welcome": Attempt(PUBLIC),
    "Health": Attempt(PUBLIC),
    "Health: live": Attempt(PUBLIC),
    "Health: ready": Attempt(PUBLIC),
}
