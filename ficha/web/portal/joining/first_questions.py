"""The first questions of a new record: who, allergies and whether they kill, conditions, medicines, whom to call. One
screen. What is typed is stored as it was typed, unless somebody chose a term of the list, and takes no fact away."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Account, Idioma
from ficha.accounts.tokens import Caller
from ficha.core.phones import typed_phone
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document, has_data
from ficha.fmd.changes import patch_models
from ficha.fmd.consent import visible_documents
from ficha.fmd.dates_and_amounts import date_text, typed_date
from ficha.fmd.faults import InvalidDocument
from ficha.fmd.fields import form_of
from ficha.fmd.model_parts import Criticidad
from ficha.fmd.models.personal import Personal
from ficha.fmd.record_list import ContactsElsewhere, contacts_elsewhere, dialled
from ficha.fmd.stored_documents import stored_documents, text_in
from ficha.fmd.terms import folded
from ficha.http.dependencies import Address, CurrentCaller, Db, Now, Parts, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.parts import Parts as AllParts
from ficha.web.kit.forms import FieldFault, PostedForm
from ficha.web.kit.language import LANGUAGE_STEP, language_in, language_of, translator
from ficha.web.kit.rendering import REDRAWN, show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.forms.fault_sentences import fault_sentence
from ficha.web.portal.forms.form_reading import FormReader
from ficha.web.portal.forms.typed_terms import exact_term, likely_terms, unpacked

PHRASES = page_texts("portal", "first_questions")

routes = signed_in_routes("/app")

LINES, CONTACTS = range(3), range(2)
CONTACT_FIELDS = ("nombre", "relacion", "cod_telefono", "telefono")
PHONE_FIELDS = ("cod_telefono", "telefono")
PERSON = tuple(one for one in form_of(Personal) if one.name in ("nombres", "apellidos", "fecha_nacimiento"))
# Under which model, list and field each kind of line is stored. An allergen may be a medicine or something else.
LISTS = {
    "alergia": {"alergiasm": ("alergias", "medicamento"), "alergiasa": ("alergias", "agente")},
    "condicion": {"salud": ("condiciones", "condicion")},
    "medicina": {"medicacion": ("medicamentos", "medicamento")},
}
NONE_OF = {"alergia": "sin_alergias", "condicion": "sin_condiciones", "medicina": "sin_medicinas"}
ASKED = (*(model for models in LISTS.values() for model in models), "emergencia")
COPY = "copiar."

BORN = "fecha_nacimiento"
# By which a fact is known again: see _key.
FactKey = tuple[str, ...]


@dataclass
class Answers:
    """What is to be stored of each model, and by model the lines of the form that its facts were typed into."""

    patches: dict[str, Document] = field(default_factory=dict)
    lines: dict[str, dict[FactKey, str]] = field(default_factory=dict)


@routes.page("/{code}/inicio")
def first_page(
    request: Request,
    reading: Reading,
    parts: Parts,
    caller: CurrentCaller,
    opened: ReadFmd,
    now: Now,
    address: Address,
    code: str,
) -> Response:
    fmd = opened.fmd
    stored = {name: one.document for name, one in stored_documents(reading, fmd.id, fmd.key).items()}
    if any(name in stored for name in ASKED):
        return go_to(request, f"/app/{code}")
    personal = visible_documents(stored, fmd.rights.door).get("personal", {})
    if personal:
        opened.note("record.read", ["personal"], now)
    account = reading.orm.get_one(Account, caller.account_id)
    typed = _offered(account, fmd, personal, language_of(request))
    elsewhere = _elsewhere(reading, parts, caller, fmd, now, address)
    return _questions(request, code, typed, [], elsewhere)


@routes.post("/{code}/inicio")
def answer_first(
    request: Request,
    db: Db,
    parts: Parts,
    caller: CurrentCaller,
    fmd: CurrentFmd,
    now: Now,
    address: Address,
    form: PostedForm,
    code: str,
) -> Response:
    """Raises MayNotChange."""
    fmd.must_change()
    language = language_of(request)
    if form.get("do") == LANGUAGE_STEP:
        born = form.get(BORN, "")
        said = form | {BORN: date_text(typed_date(born, language_in(form, request)), language) or born}
        return _questions(request, code, said, [], _elsewhere(db, parts, caller, fmd, now, address))
    copies = [name.removeprefix(COPY) for name in form if name.startswith(COPY)]
    elsewhere = _elsewhere(db, parts, caller, fmd, now, address) if copies else []
    copied = [contact for record, contacts in elsewhere if str(record.id) in copies for contact in contacts]
    answers = read_answers(form, language, copied)
    if answers.patches:
        stored = {name: one.document for name, one in stored_documents(db, fmd.id, fmd.key).items()}
        known = visible_documents(stored, fmd.rights.door)
        patches = _added(known, answers.patches)
        try:
            patch_models(db, fmd, patches, now)
        except InvalidDocument as refusal:
            db.rollback()
            faults = _faults(refusal, patches, answers.lines, language)
            elsewhere = _elsewhere(db, parts, caller, fmd, now, address)
            return _questions(request, code, form, faults, elsewhere, 422)
    return go_to(request, f"/app/{code}?listo=1")


def read_answers(form: Mapping[str, str], language: Idioma, copied: Sequence[Document] = ()) -> Answers:
    """`copied` are contacts of another record that were asked for; who was typed comes before them."""
    answers = Answers()
    person = FormReader(language).document(PERSON, form)
    if person:
        answers.patches["personal"] = person
    for kind, models in LISTS.items():
        typed = [name for line in LINES if form.get(name := f"{kind}.{line}", "").strip()]
        for name in typed:
            _read_line(answers, kind, name, form)
        if form.get(NONE_OF[kind]) and not typed:
            answers.patches |= {model: {"ausencia": "ninguna_conocida"} for model in models}
    filled = _filled_contacts(form)
    contacts = [_contact(form, number) for number in filled]
    numbers = {dialled(contact) for contact in contacts}
    contacts += [contact for contact in copied if dialled(contact) not in numbers]
    if contacts:
        answers.patches["emergencia"] = {"contactos": contacts}
        answers.lines["emergencia"] = {_key(one): f"contacto.{at}" for at, one in zip(filled, contacts, strict=False)}
    return answers


def _read_line(answers: Answers, kind: str, name: str, form: Mapping[str, str]) -> None:
    typed, models = form[name].strip(), LISTS[kind]
    model, _, chosen = form.get(f"{name}.es", "").partition("|")
    term = unpacked(chosen)
    if model not in models or term.get("texto") != typed:  # Other words were typed after choosing.
        model, term = _list_for(typed, models), {"texto": typed}
    items, term_field = models[model]
    fact: Document = {term_field: term}
    if kind == "alergia" and (answer := form.get(f"{name}.criticidad", "")) in set(Criticidad):
        fact["criticidad"] = answer
    answers.patches.setdefault(model, {items: []})[items].append(fact)
    answers.lines.setdefault(model, {})[_key(fact)] = name


def _list_for(typed: str, models: Mapping[str, tuple[str, str]]) -> str:
    """Where words without a code are kept: allergies to medicines are a list of their own, for those that the
    catalogue knows as medicines only. It gives them no code."""
    *others, last = models
    for find in (exact_term, likely_terms):
        known = [model for model in models if find(typed, model, models[model][1])]
        if known:
            return last if last in known else others[0]
    return last


def _filled_contacts(form: Mapping[str, str]) -> list[int]:
    """The prefix of the country is filled in already, so it does not count."""
    return [
        number
        for number in CONTACTS
        if any(form.get(f"contacto.{number}.{name}", "").strip() for name in ("nombre", "relacion", "telefono"))
    ]


def _contact(form: Mapping[str, str], number: int) -> dict[str, Any]:
    values = {name: form.get(f"contacto.{number}.{name}", "").strip() for name in CONTACT_FIELDS}
    values["cod_telefono"], values["telefono"] = typed_phone(values["cod_telefono"], values["telefono"])
    return {name: value for name, value in values.items() if value} | {"canales": ["whatsapp"]}


def _added(known: Mapping[str, Document], patches: Mapping[str, Document]) -> dict[str, Document]:
    """The patches beside what is there: a page that is sent again, or late, changes what has the same words and adds
    the rest. That nothing is known is heard only where nothing is."""
    added: dict[str, Document] = {}
    for model, patch in patches.items():
        old = known.get(model, {})
        name = next(iter(patch))
        if not isinstance(patch[name], list):
            if model == "personal" or not any(has_data(value) for value in old.values() if isinstance(value, list)):
                added[model] = patch
            continue
        facts: list[Document] = list(old.get(name) or ())
        indexes = {_key(fact): index for index, fact in enumerate(facts)}
        for fact in patch[name]:
            index = indexes.get(_key(fact), len(facts))
            facts[index : index + 1] = [facts[index] | _answered(fact) if index < len(facts) else fact]
        if model == "emergencia":
            facts = [{"prioridad": priority} | fact for priority, fact in enumerate(facts, 1)]
        added[model] = {name: facts} | ({"ausencia": None} if "ausencia" in old else {})
    return added


def _key(fact: Mapping[str, Any]) -> FactKey:
    """A contact is known again by number and name, for two people may share a phone; everything else by its words."""
    terms = [value for value in fact.values() if isinstance(value, Mapping)]
    return tuple(folded(text_in(term, "texto")) for term in terms) or (*dialled(fact), folded(text_in(fact, "nombre")))


def _answered(fact: Document) -> Document:
    """What was said of it, without words that have a code already."""
    return {name: value for name, value in fact.items() if not isinstance(value, Mapping) or "codigo" in value}


def _faults(
    refusal: InvalidDocument,
    patches: Mapping[str, Document],
    lines: Mapping[str, Mapping[FactKey, str]],
    language: Idioma,
) -> list[FieldFault]:
    """A wrong phone is told at its number, in the words of registration, whichever part of it is wrong."""
    faults: dict[str, str] = {}
    for fault in refusal.faults:
        model, *path = fault["loc"]
        name, sentence = str(path[-1]) if path else "nombres", fault_sentence(fault, language)
        if model in ASKED:
            items, index, part = [*path, *("contactos", 0, "nombre")[len(path) :]][:3]
            name = lines[model].get(_key(patches[model][items][index]), "contacto.0")
            if model == "emergencia" and part in PHONE_FIELDS:
                part, sentence = "telefono", translator(language, PHRASES)("telefono_wrong")
            name = f"{name}.{part}" if model == "emergencia" else name
        faults.setdefault(name, sentence)
    return [FieldFault(name, sentence) for name, sentence in faults.items()]


def _offered(account: Account, fmd: OpenFmd, personal: Document, language: Idioma) -> dict[str, str]:
    """What the form holds before anybody types: the name and the birth date as far as they are known, and whoever joins
    for somebody else as the first contact. Nothing medical."""
    is_own, t = fmd.record.relacion.lower() == "titular", translator(language, PHRASES)
    first, _, last = account.nombre.partition(" ") if is_own else ("", "", "")
    known = {"nombres": text_in(personal, "nombres"), "apellidos": text_in(personal, "apellidos")}
    typed = known if any(known.values()) else {"nombres": first, "apellidos": last}
    typed[BORN] = date_text(text_in(personal, BORN), language)
    typed |= {f"contacto.{number}.cod_telefono": account.cod_telefono for number in CONTACTS}
    if fmd.via == "owner" and not is_own and account.telefono:
        relacion, key = fmd.record.relacion, f"is_{fmd.record.relacion}"
        typed |= {
            "contacto.0.nombre": account.nombre,
            "contacto.0.relacion": t(key) if key in PHRASES else relacion,
            "contacto.0.telefono": account.telefono,
        }
    return typed


def _elsewhere(
    tx: Transaction, parts: AllParts, caller: Caller, fmd: OpenFmd, now: datetime, origin: str
) -> list[ContactsElsewhere]:
    found = contacts_elsewhere(tx, parts.keyring, caller.account_id, fmd.id, now)
    for record, _ in found:
        who, via = str(fmd.actor), record.access.via
        parts.read_log.note(record.id, who, "record.read", ["emergencia"], now, via=via, origin=origin)
    return found


def _questions(
    request: Request,
    code: str,
    typed: Mapping[str, str],
    faults: list[FieldFault],
    elsewhere: Sequence[ContactsElsewhere],
    status: int = 200,
) -> Response:
    language = language_of(request)
    return show(
        request,
        "portal/joining/first_questions.html",
        PHRASES,
        status=status,
        headers=REDRAWN if request.method == "POST" else None,
        calls_us=True,  # The script asks for terms as one types.
        code=code,
        typed=typed,
        faults=faults,
        lines=LINES,
        contacts=CONTACTS,
        severities=[(one.value, one.words.in_language(language)) for one in Criticidad],
        # Where the script looks for terms.
        terms={
            kind: " ".join(f"{model}/{campo}" for model, (_, campo) in models.items()) for kind, models in LISTS.items()
        },
        elsewhere=[
            (f"{COPY}{record.id}", record.nombre, [text_in(one, "nombre") for one in contacts])
            for record, contacts in elsewhere
        ],
        is_fresh=request.method != "POST",
    )
