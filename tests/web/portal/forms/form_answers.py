"""What people may type into the form of a model, and the document that it says: made from the model's own fields.

An answer is the inputs by their names, the terms chosen from a search, and the document that the API must then show.
It is worked out here from what was meant, never by the code that reads the forms.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from hypothesis import strategies as st

from ficha.fmd.base import FmdModel, Shape
from ficha.fmd.catalog import CATALOG
from ficha.fmd.fields import FormField, ShapeField, fields_of, form_of
from ficha.fmd.model_parts import Coded
from ficha.fmd.terms import Term, all_terms, folded
from ficha.fmd.values import first_day
from tests.fmd.field_values import PARTNERS
from tests.web.portal.forms.form_values import (
    CORREOS,
    PHONES,
    Said,
    days,
    measures,
    numbers,
    phone_spellings,
    tags,
    text,
    texts,
)

MOST_ITEMS = 3


@dataclass
class FormAnswer:
    typed: dict[str, str] = field(default_factory=dict)
    # By the place of a term: what its search must offer, and which of it is chosen.
    chosen: dict[str, str] = field(default_factory=dict)
    document: dict[str, Any] = field(default_factory=dict)


def answers(model: type[FmdModel]) -> st.SearchStrategy[FormAnswer]:
    """Each field with something in it, or only some of them."""
    return st.sampled_from([1.0, 0.5]).flatmap(lambda share: _answers(model, share))


@st.composite
def _answers(draw: st.DrawFn, model: type[FmdModel], share: float) -> FormAnswer:
    said = draw(_shape(model, model.about.wire, share))
    return FormAnswer(
        {name.removeprefix("."): text for name, text in said.inputs.items()},
        {name.removeprefix("."): packed for name, packed in said.chosen.items()},
        said.value,
    )


@st.composite
def _shape(draw: st.DrawFn, shape: type[Shape], model: str, share: float, terms: str = "") -> Said:
    """`terms` are those of a list whose items are terms themselves."""
    inputs: dict[str, str] = {}
    chosen: dict[str, str] = {}
    value: dict[str, Any] = {}
    by_name = {one.name: one for one in fields_of(shape)}
    partners: dict[str, Said] = {}
    asked = list(form_of(shape))
    if issubclass(shape, Coded):
        term = draw(_term(model, terms))
        inputs, chosen, value = dict(term.inputs), dict(term.chosen), dict(term.value)
        asked = [one for one in asked if one.name not in Coded.model_fields]
    if {"cod_telefono", "telefono"} <= by_name.keys():
        asked = [one for one in asked if one.name not in ("cod_telefono", "telefono")]
        if by_name["telefono"].required or draw(_one_of(share)):
            prefix, number = draw(st.sampled_from(PHONES))
            inputs |= {".cod_telefono": prefix, ".telefono": draw(st.sampled_from(phone_spellings(number)))}
            value |= {"cod_telefono": prefix, "telefono": number}
    for one in asked:
        if one.absence_of:
            if not value.get(one.absence_of) and draw(_one_of(share)):
                value[one.name] = inputs[f".{one.name}"] = draw(st.sampled_from([name for name, _ in one.options]))
            continue
        if not one.required and not draw(_one_of(share)):
            continue
        said = draw(_field(one, by_name[one.name], model, share, _kind(shape, by_name[one.name])))
        if one.name in PARTNERS:
            partners[one.name] = said
            continue
        _add(inputs, chosen, value, one.name, said)
    for name, said in _in_order(partners):
        _add(inputs, chosen, value, name, said)
    return Said(inputs, value, chosen)


def _add(inputs: dict[str, str], chosen: dict[str, str], value: dict[str, Any], name: str, said: Said) -> None:
    inputs |= {f".{name}{end}": text for end, text in said.inputs.items()}
    chosen |= {f".{name}{end}": packed for end, packed in said.chosen.items()}
    if said.value not in (None, [], {}):
        value[name] = said.value


def _one_of(share: float) -> st.SearchStrategy[bool]:
    return st.just(True) if share == 1 else st.booleans()


def _in_order(partners: dict[str, Said]) -> Iterator[tuple[str, Said]]:
    """A period begins before it ends, whatever was drawn first."""
    names = [name for name in ("desde", "hasta", "vigente_desde", "vigente_hasta") if name in partners]
    return zip(
        names, sorted((partners[name] for name in names), key=lambda said: str(first_day(said.value))), strict=True
    )


def _kind(shape: type[Shape], known: ShapeField) -> str:
    """The name of a text with a form of its own, such as a country. A required field keeps it apart from its limits."""
    marks = [shape.model_fields[known.name], *known.limits]
    extras = (extra for mark in marks if isinstance(extra := getattr(mark, "json_schema_extra", None), dict))
    return next((str(extra["x-kind"]) for extra in extras if "x-kind" in extra), "")


def _field(one: FormField, known: ShapeField, model: str, share: float, kind: str) -> st.SearchStrategy[Said]:
    made: dict[str, Callable[[], st.SearchStrategy[Said]]] = {
        "group": lambda: _shape(_shape_of(known), model, share),
        "list": lambda: _lines(_shape(_shape_of(known), model, share, one.terms), one),
        "coded": lambda: _term(model, one.terms),
        "coded-list": lambda: _lines(_term(model, one.terms), one),
        "checkboxes": lambda: _several([name for name, _ in one.options]),
        "modules": lambda: _of_models(st.sampled_from([("si", True), ("no", False)])),
        "doors": lambda: _of_models(st.sampled_from([("R", "R"), ("B", "B"), ("P", "P")])),
        "yes-no": lambda: st.sampled_from([Said({"": "si"}, True), Said({"": "no"}, False)]),
        "radios": lambda: st.sampled_from([Said({"": name}, name) for name, _ in one.options]),
        "select": lambda: st.sampled_from([Said({"": name}, name) for name, _ in one.options]),
        "number": lambda: measures(one) if one.name.endswith(("_kg", "_cm")) else numbers(one),
        "date": lambda: days(known),
        "partial-date": lambda: days(known),
        "email": lambda: st.sampled_from([Said({"": typed}, stored) for typed, stored in CORREOS]),
        "tags": lambda: tags(known),
    }
    return made.get(one.widget, lambda: texts(one, kind))()


def _shape_of(known: ShapeField) -> type[Shape]:
    assert known.shape is not None
    return known.shape


@st.composite
def _lines(draw: st.DrawFn, line: st.SearchStrategy[Said], one: FormField) -> Said:
    lines = draw(
        st.lists(line, min_size=1 if one.required else 0, max_size=min(MOST_ITEMS, one.max_items or MOST_ITEMS))
    )
    return Said(
        {f".{place}{end}": text for place, said in enumerate(lines) for end, text in said.inputs.items()},
        [said.value for said in lines],
        {f".{place}{end}": packed for place, said in enumerate(lines) for end, packed in said.chosen.items()},
    )


@cache
def _terms(model: str, campo: str) -> tuple[Term, ...]:
    return tuple(one for one in all_terms() if one.modelo == model and one.campo == (campo or one.campo))


def _term(model: str, campo: str) -> st.SearchStrategy[Said]:
    """Free words; the words of the list in any language, with or without accents; or one chosen from a search."""
    free = text(200).map(lambda pair: _as_typed(*pair))
    known = _terms(model, campo)
    if not known:
        return free
    words = st.sampled_from(known).flatmap(
        lambda one: st.sampled_from([*one.words, one.words.es.upper(), folded(one.words.es)])
    )
    return free | words.map(lambda typed: _as_typed(typed, typed)) | st.sampled_from(known).map(_searched)


def _as_typed(typed: str, stored: str) -> Said:
    """Who types the words of a term has not chosen it."""
    return Said({".texto": typed}, {"texto": stored})


def _searched(one: Term) -> Said:
    value = {"texto": one.words.es, "sistema": one.sistema, "codigo": one.codigo}
    return Said({".texto": one.words.es}, value, {"": f"{one.sistema}|{one.codigo}|{one.words.es}"})


def _several(names: Sequence[str]) -> st.SearchStrategy[Said]:
    """In the order of the form, whichever was tapped first."""
    taken = st.sets(st.sampled_from(names))
    return taken.map(lambda some: Said({f".{one}": "si" for one in some}, [one for one in names if one in some]))


def _of_models(each: st.SearchStrategy[tuple[str, Any]]) -> st.SearchStrategy[Said]:
    some = st.dictionaries(st.sampled_from(sorted(CATALOG.names)), each)
    return some.map(
        lambda by: Said(
            {f".{name}": typed for name, (typed, _) in by.items()}, {name: value for name, (_, value) in by.items()}
        )
    )
