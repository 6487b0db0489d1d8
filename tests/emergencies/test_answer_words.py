"""What people write after an alert, in the three languages, and what it means."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ficha.emergencies import answer_words
from ficha.emergencies.answer_words import Meaning, meaning_of

SAID: dict[Meaning, list[str | None]] = {
    Meaning.COMING: [
        "voy", "Voy!", "VOY en camino", "ya salgo para allá", "Sí", "sí, ya voy", "Nora va conmigo", "vamos saliendo",
        "no te preocupes, voy", "llego en 10 minutos", "estoy con ella", "on my way", "I'm coming", "OMW", "yes",
        "I'll be there in 5", "Don't worry, I'm going", "Vou", "estou indo", "sim", "a caminho", "chego em 5 min",
    ],
    Meaning.CANNOT: [
        "no", "No.", "no puedo", "No puedo, estoy de viaje", "ya no voy", "imposible", "I can't", "I cannot",
        "can’t make it", "nope", "não", "não posso agora", "Nao vou", "lo siento, no puedo",
    ],
    Meaning.WRONG_NUMBER: [
        "Número equivocado", "creo que es un número equivocado", "wrong number", "número errado",
        "Equivocado", "errado",
    ],
    Meaning.NO_MORE_ALERTS: ["Stop", "BAJA", "basta", "parar"],
    Meaning.UNCLEAR: [
        "", None, "👍", "👎", "ok", "¿Qué pasó?", "quién es", "¿voy?", "voy mañana", "tal vez voy", "voy a ver",
        "No estoy segura de dónde es, pero voy", "no sé si voy", "no puedo creerlo, voy", "nadie va, voy yo no",
        "gracias", "maybe", "who is this", "coming tomorrow", "I'm not sure I'm coming", "talvez vou", "amanhã vou",
        "vou ver", "el convoy llegó", "invoice", "avenida",
    ],
}  # fmt: skip


@pytest.mark.parametrize(("words", "meaning"), [(words, meaning) for meaning, said in SAID.items() for words in said])
def test_what_it_means(words: str | None, meaning: Meaning) -> None:
    assert meaning_of(words) is meaning


@pytest.mark.parametrize("name", ["COMING", "CANNOT", "WRONG_NUMBER", "NO_MORE_ALERTS"])
def test_every_phrase_of_a_table_alone_has_its_meaning(name: str) -> None:
    for phrases in getattr(answer_words, name).values():
        for phrase in phrases:
            assert meaning_of(phrase) is Meaning[name], phrase


@settings(max_examples=30)
@given(st.text(max_size=40))
def test_a_question_never_says_that_somebody_comes(words: str) -> None:
    assert meaning_of(f"{words}?") is not Meaning.COMING


def test_every_table_speaks_the_three_languages() -> None:
    tables = [value for value in vars(answer_words).values() if isinstance(value, dict) and "es" in value]
    assert len(tables) == 11 and all(set(table) == {"es", "en", "pt"} for table in tables)
