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
from ficha.fmd.from_fhir.terms import one_line

VOLUNTADES = meant(DIRECTIVES)
DIRECTIVE_CODES = frozenset({"acd", *VOLUNTADES})


def read_wishes(reader: FhirReader) -> Iterator[FhirFact]:
    known: set[str] = set()
    for consent in sorted(reader.clinical("Consent"), key=lambda one: day(one, "dateTime") or "", reverse=True):
        field, value = _wish(consent)
        if word(consent, "status") != "active":
            reader.refuse(consent, WhyNot.OVER)
        elif not field:
            reader.refuse(consent, WhyNot.OTHER_KIND)
        elif field in known:
            reader.refuse(consent, WhyNot.ONE_ALREADY)
        else:
            known.add(field)
            yield FhirFact(field, value, consent)


def _wish(consent: Mapping[str, Any]) -> tuple[str, Any]:
    categories = items(consent, "category")
    ours = {own_code(one, "consentimiento") for one in categories}
    for name, wish in WISHES.items():
        if not ours.isdisjoint({wish.code, name}):  # Until 2.0.0 the code was the field's name.
            return name, word(part(consent, "provision"), "type") == wish.if_yes
    codes = {hl7_code(one, "consentcategorycodes") for one in categories}
    is_directive = hl7_code(part(consent, "scope"), "consentscope") == "adr"
    if not is_directive and DIRECTIVE_CODES.isdisjoint(codes):
        return "", None
    own = own_fields(consent)
    category = next(filter(None, map(VOLUNTADES.get, codes)), None)
    will = {
        "tipo": own.get("tipo") if is_ours(consent) else category or "otra",
        "resumen": own.get("resumen") if is_ours(consent) else one_line(said(first_of(categories))) or None,
        "lugar": own.get("lugar"),
        "fecha": day(consent, "dateTime"),
    }
    return "voluntad_anticipada", {name: value for name, value in will.items() if value} or None
