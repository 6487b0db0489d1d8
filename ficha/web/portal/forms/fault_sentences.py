"""What is wrong with a fact, in the reader's language. The API says the same in Spanish (http/errors.py)."""

from collections.abc import Iterator, Mapping
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.core.phones import NotDialable, to_e164
from ficha.web.kit.forms import FieldFault
from ficha.web.kit.texts import page_texts

SENTENCES = page_texts("portal", "faults")
# By field, where what was typed has not its form: how it is written. A number that is too short or has letters is as
# wrong as one that its country does not have, and is told the same.
HOW_WRITTEN = {
    "telefono": "telefono_invalido",
    "cod_telefono": "prefijo_invalido",
    "idioma": "idioma_invalido",
    "idiomas": "idioma_invalido",
    "nacionalidad": "pais_invalido",
    "pais": "pais_invalido",
    "zona_horaria": "zona_desconocida",
}


def fault_sentence(fault: Mapping[str, Any], language: Idioma) -> str:
    kind = fault["type"]
    if kind == "string_pattern_mismatch":
        names = [step for step in fault.get("loc", ()) if isinstance(step, str)]
        kind = HOW_WRITTEN.get(names[-1], kind) if names else kind
    known = SENTENCES.get(kind, SENTENCES["other"]).in_language(language)
    return known.format(**fault.get("ctx") or {})


def wrong_phones(document: Any, language: Idioma, at: str = "") -> Iterator[FieldFault]:
    """Of a form that is not saved yet, as after each step of it: nobody goes on with a number that reaches nobody."""
    if isinstance(document, list):
        for index, item in enumerate(document):
            yield from wrong_phones(item, language, f"{at}{index}.")
    if not isinstance(document, Mapping):
        return
    prefix, number = document.get("cod_telefono"), document.get("telefono")
    if isinstance(prefix, str) and isinstance(number, str) and prefix and number and not _reaches(prefix, number):
        yield FieldFault(f"{at}telefono", SENTENCES["telefono_invalido"].in_language(language))
    for name, value in document.items():
        yield from wrong_phones(value, language, f"{at}{name}.")


def _reaches(prefix: str, number: str) -> bool:
    try:
        return bool(to_e164(prefix, number))
    except (NotDialable, ValueError):
        return False
