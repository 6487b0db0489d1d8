"""For each page, what becomes of each kind of caller: `in`, sent to `login`, told of the second `factor`, or a status.

A page that is not here fails a test. Those of the console have their own table, from which their rows are made.
"""

from tests.project.matrix_people import STRANGERS
from tests.web.console.console_table import PAGES as CONSOLE_PAGES
from tests.web.console.console_table import ConsolePage

Page = tuple[str, str]
Outcomes = dict[str, str]

ANYBODY = {"else": "in"}
NOT_THERE = {"else": "404"}
NO_SUCH_LINK = {"else": "410"}
# The address itself is the key: whoever knows the tag, or was sent the link. No account opens more of it.
BY_TAG = {"responder": "in", "else": "404"}
BY_LINK = {"contact": "in", "else": "404"}

LOGS_IN = dict.fromkeys(STRANGERS, "login")
SIGNED_IN = LOGS_IN | {"else": "in"}
READS = LOGS_IN | dict.fromkeys(("owner", "guardian", "editor", "delegate", "institution"), "in") | {"else": "404"}
CHANGES = READS | {"delegate": "403", "institution": "403"}
MANAGES = CHANGES | {"editor": "403"}


def behind(table: Outcomes, met: str) -> Outcomes:
    """Whoever gets in meets this there."""
    return {who: met if known == "in" else known for who, known in table.items()}


def console_row(page: ConsolePage) -> Outcomes:
    """What an administrator meets there does not exist in part of the rows: then the two without a second factor show
    whose page it is."""
    met = "404" if page.status == 404 else "in"
    allowed = {"admin": met, "unproven admin": "factor"}
    if page.opens == "staff":
        allowed |= {"staff": met, "unproven staff": "factor"}
    return LOGS_IN | allowed | {"else": "404"}


# Who has a role at the institution, and nobody else: neither its service account nor staff.
WORKS = LOGS_IN | {"worker": "in", "else": "404"}
PLACE = "/centros/{slug}"
RECORD = "/app/{code}"
STICKER = "/{code}/{tag}"

PAGES: dict[Page, Outcomes] = {
    # For everybody, with or without an account.
    ("GET", "/"): ANYBODY,
    ("GET", "/codigo"): ANYBODY,
    ("GET", "/login"): ANYBODY,
    ("POST", "/login"): ANYBODY,
    ("POST", "/login/llave"): ANYBODY,
    ("GET", "/login/sigue"): {"else": "login"},
    ("POST", "/login/sigue"): ANYBODY,
    ("GET", "/login/llave"): {"else": "login"},
    ("GET", "/login/codigo"): {"else": "login"},
    ("POST", "/login/codigo"): {"else": "login"},
    ("GET", "/clave"): ANYBODY,
    ("POST", "/clave"): ANYBODY,
    ("GET", "/registro"): ANYBODY,
    ("POST", "/registro"): ANYBODY,
    ("GET", "/empezar"): ANYBODY,
    ("POST", "/empezar"): ANYBODY,
    ("GET", "/perdida"): ANYBODY,
    ("POST", "/perdida"): ANYBODY,
    ("GET", "/docs"): ANYBODY,
    ("GET", "/openapi.json"): ANYBODY,
    ("GET", "/favicon.ico"): ANYBODY,
    ("GET", "/robots.txt"): ANYBODY,
    ("GET", "/push-worker.js"): ANYBODY,
    ("GET", "/.well-known/ficha-log.json"): ANYBODY,
    ("GET", "/.well-known/ficha-keys.json"): ANYBODY,
    ("GET", "/static/{name}"): NOT_THERE,
    ("GET", "/p/{project}"): NOT_THERE,
    ("GET", "/carnet/{serial}"): NOT_THERE,
    # By a token in a header alone: a cookie is worth nothing there.
    ("GET", "/metrics"): {"else": "401"},
    # In development. Its forms have a token even for our own page.
    ("GET", "/sandbox"): ANYBODY,
    ("GET", "/sandbox/news"): ANYBODY,
    ("POST", "/sandbox"): {"else": "419"},
    # Behind a link that somebody was sent; nobody here was sent one of these.
    **{
        (method, f"/{name}/{{token}}"): NO_SUCH_LINK
        for name in ("clave", "etiqueta", "invitacion", "institucion", "perdida", "recordatorio")
        for method in ("GET", "POST")
    },
    # The sticker: its printed code opens a page without anything clinical, its tag the record.
    # What it opens stands after the `#`, which no server sees.
    ("GET", "/ver"): ANYBODY,
    ("GET", "/ver/{name}.{mark}.json"): NOT_THERE,
    ("GET", "/e/offline"): ANYBODY,
    ("GET", "/e/offline/worker.js"): ANYBODY,
    ("GET", "/e/offline/words.{mark}.json"): NOT_THERE,
    **{
        (method, f"/{letter}{path}"): row
        for letter in "eE"
        for method, path, row in (
            ("GET", "/{code}", ANYBODY),
            ("POST", "/{code}/avisar", ANYBODY),
            ("GET", STICKER, BY_TAG),
            ("POST", f"{STICKER}/avisar", BY_TAG),
            ("POST", f"{STICKER}/ubicacion", BY_TAG),
            ("POST", f"{STICKER}/mensaje", BY_TAG),
            ("POST", f"{STICKER}/mas", BY_TAG),
            # The same script for everybody, which knows nothing.
            ("GET", f"{STICKER}/sw.js", ANYBODY),
            # With the tag of another sticker: whoever has the right one would listen for ever.
            ("GET", f"{STICKER}/vivo", NOT_THERE),
        )
    },
    # The contact who was alerted.
    ("GET", "/a/{token}"): BY_LINK,
    ("POST", "/a/{token}"): BY_LINK,
    ("POST", "/a/{token}/mensaje"): BY_LINK,
    # One's own account, whoever one is.
    ("GET", "/logout"): SIGNED_IN,
    ("POST", "/logout"): SIGNED_IN,
    ("GET", "/app"): SIGNED_IN,
    ("POST", "/app"): behind(SIGNED_IN, "404"),
    ("GET", "/app/aviso"): SIGNED_IN,
    ("GET", "/app/emergencias"): SIGNED_IN,
    ("GET", "/app/nueva"): SIGNED_IN,
    ("POST", "/app/nueva"): SIGNED_IN,
    ("GET", "/app/etiqueta"): SIGNED_IN,
    ("POST", "/app/etiqueta"): SIGNED_IN,
    ("GET", "/app/mi-cuenta"): SIGNED_IN,
    ("POST", "/app/mi-cuenta"): SIGNED_IN,
    **{
        (method, f"/app/mi-cuenta/{name}"): SIGNED_IN
        for name in ("avisos", "borrar", "clave", "correo", "llaves", "segundo", "suscripcion", "telefono", "verificar")
        for method in ("GET", "POST")
    },
    # The record. Staff have no part in it; an emergency is theirs once the ladder has given it to them.
    ("GET", "/app/emergencias/{emergency_id}"): READS,
    ("POST", "/app/emergencias/{emergency_id}"): CHANGES,
    ("GET", RECORD): READS,
    ("GET", f"{RECORD}/calendario-de-vacunas"): READS,
    ("GET", f"{RECORD}/foto"): behind(SIGNED_IN, "404"),
    ("GET", f"{RECORD}/inicio"): READS,
    ("POST", f"{RECORD}/inicio"): CHANGES,
    ("GET", f"{RECORD}/codigos"): READS,
    ("POST", f"{RECORD}/codigos"): CHANGES,
    ("GET", f"{RECORD}/{{model}}"): READS,
    # Whoever may change it is asked which version she saw.
    ("POST", f"{RECORD}/{{model}}"): behind(CHANGES, "412"),
    ("GET", f"{RECORD}/simulacro/{{drill_id}}"): behind(MANAGES, "404"),
    ("POST", f"{RECORD}/historia"): behind(MANAGES, "404"),
    ("GET", f"{RECORD}/traer"): MANAGES,
    ("POST", f"{RECORD}/traer"): MANAGES,
    ("GET", f"{RECORD}/traer/{{number}}"): behind(MANAGES, "404"),
    ("POST", f"{RECORD}/traer/{{number}}"): behind(MANAGES, "404"),
    ("GET", f"{RECORD}/retrato"): CHANGES,
    ("POST", f"{RECORD}/retrato"): CHANGES,
    ("GET", f"{RECORD}/carnet"): MANAGES,
    ("GET", f"{RECORD}/ver"): MANAGES,
    ("GET", f"{RECORD}/quien-ve"): MANAGES,
    ("GET", f"{RECORD}/vista"): MANAGES,
    ("GET", f"{RECORD}/accesos"): MANAGES,
    ("GET", f"{RECORD}/historia"): MANAGES,
    ("GET", f"{RECORD}/etiquetas/renovar"): MANAGES,
    ("GET", f"{RECORD}/etiquetas/hoja"): MANAGES,
    # Without a sticker's own tag it leads back to the page of the stickers.
    ("POST", f"{RECORD}/etiquetas/hoja"): SIGNED_IN,
    **{
        (method, f"{RECORD}/{name}"): MANAGES
        for name in (
            "compartido",
            "etiquetas",
            "medico",
            "no-fui-yo",
            "papeles",
            "personas",
            "recordatorios",
            "simulacro",
        )
        for method in ("GET", "POST")
    },
    # An institution: its own people.
    ("GET", "/centros"): SIGNED_IN,
    ("GET", PLACE): WORKS,
    ("GET", f"{PLACE}/faltas"): WORKS,
    ("GET", f"{PLACE}/personas/{{code}}"): behind(WORKS, "404"),
    ("POST", f"{PLACE}/personas/{{code}}"): behind(WORKS, "404"),
    ("GET", f"{PLACE}/nominas"): WORKS,
    ("POST", f"{PLACE}/nominas"): WORKS,
    ("GET", f"{PLACE}/nominas/plantilla.{{ending}}"): WORKS,
    ("GET", f"{PLACE}/nominas/{{upload_id}}"): behind(WORKS, "404"),
    ("POST", f"{PLACE}/nominas/{{upload_id}}"): behind(WORKS, "404"),
    ("GET", f"{PLACE}/dudas"): WORKS,
    ("GET", f"{PLACE}/dudas/{{doubt_id}}"): behind(WORKS, "404"),
    ("POST", f"{PLACE}/dudas/{{doubt_id}}"): behind(WORKS, "404"),
    ("GET", f"{PLACE}/invitaciones"): WORKS,
    ("POST", f"{PLACE}/invitaciones"): behind(WORKS, "404"),
    ("GET", f"{PLACE}/etiquetas"): WORKS,
    ("POST", f"{PLACE}/etiquetas"): WORKS,
    # The console.
    **{(page.method, page.path): console_row(page) for page in CONSOLE_PAGES},
}
