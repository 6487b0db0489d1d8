"""How often the owner of a record is asked whether it is still right."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.fmd.catalog import CATALOG
from ficha.fmd.dates_and_amounts import date_text, days_ago
from ficha.fmd.model_parts import Canal
from ficha.fmd.stored_documents import stored_documents
from ficha.http.dependencies import CurrentCaller, Db, Now, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.reminders.reminders import Every, choice_of, choose, oldest_fact
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.portal.record.reminder_phrases import PHRASES

routes = signed_in_routes("/app")

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
