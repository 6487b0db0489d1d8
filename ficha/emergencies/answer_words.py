"""What a contact's words mean after an alert: that she comes, that she cannot, or neither. Whatever is not in these
tables is unclear: she is asked once more, and the ladder goes on."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from ficha.fmd.terms import folded


class Meaning(StrEnum):
    COMING = "coming"
    CANNOT = "cannot"
    WRONG_NUMBER = "wrong_number"
    NO_MORE_ALERTS = "no_more_alerts"
    UNCLEAR = "unclear"


# Whoever means one of these gets no more alerts about this person.
DECLINING = (Meaning.WRONG_NUMBER, Meaning.NO_MORE_ALERTS)
Phrases = Mapping[str, tuple[str, ...]]

# All in lower case and without accents; an apostrophe is a space. These count wherever they stand in a message.
COMING: Phrases = {
    "es": (
        "voy", "vamos", "yendo", "ya salgo", "salgo ya", "salgo para alla", "saliendo", "ya sali", "en camino",
        "estoy llegando", "ya llego", "llego en", "llegando", "ire", "iremos", "va conmigo", "vienen conmigo",
        "paso por ella", "paso por el", "estoy cerca", "ya estoy aqui", "estoy con ella", "estoy con el",
    ),
    "en": (
        "coming", "on my way", "on our way", "omw", "i m going", "im going", "going there", "i ll go", "i will go",
        "i ll be there", "i will be there", "be right there", "heading there", "heading over", "leaving now",
        "i m here", "i m with her", "i m with him",
    ),
    "pt": (
        "vou", "indo", "estou indo", "a caminho", "chego em", "chegando", "estou chegando", "saindo", "ja saio",
        "irei", "iremos", "estou perto", "ja estou aqui", "estou com ela", "estou com ele",
    ),
}  # fmt: skip
CANNOT: Phrases = {
    "es": (
        "no puedo", "no podre", "no podemos", "no voy", "no vamos", "no ire", "no iremos", "ya no voy", "imposible",
        "estoy de viaje", "estoy lejos", "no me es posible",
    ),
    "en": (
        "i cannot", "i can t", "i cant", "cannot", "can t", "i won t", "we can t", "not coming", "unable to",
        "i m away", "i m not able", "impossible",
    ),
    "pt": (
        "nao posso", "nao poderei", "nao podemos", "nao vou", "nao vamos", "nao irei", "nao consigo", "impossivel",
        "estou viajando", "estou longe",
    ),
}  # fmt: skip
WRONG_NUMBER: Phrases = {
    "es": ("numero equivocado", "se equivoco de numero", "se equivocaron de numero", "no soy esa persona"),
    "en": ("wrong number", "wrong person", "not that person"),
    "pt": ("numero errado", "numero e errado", "ligou errado", "nao sou essa pessoa"),
}
# She cannot come, and wants no more alerts about this person.
NO_MORE_ALERTS: Phrases = {
    "es": (
        "no quiero mas avisos", "no quiero recibir avisos", "no quiero recibir mas avisos", "no quiero avisos",
        "no me avisen mas", "no me avise mas", "no me escriban mas", "no me escriba mas",
    ),
    "en": ("no more alerts", "want no alerts", "don t want alerts", "don t alert me", "don t write to me"),
    "pt": (
        "nao quero mais avisos", "nao quero receber avisos", "nao quero receber mais avisos", "nao quero avisos",
        "nao me avisem mais", "nao me avise mais", "nao me escrevam mais", "nao me escreva mais",
    ),
}  # fmt: skip
# These count only if the message says nothing else.
COMING_ALONE: Phrases = {
    "es": ("si", "claro", "si claro", "claro que si", "por supuesto", "de una"),
    "en": ("yes", "yes i am", "yes i can", "sure", "of course"),
    "pt": ("sim", "claro que sim", "com certeza", "posso"),
}
CANNOT_ALONE: Phrases = {
    "es": ("no", "nop", "lo siento no"),
    "en": ("no", "nope", "sorry no"),
    "pt": ("nao", "sinto muito nao", "nao da"),
}
WRONG_NUMBER_ALONE: Phrases = {
    "es": ("equivocado", "equivocada", "se equivoco", "se equivocaron"),
    "en": ("wrong", "wrong one"),
    "pt": ("errado", "errada", "engano", "e engano"),
}
# These also stop all our messages (opt_out.py): her answer counts all the same.
NO_MORE_ALONE: Phrases = {"es": ("baja", "basta"), "en": ("stop", "unsubscribe"), "pt": ("parar", "sair")}
# What makes an answer uncertain, whatever else it says: another day, a condition, a doubt.
DOUBTFUL: Phrases = {
    "es": (
        "manana", "luego", "mas tarde", "despues", "quizas", "tal vez", "a lo mejor", "si puedo", "no se si",
        "creo que", "voy a ver", "vamos a ver", "voy a llamar", "voy a avisar", "voy a preguntar", "quien",
    ),
    "en": (
        "tomorrow", "later", "maybe", "perhaps", "if i can", "not sure", "i think", "who is this", "coming from",
        "going to call", "going to ask",
    ),
    "pt": (
        "amanha", "mais tarde", "depois", "talvez", "se eu puder", "se puder", "nao sei se", "acho que", "vou ver",
        "vou ligar", "vou avisar", "vou perguntar", "quem",
    ),
}  # fmt: skip
# A "no" that denies nothing.
HARMLESS: Phrases = {
    "es": ("no te preocupes", "no se preocupe", "no se preocupen", "no se mueva", "no la muevan", "no lo muevan"),
    "en": ("don t worry", "no worries", "no problem", "don t move"),
    "pt": ("nao se preocupe", "nao se preocupem", "sem problema", "nao mexam"),
}
# One of these beside words of coming leaves it open what is denied.
NEGATIONS: Phrases = {
    "es": ("no", "nunca", "ni", "tampoco", "nadie", "ya no"),
    "en": ("not", "never", "nobody", "don t", "isn t", "no"),
    "pt": ("nao", "nunca", "nem", "ninguem"),
}


def meaning_of(words: str | None) -> Meaning:
    """Coming only where nothing in the message says otherwise."""
    text = " ".join(re.findall(r"[a-z0-9]+", folded(words or "")))
    for phrase in _all(HARMLESS):
        text = f" {text} ".replace(f" {phrase} ", " ").strip()
    wants_none = _has(text, NO_MORE_ALERTS) and not _has(_without(text, NO_MORE_ALERTS), COMING)
    wants_none = wants_none or text in _all(NO_MORE_ALONE)
    if wants_none or _has(text, WRONG_NUMBER) or text in _all(WRONG_NUMBER_ALONE):
        return Meaning.NO_MORE_ALERTS if wants_none else Meaning.WRONG_NUMBER
    if text in _all(CANNOT_ALONE):
        return Meaning.CANNOT
    if _has(text, DOUBTFUL) or "?" in (words or ""):
        return Meaning.UNCLEAR
    if _has(text, CANNOT):
        rest = _without(text, CANNOT)
        return Meaning.UNCLEAR if _has(rest, COMING) else Meaning.CANNOT
    if text in _all(COMING_ALONE) or (_has(text, COMING) and not _has(text, NEGATIONS)):
        return Meaning.COMING
    return Meaning.UNCLEAR


def _all(phrases: Phrases) -> Iterable[str]:
    return [phrase for spoken in phrases.values() for phrase in spoken]


def _has(text: str, phrases: Phrases) -> bool:
    return any(f" {phrase} " in f" {text} " for phrase in _all(phrases))


def _without(text: str, phrases: Phrases) -> str:
    for phrase in _all(phrases):
        text = f" {text} ".replace(f" {phrase} ", " | ").strip()
    return text
