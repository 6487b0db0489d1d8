"""A further record of the family, by the same function as the API."""

from typing import Any

from pydantic import TypeAdapter
from starlette.requests import Request
from starlette.responses import Response

from ficha.core.text_types import Etiqueta, Nombre
from ficha.enrolment.further_records import NewRecord, open_further_record
from ficha.fmd.catalog import TEMPLATES
from ficha.fmd.new_records import TooManyRecords
from ficha.http.dependencies import Address, CurrentCaller, Db, Limiter, Now, Parts
from ficha.products.codes import CodeNotFree
from ficha.products.statements import live_codes
from ficha.web.kit.forms import FieldFault, PostedForm, fault_in
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.joining.register import RELATIONS

PHRASES = page_texts("portal", "family")

routes = signed_in_routes("/app")

NOMBRE: TypeAdapter[Any] = TypeAdapter(Nombre)
RELACION: TypeAdapter[Any] = TypeAdapter(Etiqueta)


@routes.page("/nueva")
def new_record_page(request: Request, _caller: CurrentCaller) -> Response:
    return _form(request, {"relacion": "madre", "template_type": "general"}, None)


@routes.post("/nueva")
def new_record(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    limiter: Limiter,
    address: Address,
    now: Now,
    form: PostedForm,
) -> Response:
    nombres, code = form.get("nombres", "").strip(), form.get("code", "").strip().upper()
    relacion, template = form.get("relacion", "").strip(), form.get("template_type", "")
    if fault_in(NOMBRE, nombres) or fault_in(RELACION, relacion) or template not in TEMPLATES:
        return _form(request, form, FieldFault("nombres", "nombres_wrong"))
    if code:
        limiter.hit_claim(request, address, caller.account_id)
    wanted = NewRecord(relacion, code or None, None, template, nombres)
    try:
        record = open_further_record(db, parts.keyring, caller, wanted, now, most=parts.settings.account_records)
    except CodeNotFree:
        db.rollback()
        return _form(request, form, FieldFault("code", "code_wrong"))
    except TooManyRecords:
        return _form(request, form, FieldFault("nombres", "too_many_records"))
    db.orm.flush()
    return go_to(request, f"/app/{live_codes(db, [record.id])[0].code}/inicio")


def _form(request: Request, typed: dict[str, str], wrong: FieldFault | None) -> Response:
    language = language_of(request)
    t = translator(language, PHRASES)
    return show(
        request,
        "portal/joining/new_record.html",
        PHRASES,
        status=422 if wrong else 200,
        typed=typed,
        faults=[FieldFault(wrong.field, t(wrong.sentence))] if wrong else [],
        relations=[(value, words.in_language(language)) for value, words in RELATIONS.items()],
        templates=[(name, template.title.in_language(language)) for name, template in TEMPLATES.items()],
    )
