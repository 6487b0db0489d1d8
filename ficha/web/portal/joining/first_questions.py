"""The first three questions of a new record: allergies, medicines, whom to call. Two screens, the second only where a
typed word could mean several things: it is the search step of whoever has no scripts."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account, Idioma
from ficha.fmd.base import Document
from ficha.fmd.changes import patch_models
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.stored_documents import stored_documents
from ficha.http.dependencies import CurrentCaller, Db, Now, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import language_of, translator
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.forms.fault_sentences import fault_sentence
from ficha.web.portal.forms.typed_terms import coded, exact_term, likely_terms

PHRASES = page_texts("portal", "first_questions")

routes = signed_in_routes("/app")

LINES, CONTACTS = range(3), range(2)
CONTACT_FIELDS = ("nombre", "relacion", "cod_telefono", "telefono")
ASKED = ("alergiasa", "alergiasm", "medicacion", "emergencia")
# Under which model, list and field each kind of line is stored. An allergen may be a medicine or something else.
PLACES = {
    "alergia": {"alergiasm": ("alergias", "medicamento"), "alergiasa": ("alergias", "agente")},
    "medicina": {"medicacion": ("medicamentos", "medicamento")},
}


@dataclass
class Answers:
    """What was typed, and what of it is still to be chosen: for each line, the values of its options."""

    patches: dict[str, Document] = field(default_factory=dict)
    open_lines: dict[str, list[tuple[str, str]]] = field(default_factory=dict)


@routes.page("/{code}/inicio")
def first_page(request: Request, reading: Reading, caller: CurrentCaller, opened: ReadFmd, code: str) -> Response:
    fmd = opened.fmd
    known = stored_documents(reading, fmd.id, fmd.key, ["personal", *ASKED])
    if any(name in known for name in ASKED):
        return go_to(request, f"/app/{code}")
    account = reading.orm.get_one(Account, caller.account_id)
    first, _, last = account.nombre.partition(" ") if fmd.record.relacion == "titular" else ("", "", "")
    typed = {"nombres": first, "apellidos": last}
    typed |= {f"contacto.{number}.cod_telefono": account.cod_telefono for number in CONTACTS}
    return _questions(request, code, typed, [])


@routes.post("/{code}/inicio")
def answer_first(request: Request, db: Db, now: Now, fmd: CurrentFmd, form: PostedForm, code: str) -> Response:
    language = language_of(request)
    answers = read_answers(form, language)
    if answers.open_lines:
        return show(
            request,
            "portal/joining/which_record.html",
            PHRASES,
            code=code,
            form=form,
            lines=answers.open_lines,
            faults=[],
        )
    if answers.patches:
        try:
            patch_models(db, fmd, answers.patches, now)
        except InvalidDocument as refusal:
            db.rollback()
            return _questions(request, code, dict(form), _faults(refusal, form, language), 422)
    return go_to(request, f"/app/{code}?listo=1")


def read_answers(form: Mapping[str, str], language: Idioma) -> Answers:
    answers = Answers()
    person = {name: form.get(name, "").strip() for name in ("nombres", "apellidos")}
    if any(person.values()):
        answers.patches["personal"] = {name: value for name, value in person.items() if value}
    for kind in PLACES:
        for number in LINES:
            _read_line(answers, kind, f"{kind}.{number}", form, language)
    for kind, none, models in (
        ("alergia", "sin_alergias", ("alergiasa", "alergiasm")),
        ("medicina", "sin_medicinas", ("medicacion",)),
    ):
        if form.get(none) and not any(form.get(f"{kind}.{number}", "").strip() for number in LINES):
            answers.patches |= {model: {"ausencia": "ninguna_conocida"} for model in models}
    contacts = [_contact(form, number) for number in _filled_contacts(form)]
    if contacts:
        answers.patches["emergencia"] = {
            "contactos": [contact | {"prioridad": number} for number, contact in enumerate(contacts, 1)]
        }
    return answers


def _read_line(answers: Answers, kind: str, name: str, form: Mapping[str, str], language: Idioma) -> None:
    typed = form.get(name, "").strip()
    if not typed:
        return
    models = PLACES[kind]
    chosen = form.get(f"{name}.es", "").split("|")
    if chosen[0] in models:
        sistema, codigo, texto = [*chosen[1:], "", "", ""][:3]
        value = {"texto": texto, "sistema": sistema, "codigo": codigo} if codigo else {"texto": typed}
        _store(answers, chosen[0], models[chosen[0]], value)
        return
    exact = {model: term for model in models if (term := exact_term(typed, model, models[model][1])) is not None}
    if len(exact) == 1 or (not exact and len(models) == 1 and not likely_terms(typed, *models)):
        for model, term in exact.items():
            _store(answers, model, models[model], coded(term, language))
        if not exact:
            [(model, where)] = models.items()
            _store(answers, model, where, {"texto": typed})
        return
    answers.open_lines[name] = _options(models, typed, language)


def _options(models: Mapping[str, tuple[str, str]], typed: str, language: Idioma) -> list[tuple[str, str]]:
    """What the line may mean, the likeliest first, and at the end the words as they were typed."""
    options = []
    for model, (_, campo) in models.items():
        for term in likely_terms(typed, model, campo):
            words = term.words.in_language(language)
            options.append((f"{model}|{term.sistema}|{term.codigo}|{words}", words))
    t = translator(language, PHRASES)
    return [*options, *((f"{model}|||", t(f"as_typed_{model}", typed=typed)) for model in models)]


def _store(answers: Answers, model: str, where: tuple[str, str], value: dict[str, str]) -> None:
    items, name = where
    answers.patches.setdefault(model, {items: []})[items].append({name: value})


def _filled_contacts(form: Mapping[str, str]) -> list[int]:
    """The prefix of the country is filled in already, so it does not count."""
    return [
        number
        for number in CONTACTS
        if any(form.get(f"contacto.{number}.{name}", "").strip() for name in ("nombre", "relacion", "telefono"))
    ]


def _contact(form: Mapping[str, str], number: int) -> dict[str, Any]:
    values = {name: form.get(f"contacto.{number}.{name}", "").strip() for name in CONTACT_FIELDS}
    values["telefono"] = "".join(letter for letter in values["telefono"] if letter.isdigit())
    return {name: value for name, value in values.items() if value} | {"canales": ["whatsapp"]}


def _faults(refusal: InvalidDocument, form: Mapping[str, str], language: Idioma) -> list[FieldFault]:
    filled = _filled_contacts(form)
    faults = []
    for fault in refusal.faults:
        model, *path = fault["loc"]
        name = str(path[-1]) if path else "nombres"
        if model == "emergencia" and len(path) == 3:
            name = f"contacto.{filled[path[1]]}.{path[2]}"
        elif model in ("alergiasa", "alergiasm"):
            name = "alergia.0"
        elif model == "medicacion":
            name = "medicina.0"
        faults.append(FieldFault(name, fault_sentence(fault, language)))
    return faults


def _lists(models: Mapping[str, tuple[str, str]]) -> str:
    """Where the script looks for terms."""
    return " ".join(f"{model}/{campo}" for model, (_, campo) in models.items())


def _questions(
    request: Request, code: str, typed: Mapping[str, str], faults: list[FieldFault], status: int = 200
) -> Response:
    return show(
        request,
        "portal/joining/first_questions.html",
        PHRASES,
        status=status,
        calls_us=True,  # The script asks for terms as one types.
        code=code,
        typed=typed,
        faults=faults,
        lines=LINES,
        contacts=CONTACTS,
        terms={kind: _lists(models) for kind, models in PLACES.items()},
        is_fresh=request.method != "POST",
    )
