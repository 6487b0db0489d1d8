"""Forms of the console: shown with what was typed, sent to the functions of the API, shown again if these refuse."""

from collections.abc import Callable, Mapping, Sequence

from starlette.requests import Request
from starlette.responses import Response

from ficha.core.errors import FichaError
from ficha.core.transaction import Transaction
from ficha.web.console.door import Visit
from ficha.web.console.frame import show_console, translate_for
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.language import Phrases
from ficha.web.kit.lists import FilterChoice
from ficha.web.kit.model_forms import ModelField, ShownField, WrongForm, faults_of

# What a person can correct in the form; anything else is an error of its own.
CORRECTABLE = (409, 422)


def faults_in(db: Transaction, first_field: str, save: Callable[[], object]) -> Sequence[FieldFault]:
    """Saves, and says what must be corrected: nothing if it was saved. What was begun is undone otherwise."""
    try:
        save()
        return ()
    except WrongForm as wrong:
        return wrong.faults
    except FichaError as error:
        if error.status not in CORRECTABLE:
            raise
        db.rollback()
        return faults_of(error, first_field)


def show_form(
    request: Request,
    visit: Visit,
    section: str,
    phrases: Phrases,
    fields: Sequence[ModelField],
    *,
    title: str,
    action: str,
    texts: Mapping[str, str],
    faults: Sequence[FieldFault] = (),
    choices: Mapping[str, Sequence[FilterChoice]] | None = None,
    lead: str = "",
    label: str = "",
    back: str = "",
) -> Response:
    """Labels are the phrases `field_…`, hints `hint_…`, where there are any."""
    t = translate_for(request, phrases)
    shown = [
        ShownField(
            field.name,
            field.kind,
            t(f"field_{field.name}"),
            texts.get(field.name, ""),
            t(f"hint_{field.name}") if f"hint_{field.name}" in phrases else "",
            (choices or {}).get(field.name, ()),
        )
        for field in fields
    ]
    return show_console(
        request,
        visit,
        "console/form.html",
        section,
        phrases,
        status=422 if faults else 200,
        title=title,
        lead=lead,
        action=action,
        fields=shown,
        faults=list(faults),
        label=label or t("save"),
        back=back,
    )
