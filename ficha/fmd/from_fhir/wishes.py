"""Consent read back into `consentimiento`: an advance directive, transfusion, organs. Who may see what never comes from
outside."""

from collections.abc import Iterator, Mapping
from typing import Any

from ficha.fmd.fhir_codes import DIRECTIVES, WISHES
from ficha.fmd.fhir_reading import (
    FhirFact,
    FhirReader,
    WhyNot,
    day,
    first_of,
    hl7_code,
    is_ours,
    items,
    meant,
    own_code,
    own_fields,
    part,
    said,
    word,
)
from ficha.fmd.from_fhir.terms import one_line, texts
from ficha.fmd.translations import Translated

VOLUNTADES = meant(DIRECTIVES)
DIRECTIVE_CODES = frozenset({"acd", *VOLUNTADES})
PROVISIONS = {
    "permit": Translated("Permite: {}", "Allows: {}", "Permite: {}"),
    "deny": Translated("No permite: {}", "Does not allow: {}", "Não permite: {}"),
}
EXCEPTIONS = Translated(
    "Con excepciones que solo dice el documento",
    "With exceptions that only the document tells",
    "Com exceções que só o documento diz",
)
MOST_EXCEPTIONS = 5


def read_wishes(reader: FhirReader) -> Iterator[FhirFact]:
    known: set[str] = set()
    for consent in sorted(reader.clinical("Consent"), key=lambda one: day(one, "dateTime") or "", reverse=True):
        field, value = _wish(consent, reader.language)
        if word(consent, "status") != "active":
            reader.refuse(consent, WhyNot.OVER)
        elif not field:
            reader.refuse(consent, WhyNot.OTHER_KIND)
        elif field in known:
            reader.refuse(consent, WhyNot.ONE_ALREADY)
        else:
            known.add(field)
            yield FhirFact(field, value, consent)


def _wish(consent: Mapping[str, Any], language: str) -> tuple[str, Any]:
    categories = items(consent, "category")
    ours = {own_code(one, "consentimiento") for one in categories}
    for name, wish in WISHES.items():
        if not ours.isdisjoint({wish.code, name}):  # Until 2.0.0 the code was the field's name.
            return name, word(part(consent, "provision"), "type") == wish.if_yes
    codes = _codes(consent)
    is_directive = hl7_code(part(consent, "scope"), "consentscope") == "adr"
    if not is_directive and DIRECTIVE_CODES.isdisjoint(codes):
        return "", None
    own = own_fields(consent)
    category = next(filter(None, map(VOLUNTADES.get, codes)), None)
    will = {
        "tipo": own.get("tipo") if is_ours(consent) else category or "otra",
        "resumen": own.get("resumen") if is_ours(consent) else _summary(consent, language) or None,
        "lugar": own.get("lugar"),
        "fecha": day(consent, "dateTime"),
    }
    return "voluntad_anticipada", {name: value for name, value in will.items() if value} or None


def _summary(consent: Mapping[str, Any], language: str) -> str:
    """What it is about, what is allowed and what is not, and the exceptions. That nobody may resuscitate is said by the
    category itself: nobody reads that this is not allowed."""
    title, provision = one_line(said(first_of(items(consent, "category")))), part(consent, "provision")
    decided = _decided(provision, language)
    kind, is_own_word = PROVISIONS.get(word(provision, "type")), not _codes(consent).isdisjoint(VOLUNTADES)
    if title and kind and not decided and not is_own_word:
        told = [kind.in_language(language).format(title)]
    else:
        told = [title, decided]
    inner = items(provision, "provision")
    exceptions = [_decided(one, language) for one in inner[:MOST_EXCEPTIONS]]
    is_all = inner == inner[:MOST_EXCEPTIONS] and all(exceptions) and not any(items(one, "provision") for one in inner)
    told += [*exceptions, "" if is_all else EXCEPTIONS.in_language(language)]
    return ". ".join(filter(None, told))


def _decided(provision: Mapping[str, Any], language: str) -> str:
    """Of the acts that it names; nothing if it names none."""
    kind, acts = PROVISIONS.get(word(provision, "type")), texts(items(provision, "code"))
    return kind.in_language(language).format(acts) if kind and acts else ""


def _codes(consent: Mapping[str, Any]) -> set[str]:
    return {hl7_code(one, "consentcategorycodes") for one in items(consent, "category")}
