"""The progress of an alert as sentences in the reader's language: "madre leyó el aviso hace 40 s"."""

from collections.abc import Sequence

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_progress import LiveLine, News
from ficha.emergencies.ladder import Channel
from ficha.fmd.responder.dates_and_amounts import say
from ficha.fmd.responder.languages import relation
from ficha.web.kit.language import Phrase, in_language

SOMEBODY = Phrase("un contacto", "a contact", "um contato")

SENTENCES = {
    News.OPENED: Phrase(
        "Aviso enviado a nuestro servicio", "Alert given to our service", "Aviso enviado ao nosso serviço"
    ),
    News.TRIED: Phrase("Avisando a {who} {how}", "Alerting {who} {how}", "Avisando {who} {how}"),
    News.SENT: Phrase("Enviado a {who} {how}", "Sent to {who} {how}", "Enviado a {who} {how}"),
    News.DELIVERED: Phrase("Entregado a {who} {how}", "Delivered to {who} {how}", "Entregue a {who} {how}"),
    News.READ: Phrase("{who} leyó el aviso", "{who} read the alert", "{who} leu o aviso"),
    News.SILENT: Phrase(
        "No se pudo avisar a {who} {how}", "Could not reach {who} {how}", "Não foi possível avisar {who} {how}"
    ),
    News.COMING: Phrase("{who} viene en camino", "{who} is on the way", "{who} está a caminho"),
    News.CANNOT: Phrase("{who} no puede venir", "{who} cannot come", "{who} não pode vir"),
    News.STAFF: Phrase("Nuestro equipo fue avisado", "Our team was alerted", "Nossa equipe foi avisada"),
    News.ACKNOWLEDGED: Phrase("La familia ya lo sabe", "The family knows", "A família já sabe"),
    News.RESOLVED: Phrase("La emergencia terminó", "The emergency is over", "A emergência terminou"),
    News.CANCELED: Phrase("El aviso fue cancelado", "The alert was canceled", "O aviso foi cancelado"),
}
CHANNELS = {
    Channel.WHATSAPP: Phrase("por WhatsApp", "by WhatsApp", "por WhatsApp"),
    Channel.CORREO: Phrase("por correo", "by e-mail", "por e-mail"),
    Channel.PUSH: Phrase("por notificación", "by notification", "por notificação"),
}
SECONDS = Phrase("hace {n} s", "{n} s ago", "há {n} s")
MINUTES = Phrase("hace {n} min", "{n} min ago", "há {n} min")


def progress_sentences(lines: Sequence[LiveLine], language: Idioma) -> tuple[str, ...]:
    return tuple(_sentence(line, language) for line in lines)


def coming_sentences(relations: Sequence[str], language: Idioma) -> tuple[str, ...]:
    """Who else is on the way, for a contact who is deciding whether to go."""
    phrase = in_language(SENTENCES[News.COMING], language)
    return tuple(_capital(phrase.format(who=_who(written, "", language))) for written in relations)


def _sentence(line: LiveLine, language: Idioma) -> str:
    who = _who(line.relation, line.name, language)
    how = in_language(CHANNELS[Channel(line.channel)], language) if line.channel in set(CHANNELS) else ""
    sentence = " ".join(in_language(SENTENCES[line.kind], language).format(who=who, how=how).split())
    age = SECONDS if line.seconds < 90 else MINUTES
    ago = in_language(age, language).format(n=line.seconds if age is SECONDS else line.seconds // 60)
    return f"{_capital(sentence)} · {ago}"


def _who(written: str, name: str, language: Idioma) -> str:
    known = relation(written) if written else None
    return (say(known, language) if known else written) or name or in_language(SOMEBODY, language)


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
