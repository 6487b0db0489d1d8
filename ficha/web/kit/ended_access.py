"""The page for somebody who could open a record until the family ended it: with what she was typing, which is not lost.
To anybody else another person's record is as good as none."""

from collections.abc import Iterator, Sequence

from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.asgi.bodies import ReadRequest
from ficha.fmd.access import had_access
from ficha.fmd.catalog import CATALOG
from ficha.fmd.fields import FormField, form_of, labels_to
from ficha.http.browser import PageBrowser
from ficha.http.callers import first_caller, presented_credentials
from ficha.parts import Parts
from ficha.web.kit.forms import read_long_form
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import REDRAWN, show
from ficha.web.kit.texts import page_texts

PHRASES = page_texts("kit", "ended_access")
# Of a fact, and of a term: what nobody types.
NOT_TYPED = frozenset({"id", "confirmado_en", "fuente", "sistema", "codigo", "elegido"})
TAPPED = frozenset({"checkboxes", "doors", "file", "modules", "photo", "yes-no"})


def ended_access_response(request: ReadRequest) -> Response | None:
    """None for whoever never had access to the record in the path."""
    parts: Parts = request.app.state.parts
    now, code = parts.clock.now(), str(request.path_params.get("code", ""))
    presented = presented_credentials(PageBrowser(request, parts).secret, "")
    if not presented:
        return None
    with parts.database.reading() as tx:
        found = first_caller(tx, presented, now, staff_second_factor=False)
        if found is None or not had_access(tx, found[0].account_id, code, now):
            return None
    typed = list(_typed(request, language_of(request))) if request.method == "POST" else []
    headers = REDRAWN if typed else None
    return show(request, "kit/ended_access.html", PHRASES, status=404, headers=headers, typed=typed)


def _typed(request: ReadRequest, language: Idioma) -> Iterator[tuple[str, str]]:
    """By the label of its field: what stood in the form of a model."""
    model = CATALOG.find(str(request.path_params.get("model", "")))
    if model is None:
        return
    fields = form_of(model)
    for name, value in read_long_form(request).items():
        steps = name.split(".")
        field = _field(fields, steps)
        if field is not None and field.widget not in TAPPED and value.strip() and steps[-1] not in NOT_TYPED:
            yield labels_to(fields, steps, language), _in_words(field, value, language)


def _field(fields: Sequence[FormField], steps: Sequence[str]) -> FormField | None:
    """The innermost that the path names: places in a list, and the words of a term, are no fields of their own."""
    found = None
    for step in steps:
        inner = next((field for field in fields if field.name == step), None)
        found, fields = (inner, inner.fields) if inner is not None else (found, fields)
    return found


def _in_words(field: FormField, value: str, language: Idioma) -> str:
    return next((words.in_language(language) for option, words in field.options if option == value), value)
