"""The page behind the link of a reminder: is it still right? It works without logging in, and once.

It carries no CSRF token on purpose: no cookie gives it any power, the signed link does. It shows nothing of the record.
"""

from starlette.requests import Request
from starlette.responses import Response

from ficha.asgi.routes import Routes
from ficha.fmd.catalog import CATALOG
from ficha.fmd.readable_documents import documents_of, unfiltered_first_name
from ficha.fmd.records import Record
from ficha.http.dependencies import Address, Limiter, Now
from ficha.http.dependencies import Parts as AskedParts
from ficha.http.limits import RateLimit
from ficha.reminders.reminders import ReminderAnswer, ReminderUnknown, answer_reminder, reminder_with
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to
from ficha.web.portal.record.reminder_phrases import PHRASES

routes = Routes(include_in_schema=False)

# The address is a secret: it goes to nobody, not even to ourselves as a referrer.
KEEP_SECRET = {"Referrer-Policy": "no-referrer"}


@routes.page("/recordatorio/{token}")
def ask_page(request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str) -> Response:
    """Asks for a press of a button: programs that look into mailboxes open links too."""
    limiter.hit_address(request, RateLimit.LINK, address)
    language = language_of(request)
    try:
        with parts.database.reading() as tx:
            asked = reminder_with(tx, parts.secrets, token, now)
            record = tx.orm.get_one(Record, asked.record_id)
            if record.erased_at is not None:
                raise ReminderUnknown
            documents = documents_of(tx, record.id, record.open_key(parts.keyring), ["personal"])
    except ReminderUnknown:
        return _dead(request)
    model = CATALOG.find(asked.model)
    return show(
        request,
        "portal/reminder/ask.html",
        PHRASES,
        headers=KEEP_SECRET,
        token=token,
        name=unfiltered_first_name(documents) or translator(language, PHRASES)("person"),
        section=model.about.title.in_language(language) if model else asked.model,
    )


@routes.post("/recordatorio/{token}")
def answer_page(
    request: Request, parts: AskedParts, limiter: Limiter, address: Address, now: Now, token: str, form: PostedForm
) -> Response:
    """Yes confirms the section; no opens its form at the fact, for which one logs in. So does a yes to what is no
    longer accepted as it stands."""
    limiter.hit_address(request, RateLimit.LINK, address)
    given = form.get("respuesta", "")
    if given not in set(ReminderAnswer):
        return go_to(request, f"/recordatorio/{token}")
    try:
        with parts.database.writing() as tx:
            asked = reminder_with(tx, parts.secrets, token, now)
            answered = answer_reminder(tx, parts.keyring, asked.id, ReminderAnswer(given), now, origin=address)
    except ReminderUnknown:
        return _dead(request)
    if not answered.is_done:
        response = go_to(request, answered.path)
        response.headers.update(KEEP_SECRET)
        return response
    return show(request, "portal/reminder/done.html", PHRASES, headers=KEEP_SECRET, answer=given)


def _dead(request: Request) -> Response:
    return show(request, "portal/reminder/dead.html", PHRASES, status=410, headers=KEEP_SECRET)
