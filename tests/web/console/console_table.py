"""Every page of the console: who may open it, and what it says about other people and institutions.

A new page fails a test until it has its row here.
"""

from typing import Literal, NamedTuple

Opener = Literal["staff", "admin"]


class ConsolePage(NamedTuple):
    """`isolation` says what the page shows of whom. For an account that is neither staff nor admin, also one of an
    institution, no page exists at all."""

    method: str
    path: str
    opens: Opener
    isolation: str
    # What an administrator gets for the example address, where the thing it names does not exist.
    status: int = 200


COUNTS = "Counts only: of nobody."
NO_RECORDS = "Every account, for staff: name, correo, roles. Nothing of a record."
ALL_INSTITUTIONS = "Every institution, for our own staff; people who work for one see none of this."
ONE_INSTITUTION = "Of this institution alone: who works there, and its own names for whom it enrolled."
NO_OWNER = "Codes and what became of them; whose they are is not told."
OF_NOBODY = "Addresses and names of projects: of no person."
PLANS = "Of every account: name, plan and state of its subscription."
RULES = "What every stranger may be told, and why some of it is withdrawn: of no person."
RESERVED = "One message; what it says about a person only after a reason, which is logged and told to the owner."
ONE_EMERGENCY = "One that was given to staff: who of staff has it; nothing of the person."
SEALED_NOTE = "A note of staff; its words only after a reason, which is logged and told to the owner."
TOLD_OUTSIDE = "Addresses of integrators; of each delivery its kind, times and the status of the answer, no record."
PUBLIC = "What the public may read, and what is not active yet: of no person."

PAGES = (
    ConsolePage("GET", "/admin", "staff", COUNTS),
    ConsolePage("GET", "/admin/emergencias", "staff", "Emergencies given to staff: states and times, no person."),
    ConsolePage(
        "GET",
        "/admin/emergencias/{emergency_id}",
        "staff",
        "As the operation shows it to staff; the look is noted.",
        404,
    ),
    ConsolePage("GET", "/admin/emergencias/aviso", "staff", COUNTS),
    ConsolePage("POST", "/admin/emergencias/{emergency_id}/tomar", "staff", ONE_EMERGENCY, 404),
    ConsolePage("GET", "/admin/emergencias/{emergency_id}/devolver", "staff", ONE_EMERGENCY, 404),
    ConsolePage("POST", "/admin/emergencias/{emergency_id}/devolver", "staff", ONE_EMERGENCY, 422),
    ConsolePage("GET", "/admin/emergencias/{emergency_id}/notas", "staff", ONE_EMERGENCY, 404),
    ConsolePage("POST", "/admin/emergencias/{emergency_id}/notas", "staff", ONE_EMERGENCY, 422),
    ConsolePage("GET", "/admin/emergencias/{emergency_id}/notas/{place}", "staff", SEALED_NOTE, 404),
    ConsolePage("POST", "/admin/emergencias/{emergency_id}/notas/{place}", "staff", SEALED_NOTE, 404),
    ConsolePage("POST", "/admin/emergencias/{emergency_id}/conversacion", "staff", ONE_EMERGENCY, 404),
    ConsolePage("GET", "/admin/mensajes/{message_id}", "staff", RESERVED, 404),
    ConsolePage("POST", "/admin/mensajes/{message_id}", "staff", RESERVED, 404),
    ConsolePage("GET", "/admin/mensajes/{message_id}/archivo", "staff", RESERVED, 404),
    ConsolePage("GET", "/admin/trabajos", "staff", "Kinds and numbers of jobs: of nobody."),
    ConsolePage("POST", "/admin/trabajos", "admin", "One dead job by its number: of nobody.", 303),
    ConsolePage("GET", "/admin/trabajos/{job_id}/descartar", "admin", "One dead job by its number: of nobody.", 404),
    ConsolePage("POST", "/admin/trabajos/{job_id}/descartar", "admin", "One dead job by its number: of nobody.", 303),
    ConsolePage("GET", "/admin/webhooks", "staff", TOLD_OUTSIDE),
    ConsolePage("GET", "/admin/webhooks/{webhook_id}", "staff", TOLD_OUTSIDE, 404),
    ConsolePage("POST", "/admin/webhooks/{webhook_id}", "admin", TOLD_OUTSIDE, 404),
    ConsolePage("GET", "/admin/alarmas", "staff", "Kinds, times and numbers of records, no person."),
    ConsolePage("GET", "/admin/estadisticas", "staff", COUNTS),
    ConsolePage("GET", "/admin/personas", "staff", NO_RECORDS),
    ConsolePage("GET", "/admin/personas/{account_id}", "staff", NO_RECORDS, 404),
    ConsolePage("POST", "/admin/personas/{account_id}", "admin", NO_RECORDS, 404),
    ConsolePage("GET", "/admin/personas/{account_id}/quitar/{role}", "admin", NO_RECORDS, 404),
    ConsolePage("POST", "/admin/personas/{account_id}/quitar/{role}", "admin", NO_RECORDS, 404),
    ConsolePage("GET", "/admin/instituciones", "staff", ALL_INSTITUTIONS),
    ConsolePage("GET", "/admin/instituciones/nueva", "admin", ALL_INSTITUTIONS),
    ConsolePage("POST", "/admin/instituciones/nueva", "admin", ALL_INSTITUTIONS, 422),
    ConsolePage("GET", "/admin/instituciones/{slug}/cambiar", "admin", ONE_INSTITUTION, 404),
    ConsolePage("POST", "/admin/instituciones/{slug}/cambiar", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/instituciones/{slug}/tokens", "admin", ONE_INSTITUTION, 404),
    ConsolePage("POST", "/admin/instituciones/{slug}/tokens", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/instituciones/{slug}/tokens/{token_id}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("POST", "/admin/instituciones/{slug}/tokens/{token_id}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/instituciones/{slug}/dudas", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/instituciones/{slug}/dudas/{doubt_id}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("POST", "/admin/instituciones/{slug}/dudas/{doubt_id}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/instituciones/{slug}/nominas", "admin", ONE_INSTITUTION, 404),
    ConsolePage("POST", "/admin/instituciones/{slug}/nominas", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/instituciones/{slug}/nominas/plantilla.{ending}", "admin", "Columns: of nobody.", 404),
    ConsolePage("GET", "/admin/instituciones/{slug}/nominas/{upload_id}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("POST", "/admin/instituciones/{slug}/nominas/{upload_id}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/instituciones/{slug}", "staff", ONE_INSTITUTION, 404),
    ConsolePage("POST", "/admin/instituciones/{slug}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/instituciones/{slug}/quitar/{account_id}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("POST", "/admin/instituciones/{slug}/quitar/{account_id}", "admin", ONE_INSTITUTION, 404),
    ConsolePage("GET", "/admin/consejos", "admin", RULES),
    ConsolePage("GET", "/admin/consejos/{kind}/{rule}", "admin", RULES, 404),
    ConsolePage("POST", "/admin/consejos/{kind}/{rule}", "admin", RULES, 404),
    ConsolePage("GET", "/admin/codigos", "admin", NO_OWNER),
    ConsolePage("GET", "/admin/codigos/{code_text}", "admin", NO_OWNER, 404),
    ConsolePage("POST", "/admin/codigos/{code_text}", "admin", NO_OWNER, 404),
    ConsolePage("GET", "/admin/codigos/{code_text}/anular", "admin", NO_OWNER, 404),
    ConsolePage("POST", "/admin/codigos/{code_text}/anular", "admin", NO_OWNER, 404),
    ConsolePage("GET", "/admin/lotes", "admin", NO_OWNER),
    ConsolePage("GET", "/admin/lotes/nuevo", "admin", NO_OWNER),
    ConsolePage("POST", "/admin/lotes/nuevo", "admin", NO_OWNER, 422),
    ConsolePage("GET", "/admin/lotes/{batch_id}", "admin", NO_OWNER, 404),
    ConsolePage("POST", "/admin/lotes/{batch_id}", "admin", NO_OWNER, 404),
    ConsolePage("GET", "/admin/lotes/{batch_id}/anular", "admin", NO_OWNER, 404),
    ConsolePage("POST", "/admin/lotes/{batch_id}/anular", "admin", NO_OWNER, 404),
    ConsolePage("GET", "/admin/lotes/{batch_id}/csv", "admin", NO_OWNER, 404),
    ConsolePage("GET", "/admin/lotes/{batch_id}/marcas", "admin", NO_OWNER, 404),
    ConsolePage("GET", "/admin/lotes/{batch_id}/pliego", "admin", NO_OWNER, 404),
    ConsolePage("GET", "/admin/lotes/{batch_id}/confirmar", "admin", NO_OWNER, 404),
    ConsolePage("POST", "/admin/lotes/{batch_id}/confirmar", "admin", NO_OWNER, 404),
    ConsolePage("GET", "/admin/servicios", "staff", PUBLIC),
    ConsolePage("GET", "/admin/servicios/nuevo", "admin", PUBLIC),
    ConsolePage("POST", "/admin/servicios/nuevo", "admin", PUBLIC, 422),
    ConsolePage("GET", "/admin/servicios/{row_id}", "admin", PUBLIC, 404),
    ConsolePage("POST", "/admin/servicios/{row_id}", "admin", PUBLIC, 404),
    ConsolePage("GET", "/admin/botones", "staff", PUBLIC),
    ConsolePage("GET", "/admin/botones/nuevo", "admin", PUBLIC),
    ConsolePage("POST", "/admin/botones/nuevo", "admin", PUBLIC, 422),
    ConsolePage("GET", "/admin/botones/{row_id}", "admin", PUBLIC, 404),
    ConsolePage("POST", "/admin/botones/{row_id}", "admin", PUBLIC, 404),
    ConsolePage("GET", "/admin/proyectos", "staff", OF_NOBODY),
    ConsolePage("GET", "/admin/proyectos/nuevo", "admin", OF_NOBODY),
    ConsolePage("POST", "/admin/proyectos/nuevo", "admin", OF_NOBODY, 422),
    ConsolePage("GET", "/admin/proyectos/{slug}", "admin", OF_NOBODY, 404),
    ConsolePage("POST", "/admin/proyectos/{slug}", "admin", OF_NOBODY, 404),
    ConsolePage("GET", "/admin/proyectos/{slug}/enlace", "staff", OF_NOBODY, 404),
    ConsolePage("GET", "/admin/suscripciones", "staff", PLANS),
    ConsolePage("GET", "/admin/suscripciones/{account_id}", "admin", PLANS, 404),
    ConsolePage("POST", "/admin/suscripciones/{account_id}", "admin", PLANS, 404),
    ConsolePage("GET", "/admin/suscripciones/{account_id}/ampliar", "admin", PLANS, 404),
    ConsolePage("POST", "/admin/suscripciones/{account_id}/ampliar", "admin", PLANS, 404),
    ConsolePage("GET", "/admin/cambios", "admin", "What administrators changed, of all institutions; nothing medical."),
)

# What a form needs at least to be understood, by its path.
FORMS: dict[str, dict[str, str]] = {
    "/admin/trabajos": {"reintentar": "7"},
    "/admin/webhooks/{webhook_id}": {"repetir": "7"},
    "/admin/personas/{account_id}": {"rol": "staff"},
}
