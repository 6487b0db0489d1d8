"""The words that stop our messages, or start them again. They count only if the message says nothing else."""

import unicodedata
from enum import StrEnum


class OptOutWord(StrEnum):
    STOP = "stop"
    START = "start"


WORDS = {
    OptOutWord.STOP: {
        "baja",
        "stop",
        "salir",
        "parar",
        "sair",
        "cancelar suscripcion",
        "unsubscribe",
        "no mas mensajes",
    },
    OptOutWord.START: {"alta", "start", "volver", "voltar", "subscribe"},
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
    plain = unicodedata.normalize("NFKD", words.casefold())
    letters = "".join(c if c.isalnum() else " " for c in plain if not unicodedata.combining(c))
    text = " ".join(letters.split())
    return next((word for word, spellings in WORDS.items() if text in spellings), None)


def confirmation_of(word: OptOutWord, idioma: str | None) -> str:
    texts = CONFIRMATIONS[word]
    return texts[idioma] if idioma in texts else "\n\n".join(texts.values())
