"""The progress of an alert as sentences in the reader's language: "madre leyó el aviso hace 40 s"."""

from collections.abc import Sequence

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_progress import ProgressKind, ProgressLine
from ficha.emergencies.channels.catalog import CHANNELS
from ficha.fmd.responder.relations import relation
from ficha.fmd.translations import Translated

SOMEBODY = Translated("un contacto", "a contact", "um contato")

SENTENCES = {
    ProgressKind.OPENED: Translated(
        "Aviso enviado a nuestro servicio", "Alert given to our service", "Aviso enviado ao nosso serviço"
    ),
    ProgressKind.TRIED: Translated("Avisando a {who} {how}", "Alerting {who} {how}", "Avisando {who} {how}"),
    ProgressKind.SENT: Translated("Enviado a {who} {how}", "Sent to {who} {how}", "Enviado a {who} {how}"),
    ProgressKind.DELIVERED: Translated("Entregado a {who} {how}", "Delivered to {who} {how}", "Entregue a {who} {how}"),
    ProgressKind.READ: Translated("{who} leyó el aviso", "{who} read the alert", "{who} leu o aviso"),
    ProgressKind.NOT_SENT: Translated(
        "No se pudo avisar a {who} {how}", "Could not reach {who} {how}", "Não foi possível avisar {who} {how}"
    ),
    ProgressKind.COMING: Translated("{who} viene en camino", "{who} is on the way", "{who} está a caminho"),
    ProgressKind.CANNOT_COME: Translated("{who} no puede venir", "{who} cannot come", "{who} não pode vir"),
    ProgressKind.STAFF: Translated("Nuestro equipo fue avisado", "Our team was alerted", "Nossa equipe foi avisada"),
    ProgressKind.ACKNOWLEDGED: Translated("La familia ya lo sabe", "The family knows", "A família já sabe"),
    ProgressKind.RESOLVED: Translated("La emergencia terminó", "The emergency is over", "A emergência terminou"),
    ProgressKind.CANCELED: Translated("El aviso fue cancelado", "The alert was canceled", "O aviso foi cancelado"),
}
CHANNEL_WORDS = {channel.name: channel.words for channel in CHANNELS}
SECONDS = Translated("hace {n} s", "{n} s ago", "há {n} s")
MINUTES = Translated("hace {n} min", "{n} min ago", "há {n} min")


def progress_sentences(lines: Sequence[ProgressLine], language: Idioma) -> tuple[str, ...]:
    return tuple(_sentence(line, language) for line in lines)


def coming_sentences(relations: Sequence[str], language: Idioma) -> tuple[str, ...]:
    """Who else is on the way, for a contact who is deciding whether to go."""
    phrase = SENTENCES[ProgressKind.COMING].in_language(language)
    return tuple(_capital(phrase.format(who=_who(written, "", language))) for written in relations)


def _sentence(line: ProgressLine, language: Idioma) -> str:
    who = _who(line.relation, line.name, language)
    how = CHANNEL_WORDS[line.channel].in_language(language) if line.channel in CHANNEL_WORDS else ""
    sentence = " ".join(SENTENCES[line.kind].in_language(language).format(who=who, how=how).split())
    age = SECONDS if line.seconds < 90 else MINUTES
    ago = age.in_language(language).format(n=line.seconds if age is SECONDS else line.seconds // 60)
    return f"{_capital(sentence)} · {ago}"


def _who(written: str, name: str, language: Idioma) -> str:
    known = relation(written) if written else None
    return (known.in_language(language) if known else written) or name or SOMEBODY.in_language(language)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
