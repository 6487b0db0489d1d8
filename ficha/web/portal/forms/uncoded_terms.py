"""The words of a record that have no code, each with the terms of the list that it may mean: chosen by hand, or left as
they were typed. For whoever typed them without scripts, in a hurry, or before the list knew them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ficha.accounts.accounts import Idioma
from ficha.core.transaction import Transaction
from ficha.fmd.access import OpenFmd
from ficha.fmd.base import Document
from ficha.fmd.catalog import CATALOG
from ficha.fmd.changes import patch_models
from ficha.fmd.consent import CONSENT, visible_documents
from ficha.fmd.fields import FormField, form_of
from ficha.fmd.models.allergies import AlergiaMedicamento
from ficha.fmd.stored_documents import stored_documents, text_in
from ficha.http.dependencies import Db, Now, Reading
from ficha.http.fmd_dependencies import CurrentFmd, ReadFmd
from ficha.web.kit.forms import LongForm
from ficha.web.kit.language import language_of
from ficha.web.kit.rendering import show
from ficha.web.kit.signed_in import go_to, signed_in_routes
from ficha.web.kit.texts import page_texts
from ficha.web.portal.forms.typed_terms import term_options, unpacked

PHRASES = page_texts("portal", "codes")

routes = signed_in_routes("/app")

# Allergies to medicines and to everything else are two lists: a term of either may be what was meant.
ALLERGENS = {"alergiasm": "medicamento", "alergiasa": "agente"}


@dataclass(frozen=True)
class UncodedTerm:
    """Words without a code: the fact that they stand in, the list that has it, and the field of the fact; no field if
    the fact itself is the term. `moves` if the fact could stand in the other list of allergies as well."""

    model: str
    items: str
    fact: Document
    field: str
    terms: str
    moves: bool

    @property
    def typed(self) -> str:
        return text_in(self.fact.get(self.field, {}) if self.field else self.fact, "texto")

    @property
    def name(self) -> str:
        return f"{self.model}.{self.fact['id']}.{self.field}"

    def options(self, language: Idioma) -> list[tuple[str, str]]:
        """What a form sends for each, and its words. The model stands first."""
        lists = {self.model: self.terms} | (ALLERGENS if self.moves else {})
        return [
            (f"{model}|{value}", words)
            for model, campo in lists.items()
            for value, words in term_options(self.typed, model, campo, language)
        ]


@routes.page("/{code}/codigos")
def codes_page(request: Request, reading: Reading, opened: ReadFmd, now: Now, code: str) -> Response:
    documents, found = _found(reading, opened.fmd)
    opened.note("record.read", sorted(documents), now)
    language = language_of(request)
    terms = [(one.name, one.typed, one.options(language)) for one in found]
    return show(
        request,
        "portal/forms/codes.html",
        PHRASES,
        code=code,
        terms=[term for term in terms if term[2]],
        unknown=[typed for _, typed, options in terms if not options],
        may_change=opened.fmd.rights.changes,
        is_saved=request.query_params.get("guardado") == "1",
    )


@routes.post("/{code}/codigos")
def choose_codes(request: Request, db: Db, fmd: CurrentFmd, now: Now, form: LongForm, code: str) -> Response:
    """Only what the page offers for the words as they are now is taken. Raises MayNotChange."""
    fmd.must_change()
    (documents, found), language = _found(db, fmd), language_of(request)
    patches: dict[str, Document] = {}
    for one in found:
        chosen = form.get(one.name, "")
        if chosen and chosen in dict(one.options(language)):
            _give_code(patches, documents, one, chosen)
    if patches:
        patch_models(db, fmd, patches, now, confirms=False)
    return go_to(request, f"/app/{code}/codigos?guardado=1")


def uncoded_terms(documents: Mapping[str, Document], *, may_move: bool = False) -> Iterator[UncodedTerm]:
    for model in CATALOG:
        wire = model.about.wire
        for items in form_of(model):
            for fact in _facts(documents.get(wire, {}).get(items.name)):
                for field, terms in _term_fields(items):
                    term = fact.get(field) if field else fact
                    if isinstance(term, Mapping) and text_in(term, "texto") and not term.get("codigo"):
                        moves = may_move and wire in ALLERGENS and fact.keys() - {field} <= MOVABLE
                        yield UncodedTerm(wire, items.name, fact, field, terms, moves)


# What both lists of allergies say of one.
MOVABLE = AlergiaMedicamento.model_fields.keys()


def _term_fields(items: FormField) -> list[tuple[str, str]]:
    """Of the facts of a list: the fields that are terms, each with the kind of its terms."""
    if items.widget != "list":
        return []
    if any(field.name == "sistema" for field in items.fields):
        return [("", items.terms)]
    return [(field.name, field.terms) for field in items.fields if field.widget == "coded"]


def _facts(items: Any) -> Sequence[Document]:
    return [one for one in items if isinstance(one, dict) and "id" in one] if isinstance(items, list) else []


def _give_code(patches: dict[str, Document], documents: Mapping[str, Document], one: UncodedTerm, chosen: str) -> None:
    """The term takes the place of the words; a term of the other list of allergies takes the fact there with it."""
    model, _, packed = chosen.partition("|")
    term = unpacked(packed)
    here = patches.setdefault(one.model, {}).setdefault(one.items, list(documents[one.model][one.items]))
    at = next(index for index, fact in enumerate(here) if fact["id"] == one.fact["id"])
    if model == one.model:
        here[at] = here[at] | ({one.field: term} if one.field else term)
        return
    del here[at]
    there = patches.setdefault(model, {}).setdefault(one.items, list(documents.get(model, {}).get(one.items) or ()))
    there.append({name: value for name, value in one.fact.items() if name not in ("id", one.field)})
    there[-1][ALLERGENS[model]] = term
    patches[model]["ausencia"] = None


def _found(tx: Transaction, fmd: OpenFmd) -> tuple[dict[str, Document], list[UncodedTerm]]:
    """What this person may see of the record, and its words without a code. Where somebody decided who sees one of the
    lists of allergies, nothing goes from one to the other: it would be seen by others."""
    stored = {name: entry.document for name, entry in stored_documents(tx, fmd.id, fmd.key).items()}
    documents = visible_documents(stored, fmd.rights.door)
    decided = {key.partition("/")[0] for key in stored.get(CONSENT, {}).get("visibilidad") or ()}
    return documents, list(uncoded_terms(documents, may_move=decided.isdisjoint(ALLERGENS)))
