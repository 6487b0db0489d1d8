"""The owner's own drill, and its report: whom the ladder would reach and when, what a stranger saw, what is missing.
Nobody is told, unless the owner sends somebody a test message."""

from collections.abc import Mapping
from datetime import date, datetime, timedelta

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.accounts.statements import read_account
from ficha.channels.job_services import JobServices
from ficha.core.errors import NotFound
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.emergencies.contacts import shares_position
from ficha.emergencies.drills import TestUnknown, drill_report, drills_of, run_drill, send_test
from ficha.emergencies.emergency import Emergency, Timeouts
from ficha.emergencies.emergency_access import visible_emergency
from ficha.emergencies.missing_facts import lacks_of_one
from ficha.emergencies.opening import permission_by_account
from ficha.fmd.base import Document, Door
from ficha.fmd.dates_and_amounts import moment_text, zone_text
from ficha.fmd.responder.build_view import responder_view
from ficha.fmd.rules.record_for_rules import RecordForRules
from ficha.fmd.rules.sign_conditions import unknown_findings
from ficha.fmd.rules.withdrawn_rules import withdrawn_rules
from ficha.fmd.stored_documents import stored_documents
from ficha.http.dependencies import CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.web.kit.alert_sentences import capital
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of
from ficha.web.kit.lists import RowNumber, row_number
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.time_zones import zone_for

FAMILY = page_texts("portal", "family")
DURATIONS = page_texts("portal", "durations")
PHRASES = page_texts("portal", "drill")

routes = signed_in_routes("/app")

MOST_DRILLS = 10
DONE = ("prueba", "limite", "no")


@routes.page("/{code}/simulacro")
def drills(request: Request, reading: Reading, caller: CurrentCaller, opened: ReadFmd, now: Now, code: str) -> Response:
    opened.fmd.must_manage()
    found = drills_of(reading, opened.fmd.id, MOST_DRILLS)
    zone = zone_for(request, reading, opened.fmd, caller.account_id)
    drills = [(drill, _when(drill, now, zone, language_of(request).value)) for drill in found]
    return show(request, "portal/record/drills.html", PHRASES, code=code, drills=drills, said=_said(request))


@routes.post("/{code}/simulacro")
def try_drill(
    request: Request,
    db: Db,
    parts: Parts,
    fmd: CurrentFmd,
    caller: CurrentCaller,
    limiter: Limiter,
    now: Now,
    form: PostedForm,
    code: str,
) -> Response:
    """A new drill; or a test message to one contact by one channel, in the drill that the form names or a new one."""
    fmd.must_manage()
    permission, path = permission_by_account(fmd, code), f"/app/{code}/simulacro"
    do, _, which = form.get("do", "").partition(":")
    if do != "test":
        return go_to(request, f"{path}/{run_drill(db, parts.secrets, permission, now).id}")
    contact_id, _, channel = which.partition(":")
    drill_id = row_number(form["drill"]) if "drill" in form else None
    services = JobServices(parts.database, parts.keyring, parts.secrets, parts.mailer, parts.clock, parts.settings)
    page = path if drill_id is None else f"{path}/{drill_id}"
    try:
        limiter.hit(request, RateLimit.CONTACT_TEST, f"account:{caller.account_id}")
        drill = send_test(
            db,
            services,
            permission,
            contact_id,
            channel,
            now,
            lambda target: limiter.hit(request, RateLimit.CONTACT_TEST_TARGET, target),
            drill_id,
        )
    except (TestUnknown, TooManyRequests) as refusal:
        db.rollback()
        return go_to(request, f"{page}?hecho={'no' if isinstance(refusal, TestUnknown) else 'limite'}")
    return go_to(request, f"{path}/{drill.id}?hecho=prueba")


@routes.page("/{code}/simulacro/{drill_id}")
def report(
    request: Request,
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    opened: ReadFmd,
    now: Now,
    code: str,
    drill_id: RowNumber,
) -> Response:
    fmd = opened.fmd
    fmd.must_manage()
    seen = visible_emergency(reading, parts.keyring, caller, drill_id, now, Timeouts.of(parts.settings))
    if seen.emergency.record_id != fmd.id or not seen.emergency.is_drill:
        raise NotFound
    stored = stored_documents(reading, fmd.id, fmd.key)
    documents = {name: entry.document for name, entry in stored.items()}
    opened.note("emergency.read", [f"emergency:{drill_id}"], now)
    language, account = language_of(request), read_account(reading, caller.account_id)
    return show(
        request,
        "portal/record/drill.html",
        {**FAMILY, **PHRASES},
        code=code,
        drill=seen.emergency,
        held=_when(seen.emergency, now, zone_for(request, reading, fmd, caller.account_id), language.value),
        report=drill_report(reading, parts.secrets, parts.settings, seen, documents),
        channels={channel.name: channel.words.in_language(language) for channel in CHANNELS},
        stranger=responder_view(
            documents,
            Door.R,
            now,
            language,
            deployed_in=parts.settings.emergency_country,
            withdrawn=withdrawn_rules(reading),
        ),
        missing=lacks_of_one(reading, parts.secrets, parts.settings, account, fmd, code, documents, now),
        severities=_unknown_severities(documents, now.date(), language),
        correo=account.correo,
        shares_position=shares_position(documents),
        said=_said(request),
        lasting=lambda spent: _lasting(spent, language.value),
    )


def _unknown_severities(documents: Mapping[str, Document], today: date, language: Idioma) -> list[tuple[str, str]]:
    """Allergies of which nobody said whether they may kill: the model of each, and its name."""
    found = unknown_findings(RecordForRules(documents, today))
    return [(one.model, one.name.in_language(language)) for one in found if one.name]


def _said(request: Request) -> str:
    said = request.query_params.get("hecho", "")
    return said if said in DONE else ""


def _when(drill: Emergency, now: datetime, zone: str, language: str) -> str:
    """ "Hoy a las 14:22 (Caracas)"."""
    return capital(f"{moment_text(drill.opened_at, now, zone, language)} ({zone_text(zone)})")


def _lasting(spent: timedelta, language: str) -> str:
    """ "enseguida", "60 s", "3 min"."""
    seconds = round(spent.total_seconds())
    name = "at_once" if not seconds else "seconds" if seconds < 120 else "minutes"
    return DURATIONS[name].in_language(language).format(n=seconds if seconds < 120 else round(seconds / 60))
