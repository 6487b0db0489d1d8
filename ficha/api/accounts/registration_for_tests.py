"""The test registration: its own path and body, accounts that are erased after a day. Off in production."""

from datetime import timedelta

from pydantic import ConfigDict, Field

from ficha.accounts.login import hash_clave
from ficha.accounts.tokens import issue_token
from ficha.api.bodies import Body
from ficha.api.operations import Operations
from ficha.asgi.threads import Pool
from ficha.core.deferred_model import DeferredModel
from ficha.core.errors import NotFound
from ficha.core.text_types import Clave, Correo
from ficha.enrolment.registration import NewPerson, register
from ficha.http.dependencies import Db, Now, Parts, Quotes, limit_by_address
from ficha.http.envelope import Moment
from ficha.http.limits import RateLimit

operations = Operations("accounts")


class TestRegistration(Body):
    correo: Correo = Field(examples=["prueba@ejemplo.com"])
    clave: Clave = Field(description="10 to 128 characters.", examples=["caballo-bateria-grapa"])


class Trial(DeferredModel):
    model_config = ConfigDict(populate_by_name=True)

    status: str
    message: str
    expiration_date: Moment = Field(alias="expiration-date")
    token: str


class TrialAnswer(DeferredModel):
    """The seed's own body: no meta."""

    data: Trial


@operations.post(
    "/auth/register",
    "Test register",
    callers="public",
    seed=True,
    errors=(404,),
    example_once=True,
    example={
        "data": {
            "status": "success",
            "message": "Cuenta de prueba creada. Desaparece en 24 horas.",
            "expiration-date": "2026-11-15T13:00:00+00:00",
            "token": "42|Zr8vQ2…",
        }
    },
    dependencies=[limit_by_address(RateLimit.REGISTRATION)],
    pool=Pool.CLAVES,
)
def register_test_account(db: Db, parts: Parts, now: Now, quotes: Quotes, body: TestRegistration) -> TrialAnswer:
    """An account for trying things out."""
    if parts.settings.in_production:
        raise NotFound
    hours = parts.settings.test_account_hours
    person = NewPerson(
        correo=body.correo,
        clave_hash=hash_clave(body.clave),
        nombre="Cuenta de prueba",
        lifetime=timedelta(hours=hours),
    )
    account = register(db, person, parts.keyring, now)
    quotes(account.id)
    token = issue_token(db, account, now, parts.settings.token_minutes)
    return TrialAnswer(
        data=Trial(
            status="success",
            message=f"Cuenta de prueba creada. Desaparece en {hours} horas.",
            expiration_date=token.expires_at,
            token=token.text,
        )
    )
