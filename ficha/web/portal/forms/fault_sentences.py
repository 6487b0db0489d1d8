"""What is wrong with a fact, in the reader's language. The API says the same in Spanish (http/errors.py)."""

from collections.abc import Mapping
from typing import Any

from ficha.accounts.accounts import Idioma
from ficha.web.kit.texts import page_texts

SENTENCES = page_texts("portal", "faults")


def fault_sentence(fault: Mapping[str, Any], language: Idioma) -> str:
    known = SENTENCES.get(fault["type"], SENTENCES["other"]).in_language(language)
    return known.format(**fault.get("ctx") or {})
