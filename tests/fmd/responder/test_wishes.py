"""What the person wants done or left undone, and what it is worth: signed, stated, or written down somewhere else."""

import pytest

from ficha.fmd.responder import phrases
from tests.fmd.responder.test_view import details, part, titles, view


def test_a_wish_is_only_stated_until_a_signed_document_is_attached() -> None:
    stated = view({"consentimiento": {"rechaza_transfusion": True, "donante_organos": False}})
    assert titles(part(stated, "wishes")) == ["Rechaza transfusiones", "No es donante de órganos"]
    assert {text for line in part(stated, "wishes").lines for text in details(line)} == {phrases.STATED.es}
    will = {"tipo": "limitar", "documento_id": "doc_1", "lugar": "Notaría", "resumen": "Sin ventilador."}
    signed = part(view({"consentimiento": {"voluntad_anticipada": will, "rechaza_transfusion": True}}), "wishes")
    assert details(signed.lines[0]) == ["con documento firmado", "el documento está en: Notaría"]
    assert signed.lines[0].notes[0] == ("Sin ventilador.", True, False)
    assert "doc_1" not in repr(signed)


def test_the_document_of_a_directive_may_say_nothing_of_transfusions_and_organs() -> None:
    will = {"tipo": "limitar", "documento_id": "doc_1"}
    consent = {"voluntad_anticipada": will, "rechaza_transfusion": True, "donante_organos": True}
    told = part(view({"consentimiento": consent}), "wishes")
    apart = ["preferencia declarada, no consta si está en el documento"]
    assert [details(line) for line in told.lines] == [["con documento firmado"], apart, apart]
    del will["tipo"]
    told = part(view({"consentimiento": consent}), "wishes")
    assert {text for line in told.lines for text in details(line)} == {"con documento firmado"}
    stated = view({"consentimiento": {"voluntad_anticipada": {"tipo": "limitar"}, "rechaza_transfusion": True}})
    assert {text for line in part(stated, "wishes").lines for text in details(line)} == {phrases.STATED.es}


@pytest.mark.parametrize(
    ("language", "said"),
    [
        ("es", "documento declarado, no adjunto: está en Notaría"),
        ("en", "document stated, not attached: it is at Notaría"),
        ("pt", "documento declarado, não anexado: está em Notaría"),
    ],
)
def test_a_document_kept_elsewhere_is_not_called_missing(language: str, said: str) -> None:
    will = {"tipo": "limitar", "lugar": "Notaría"}
    consent = {"consentimiento": {"voluntad_anticipada": will, "rechaza_transfusion": True}}
    told = part(view(consent, language), "wishes")
    assert [details(line) for line in told.lines] == [[said], [getattr(phrases.STATED_APART, language)]]
    assert getattr(phrases.STATED, language) not in repr(told) and getattr(phrases.KEPT_AT, language) not in repr(told)
