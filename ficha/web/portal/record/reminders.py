"""How often the owner of a record is asked whether it is still right, and the page behind the link of a reminder, which
works once and without logging in (link_pages.py). It shows nothing of the record."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.fmd.catalog import CATALOG
from ficha.fmd.dates_and_amounts import date_text, days_ago
from ficha.fmd.model_parts import Canal
from ficha.fmd.records import Record
from ficha.fmd.stored_documents import documents_of, stored_documents, unfiltered_first_name
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Parts, Reading, limit_by_address
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.http.limits import RateLimit
from ficha.reminders.reminders import (
    Every,
    ReminderAnswer,
    ReminderUnknown,
    answer_reminder,
    choice_of,
    choose,
    oldest_fact,
    reminder_with,
)
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.link_pages import link_routes

PHRASES = page_texts("portal", "reminders")

routes = signed_in_routes("/app")
LIMITS = [limit_by_address(RateLimit.LINK)]
link_pages = link_routes("portal/record/reminder_ended.html", PHRASES, ReminderUnknown, dependencies=LIMITS)

CHANNELS = (Canal.CORREO, Canal.WHATSAPP)


@routes.page("/{code}/recordatorios")
def reminders_page(request: Request, reading: Reading, opened: ReadFmd, now: Now, code: str) -> Response:
    fmd = opened.fmd
    fmd.must_manage()
    stored = stored_documents(reading, fmd.id, fmd.key)
    opened.note("record.read", sorted(stored), now)
    language = language_of(request)
    t = translator(language, PHRASES)
    oldest = oldest_fact({name: entry.document for name, entry in stored.items()}, now.date())
    told = ""
    if oldest is not None:
        model, days = CATALOG.find(oldest.model), oldest.freshness.days
        title = model.about.title.in_language(language) if model else oldest.model
        told = t("oldest", section=title, age=t("no_date") if days is None else days_ago(days, language))
    choice = choice_of(reading, fmd.id)
    return show(
        request,
        "portal/record/reminders.html",
        PHRASES,
        code=code,
        every=choice.every if choice else "",
        channel=choice.channel if choice else str(Canal.CORREO),
        next_day=date_text(choice.next_at.date().isoformat(), language) if choice else "",
        often=[(one, t(f"every_{one}")) for one in ("", *Every)],
        channels=[(one.value, t(f"channel_{one.value}")) for one in CHANNELS],
        oldest=told,
        edit=f"/app/{code}/{oldest.model}?en={oldest.field}" if oldest else "",
        is_saved=request.query_params.get("guardado") == "1",
    )


@routes.post("/{code}/recordatorios")
def choose_reminders(
    request: Request, db: Db, caller: CurrentCaller, fmd: CurrentFmd, now: Now, form: PostedForm, code: str
) -> Response:
    asked = form.get("every", "")
    every = Every(asked) if asked in set(Every) else None
    channel = Canal.WHATSAPP if form.get("channel") == Canal.WHATSAPP else Canal.CORREO
    choose(db, fmd, caller.account_id, every, channel, now)
    return go_to(request, f"/app/{code}/recordatorios?guardado=1")


@link_pages.page("/recordatorio/{token}")
def ask_page(request: Request, parts: Parts, now: Now, token: str) -> Response:
    """Asks for a press of a button: programs that look into mailboxes open links too."""
    language = language_of(request)
    with parts.database.reading() as tx:
        asked = reminder_with(tx, parts.secrets, token, now)
        record = tx.orm.get_one(Record, asked.record_id)
        if record.erased_at is not None:
            raise ReminderUnknown
        documents = documents_of(tx, record.id, record.open_key(parts.keyring), ["personal"])
    model = CATALOG.find(asked.model)
    return show(
        request,
        "portal/record/reminder_ask.html",
        PHRASES,
        token=token,
        name=unfiltered_first_name(documents) or translator(language, PHRASES)("person"),
        section=model.about.title.in_language(language) if model else asked.model,
    )


@link_pages.post("/recordatorio/{token}")
def answer_page(request: Request, parts: Parts, address: Address, now: Now, token: str, form: PostedForm) -> Response:
    """Yes confirms the section; no opens its form at the fact, for which one logs in. So does a yes to what is no
    longer accepted as it stands."""
    given = form.get("respuesta", "")
    if given not in set(ReminderAnswer):
        return go_to(request, f"/recordatorio/{token}")
    with parts.database.writing() as tx:
        asked = reminder_with(tx, parts.secrets, token, now)
        answered = answer_reminder(tx, parts.keyring, asked.id, ReminderAnswer(given), now, origin=address)
    if not answered.is_done:
        return go_to(request, answered.path)
    return show(request, "portal/record/reminder_done.html", PHRASES, answer=given)
