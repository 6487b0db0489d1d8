"""The passkeys of one's account: add one with a name, see when each was used, remove one.

To add one takes two steps: the name and the clave are posted, and the page that answers asks the device by a script.
"""

from typing import Any

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account
from ficha.accounts.login import WrongOwnClave
from ficha.accounts.passkeys import (
    Challenges,
    PasskeyRefused,
    add_passkey,
    passkeys_of,
    registration_options,
    remove_passkey,
)
from ficha.accounts.second_factor import forget_recovery_codes, new_recovery_codes
from ficha.accounts.statements import has_second_factor
from ficha.accounts.tokens import revoke_all
from ficha.asgi.threads import Pool
from ficha.core.text_types import Etiqueta
from ficha.http.dependencies import Browser, CurrentCaller, Db, Limiter, Now, Parts, Reading
from ficha.http.limits import TooManyRequests
from ficha.http.login_limits import confirm_clave
from ficha.web.kit.forms import FieldFault, PostedForm, fault_in
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.told_times import days_of

PHRASES = page_texts("portal", "passkeys")

PATH = "/app/mi-cuenta/llaves"
routes = signed_in_routes(PATH)

NAME: TypeAdapter[Any] = TypeAdapter(Etiqueta)
SENTENCES = {WrongOwnClave: "clave_wrong", TooManyRequests: "too_many", PasskeyRefused: "passkey_refused"}


@routes.page("")
def passkeys_page(request: Request, reading: Reading, caller: CurrentCaller) -> Response:
    return _page(request, reading, caller.account_id)


@routes.post("", pool=Pool.CLAVES)
def change_passkeys(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    browser: Browser,
    limiter: Limiter,
    now: Now,
    form: PostedForm,
) -> Response:
    """Beginning and removing take the clave. To end a beginning takes a challenge that was given after it."""
    account = db.orm.get_one(Account, caller.account_id)
    origin = parts.settings.passkey_origin
    challenges = Challenges(parts.secrets, origin, browser.secret or "", f"add:{account.id}")
    do, _, which = form.get("do", "").partition(":")
    name = form.get("nombre", "").strip()
    if do != "remove" and fault_in(NAME, name):
        return _page(request, db, account.id, ("nombre", "name_wrong"))
    try:
        if do == "add":
            is_first = not has_second_factor(db, account.id)
            add_passkey(db, challenges, account.id, form.get("credencial", ""), name, now)
            if not is_first:
                return go_to(request, PATH)
            revoke_all(db, account.id, but=caller.token_id)  # They were opened without a second factor.
            codes = new_recovery_codes(db, parts.secrets, account.id)
            return show(request, "portal/account/recovery.html", PHRASES, codes=codes)
        confirm_clave(request, limiter, parts, caller, form.get("clave", "")[:128])
    except (WrongOwnClave, TooManyRequests, PasskeyRefused) as refusal:
        return _page(request, db, account.id, ("clave", SENTENCES[type(refusal)]), name)
    if do == "remove" and which.isdecimal() and len(which) < 19:
        remove_passkey(db, account.id, int(which))
        forget_recovery_codes(db, account.id)
    if do != "begin":
        return go_to(request, PATH)
    options = registration_options(db, challenges, account, now)
    return show(request, "portal/account/new_passkey.html", PHRASES, name=name, options=options, origin=origin)


def _page(
    request: Request, tx: Reading, account_id: int, wrong: tuple[str, str] | None = None, name: str = ""
) -> Response:
    t = translator(language_of(request), PHRASES)
    return show(
        request,
        "portal/account/passkeys.html",
        PHRASES,
        status=422 if wrong else 200,
        passkeys=passkeys_of(tx, account_id),
        day=days_of(request, tx, account_id),
        name=name,
        faults=[FieldFault(wrong[0], t(wrong[1]))] if wrong else [],
    )
