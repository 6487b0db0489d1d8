"""Proving one's correo and phone: six digits are sent there, and typed here."""

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.accounts.jobs import SEND_CODE
from ficha.accounts.one_time_codes import WrongCode, verify_correo
from ficha.http.dependencies import CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.limits import RateLimit, TooManyRequests
from ficha.jobs.queue import put
from ficha.messaging.codes_and_invitations import SEND_TO_PHONE, verify_phone
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.portal.account.verification_phrases import PHRASES

PATH = "/app/mi-cuenta/verificar"
routes = signed_in_routes(PATH)

WAYS = {"correo": (SEND_CODE, verify_correo), "telefono": (SEND_TO_PHONE, verify_phone)}


@routes.page("")
def verification_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    return _page(request, reading.orm.get_one(Account, caller.account_id), request.query_params.get("enviado", ""))


@routes.post("")
def send_or_verify(
    request: Request, db: Db, parts: Parts, caller: CurrentCaller, limiter: Limiter, now: Now, form: PostedForm
) -> Response:
    """The limits are those of the operations."""
    account = db.orm.get_one(Account, caller.account_id)
    do, _, way = form.get("do", "").partition(":")
    if way not in WAYS:
        return go_to(request, PATH)
    job, verify = WAYS[way]
    field = f"codigo_{way}"
    try:
        if do == "send":
            phone = f"phone:{account.telefono_e164 or account.id}"
            limiter.hit(request, RateLimit.CODE, phone if way == "telefono" else f"account:{account.id}")
            put(db, job, {"account_id": account.id})
            return go_to(request, f"{PATH}?enviado={way}")
        verify(db, parts.secrets, account.id, "".join(form.get(field, "").split())[:10], now)
    except TooManyRequests:
        return _page(request, account, way, FieldFault(field, "too_many"))
    except WrongCode:
        return _page(request, account, way, FieldFault(field, "code_wrong"))
    return go_to(request, PATH)


def _page(request: Request, account: Account, sent: str, wrong: FieldFault | None = None) -> Response:
    t = translator(language_of(request), PHRASES)
    ways = (
        ("correo", account.correo, account.correo_verificado_en),
        ("telefono", f"{account.cod_telefono} {account.telefono}", account.telefono_verificado_en),
    )
    return show(
        request,
        "portal/account/verify.html",
        PHRASES,
        status=422 if wrong else 200,
        ways=ways,
        sent=sent,
        faults=[FieldFault(wrong.field, t(wrong.sentence))] if wrong else [],
    )
