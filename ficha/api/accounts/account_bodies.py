"""Accounts as operations take and answer them."""

from typing import Any, Self

from pydantic import Field, model_validator

from ficha.accounts.accounts import Account, AccountRow, Idioma
from ficha.accounts.tokens import Caller, IssuedToken
from ficha.api.bodies import Body, CodTelefono, Telefono
from ficha.api.examples import answer_example, resource_example
from ficha.core.deferred_model import DeferredModel
from ficha.core.text_types import Etiqueta, Nombre
from ficha.fmd.record_codes import CodesOfAccount
from ficha.http.envelope import Moment, Resource, filled


class PersonBody(Body):
    """What a person says about herself, at registration and later."""

    cod_telefono: CodTelefono = Field(description="Country prefix.", examples=["+58"])
    telefono: Telefono = Field(description="Number without the prefix, digits only.", examples=["4125551111"])
    relacion: Etiqueta = Field(description="Who registers, seen from the record's owner.", examples=["madre"])
    nombre: Nombre = Field(description="Full name, as typed.", examples=["María Rojas"])

    @model_validator(mode="after")
    def can_be_dialled(self) -> Self:
        self.dialled(self.cod_telefono, self.telefono)
        return self


class Codes(DeferredModel):
    correo: str
    fmd_code: int = Field(description="Number of the person's medical record.")
    product_codes: list[str] = Field(description="Codes of her stickers and cards.")
    bp_codes: list[str] = Field(description="Codes that institutions issued to her.")


class UserAttributes(Codes):
    token: str = Field(description="Bearer token; shown this once.")
    expiration_date: Moment
    session_key: str = Field(description="Names the session. No secret.")


class OwnRecord(DeferredModel):
    fmd_code: int
    relacion: str
    codes: list[str] = Field(description="Its live codes.")


class MeAttributes(Codes):
    records: list[OwnRecord] = Field(description="The account's own records, the first first. GET /v2/fmd tells more.")
    nombre: str
    cod_telefono: str
    telefono: str
    idioma: Idioma
    roles: list[str]
    correo_verificado: bool
    telefono_verificado: bool
    session_key: str


User = Resource[UserAttributes]
Me = Resource[MeAttributes]


def user_out(account: Account | AccountRow, token: IssuedToken, codes: CodesOfAccount) -> User:
    correo, expires_at, key = account.correo, token.expires_at, token.session_key
    shown = filled(UserAttributes, codes, correo=correo, token=token.text, expiration_date=expires_at, session_key=key)
    return Resource(type="user", id=account.id, attributes=shown)


def me_out(account: Account | AccountRow, caller: Caller, codes: CodesOfAccount) -> Me:
    shown = filled(
        MeAttributes,
        account,
        fmd_code=codes.fmd_code,
        product_codes=codes.product_codes,
        bp_codes=codes.bp_codes,
        records=[filled(OwnRecord, record) for record in codes.records],
        idioma=Idioma(account.idioma),
        roles=account.roles,
        correo_verificado=account.correo_verificado_en is not None,
        telefono_verificado=account.telefono_verificado_en is not None,
        session_key=caller.session_key,
    )
    return Resource(type="user", id=account.id, attributes=shown)


CODES: dict[str, Any] = {
    "correo": "maria@ejemplo.com",
    "fmd_code": 1904221833,
    "product_codes": ["K7M2QX"],
    "session_key": "b7Kq2ZpX9sLd",
}


def user_example(status: int) -> dict[str, Any]:
    told = {"token": "42|Zr8vQ2…", "expiration_date": "2026-11-15T13:00:00+00:00"}
    return answer_example(resource_example("user", 17, UserAttributes, **CODES, **told), status)


def me_example() -> dict[str, Any]:
    told = {
        "records": [{"fmd_code": 1904221833, "relacion": "madre", "codes": ["K7M2QX"]}],
        "nombre": "María Rojas",
        "cod_telefono": "+58",
        "telefono": "4125551111",
        "idioma": "es",
        "roles": ["owner"],
        "correo_verificado": True,
    }
    return answer_example(resource_example("user", 17, MeAttributes, **CODES, **told))
