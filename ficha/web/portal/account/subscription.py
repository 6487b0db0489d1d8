"""The account's plan: what it is and allows, another one asked for, and cancelled. By the functions of the API."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.plans import BASE, PLANS, UnknownPlan, title_of
from ficha.administration.subscriptions import (
    CANCELED,
    OVER,
    REQUESTED,
    TRIAL,
    AlreadySubscribed,
    IllegalStep,
    Subscription,
    allowance,
    change_own,
    subscribe,
)
from ficha.core.errors import NotFound
from ficha.http.dependencies import CurrentCaller, Db, Now, Reading
from ficha.web.kit.forms import PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.time_zones import day_texts

PHRASES = page_texts("portal", "subscription")
PATH = "/app/mi-cuenta/suscripcion"
DONE = ("pedido", "prueba", "cancelado", "cambio")

routes = signed_in_routes(PATH)


@routes.page("")
def subscription_page(request: Request, reading: Reading, caller: CurrentCaller, now: Now) -> Response:
    found = reading.orm.get(Subscription, caller.account_id)
    state = None if found is None else found.state_at(now)
    is_over = state is None or state in OVER
    has_plan = found is not None and found.counts_at(now)
    done, language = request.query_params.get("hecho", ""), language_of(request)
    wanted = None if found is None else found.plan if state is REQUESTED else found.asked_plan
    told = ""
    if found is not None and state is not REQUESTED:
        t, has_end = translator(language, PHRASES), found.ends_at is not None and (has_plan or state is not CANCELED)
        day = "" if found.ends_at is None else day_texts(request, reading, caller.account_id)(found.ends_at)
        told = t(f"told_{state}", day=day) if has_end else t(f"told_{state}_open")
    return show(
        request,
        "portal/account/subscription.html",
        PHRASES,
        plan=(title_of(found.plan) if found is not None and has_plan else BASE.title).in_language(language),
        told=told,
        wanted=title_of(wanted).in_language(language) if wanted else "",
        allows=allowance(reading, caller.account_id, now)._asdict(),
        plans=[plan for plan in PLANS.values() if found is None or is_over or plan.name not in (found.plan, wanted)],
        may_try=is_over and (found is None or found.trial_at is None),
        may_cancel=not is_over,
        done=done if done in DONE else "",
    )


@routes.post("")
def change_plan(request: Request, db: Db, caller: CurrentCaller, now: Now, form: PostedForm) -> Response:
    """What is not under way is asked for anew; beside one that is, another plan is asked for."""
    do, _, name = form.get("do", "").partition(":")
    found = db.orm.get(Subscription, caller.account_id)
    done = "pedido"
    try:
        if do == "cancel":
            change_own(db, caller.account_id, now, state=CANCELED)
            done = "cancelado"
        elif do == "ask" and (found is None or found.state_at(now) in OVER):
            done = "prueba" if subscribe(db, caller.account_id, name, now).state == TRIAL else "pedido"
        elif do == "ask":
            change_own(db, caller.account_id, now, plan=name)
    except (AlreadySubscribed, IllegalStep, NotFound, UnknownPlan):
        db.rollback()  # It changed meanwhile: the page shows what there is now.
        done = "cambio"
    return go_to(request, f"{PATH}?hecho={done}")
