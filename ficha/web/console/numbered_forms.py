"""The forms that make and change rows which are replaced as a whole: services and navigation buttons."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.administration.numbered_rows import NumberedFields, NumberedRow, row_named, row_values
from ficha.audit.log import Actor
from ficha.core.errors import FichaError, NotFound, Source
from ficha.core.transaction import Transaction
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.routes import Routes
from ficha.web.console.door import AdminVisit, Visit
from ficha.web.console.forms import faults_in, show_form
from ficha.web.console.frame import go_on, translate_for
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import Phrases
from ficha.web.kit.lists import FilterChoice, RowNumber
from ficha.web.kit.model_forms import ModelField, read_model, stored_texts

FIRST = "external_id"


class AddressNameMissing(FichaError):
    status = 422
    code = "falta_nombre"
    message = "Dé un nombre para direcciones, como ambulancias: letras minúsculas, cifras y guiones."
    source = Source("pointer", f"/{FIRST}")


class NameInUse(FichaError):
    """The form for a new row must not replace another by its name."""

    status = 409
    code = "nombre_en_uso"
    message = "Ya hay uno con ese nombre. Elija otro, o cambie el que existe."
    source = Source("pointer", f"/{FIRST}")


@dataclass(frozen=True)
class NumberedForms:
    """What differs between them. `put` is the function that the operation calls too; `choices` are read for each
    form."""

    section: str
    path: str
    table: type[NumberedRow]
    model: type[NumberedFields]
    fields: Sequence[ModelField]
    put: Callable[[Transaction, str, Any, Actor, datetime], object]
    phrases: Phrases
    choices: Callable[[Transaction], Mapping[str, Sequence[FilterChoice]]] = lambda _tx: {}

    @property
    def new_path(self) -> str:
        return f"{self.path}/nuevo"

    def show(
        self,
        request: Request,
        tx: Transaction,
        visit: Visit,
        action: str,
        texts: Mapping[str, str],
        faults: Sequence[FieldFault] = (),
    ) -> Response:
        title = translate_for(request, self.phrases)("new" if action == self.new_path else "change")
        return show_form(
            request,
            visit,
            self.section,
            self.phrases,
            self.fields,
            title=title,
            action=action,
            texts=texts,
            faults=faults,
            choices=self.choices(tx),
            back=self.path,
        )


def declare_forms(routes: Routes, forms: NumberedForms) -> None:
    @routes.page(forms.new_path)
    def new_page(request: Request, reading: Reading, visit: AdminVisit) -> Response:
        return forms.show(request, reading, visit, forms.new_path, {"is_active": "1"})

    @routes.post(forms.new_path)
    def make(request: Request, db: Db, visit: AdminVisit, now: Now, form: PostedForm) -> Response:
        def save() -> None:
            given = read_model(forms.model, forms.fields, form)
            if given.external_id is None:
                raise AddressNameMissing
            if row_named(db, forms.table, given.external_id) is not None:
                raise NameInUse
            forms.put(db, given.external_id, given, visit.actor, now)

        if faults := faults_in(db, FIRST, save):
            return forms.show(request, db, visit, forms.new_path, form, faults)
        return go_on(request, forms.path, "saved")

    @routes.page(forms.path + "/{row_id}")
    def change_page(request: Request, reading: Reading, visit: AdminVisit, row_id: RowNumber) -> Response:
        found = row_named(reading, forms.table, str(row_id))
        if found is None:
            raise NotFound
        return forms.show(request, reading, visit, f"{forms.path}/{row_id}", stored_texts(row_values(found)))

    @routes.post(forms.path + "/{row_id}")
    def change(request: Request, db: Db, visit: AdminVisit, now: Now, row_id: RowNumber, form: PostedForm) -> Response:
        if row_named(db, forms.table, str(row_id)) is None:
            raise NotFound

        def save() -> None:
            forms.put(db, str(row_id), read_model(forms.model, forms.fields, form), visit.actor, now)

        if faults := faults_in(db, FIRST, save):
            return forms.show(request, db, visit, f"{forms.path}/{row_id}", form, faults)
        return go_on(request, forms.path, "saved")
