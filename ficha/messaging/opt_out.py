"""The words that stop our messages, or start them again. They count only if the message says nothing else. What only
sounds as if somebody wants no more of them is asked back, once."""

import unicodedata
from collections.abc import Mapping
from enum import StrEnum


class OptOutWord(StrEnum):
    STOP = "stop"
    START = "start"


STOP_WORDS = ("baja", "stop", "salir", "parar", "sair", "cancelar suscripcion", "unsubscribe", "no mas mensajes")
START_WORDS = ("alta", "start", "volver", "voltar", "subscribe")
WORDS = {OptOutWord.STOP: STOP_WORDS, OptOutWord.START: START_WORDS}

# What people write instead, alone or within a short message: none of it is plain enough to stop alerts.
SOUNDS_LIKE_STOP = (
    "alto", "baja", "basta", "cancelar", "cancel", "cancela", "dar de baja", "darme de baja", "deje de escribir",
    "dejen de escribir", "no envien mas", "no escriban", "no manden mas", "no me escriba", "no me escriban",
    "no me mande", "no me manden", "no quiero mensajes", "no quiero mas mensajes", "nao escrevam", "nao me escrevam",
    "nao me mande", "nao quero mensagens", "nao quero mais mensagens", "parem de escrever", "pare de escrever",
    "remove me", "stop", "stop all", "stop messaging", "unsubscribe",
)  # fmt: skip
ASK_LETTERS = 60
ASK_BACK = {
    "es": "¿Quiere que no le escribamos más, tampoco en una emergencia? Si es así, responda solo BAJA.",
    "en": "Do you want no more messages from us, not even in an emergency? If so, reply just STOP.",
    "pt": "Quer que não escrevamos mais, nem em uma emergência? Se for assim, responda apenas PARAR.",
}

# In the language of the person's account where we know it, else in all three.
CONFIRMATIONS = {
    OptOutWord.STOP: {
        "es": "Listo: no le enviaremos más mensajes por aquí, tampoco en una emergencia. Para volver, escriba ALTA.",
        "en": "Done: we will send you no more messages here, not even in an emergency. To come back, write START.",
        "pt": "Pronto: não enviaremos mais mensagens por aqui, nem em uma emergência. Para voltar, escreva VOLTAR.",
    },
    OptOutWord.START: {
        "es": "Bienvenido de nuevo: volverá a recibir nuestros mensajes por aquí. Para dejarlos, escriba BAJA.",
        "en": "Welcome back: you will get our messages here again. To stop them, write STOP.",
        "pt": "Bem-vindo de volta: você voltará a receber nossas mensagens por aqui. Para parar, escreva PARAR.",
    },
}


def opt_out_word_in(words: str | None) -> OptOutWord | None:
    if words is None or len(words) > 40:
        return None
    text = _plain(words)
    return next((word for word, spellings in WORDS.items() if text in spellings), None)


def sounds_like_stop(words: str | None) -> bool:
    """Whether a short message may mean that somebody wants no more of ours, without being one of the plain words."""
    if words is None or len(words) > ASK_LETTERS or opt_out_word_in(words) is not None:
        return False
    return any(f" {phrase} " in f" {_plain(words)} " for phrase in SOUNDS_LIKE_STOP)


def confirmation_of(word: OptOutWord, idioma: str | None) -> str:
    return _in_language(CONFIRMATIONS[word], idioma)


def question_back(idioma: str | None) -> str:
    return _in_language(ASK_BACK, idioma)


def _in_language(texts: Mapping[str, str], idioma: str | None) -> str:
    return texts[idioma] if idioma is not None and idioma in texts else "\n\n".join(texts.values())


def _plain(words: str) -> str:
    plain = unicodedata.normalize("NFKD", words.casefold())
    letters = "".join(c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    return " ".join(letters.split())
