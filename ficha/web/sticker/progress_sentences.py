"""How far the alert has come, in the reader's words: "madre leyó el aviso hace 40 s"."""

from collections.abc import Sequence

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_progress import LiveLine, News
from ficha.emergencies.ladder import Channel
from ficha.fmd.responder.dates_and_amounts import say
from ficha.fmd.responder.languages import relation
from ficha.web.kit.language import Phrase

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
WAYS = {
    Channel.WHATSAPP: Phrase("por WhatsApp", "by WhatsApp", "por WhatsApp"),
    Channel.CORREO: Phrase("por correo", "by e-mail", "por e-mail"),
    Channel.PUSH: Phrase("por notificación", "by notification", "por notificação"),
}
SECONDS = Phrase("hace {n} s", "{n} s ago", "há {n} s")
MINUTES = Phrase("hace {n} min", "{n} min ago", "há {n} min")


def sentences(lines: Sequence[LiveLine], language: Idioma) -> tuple[str, ...]:
    return tuple(_sentence(line, language) for line in lines)


def coming_said(relations: Sequence[str], language: Idioma) -> tuple[str, ...]:
    """Who else is going, for a contact who asks herself whether to."""
    return tuple(
        _capital(_in(SENTENCES[News.COMING], language).format(who=_who(written, "", language))) for written in relations
    )


def _sentence(line: LiveLine, language: Idioma) -> str:
    who = _who(line.relation, line.name, language)
    how = _in(WAYS[Channel(line.channel)], language) if line.channel in set(WAYS) else ""
    said = " ".join(_in(SENTENCES[line.kind], language).format(who=who, how=how).split())
    age = SECONDS if line.seconds < 90 else MINUTES
    ago = _in(age, language).format(n=line.seconds if age is SECONDS else line.seconds // 60)
    return f"{_capital(said)} · {ago}"


def _who(written: str, name: str, language: Idioma) -> str:
    known = relation(written) if written else None
    return (say(known, language) if known else written) or name or _in(SOMEBODY, language)


def _capital(said: str) -> str:
    return said[:1].upper() + said[1:]


def _in(said: Phrase, language: Idioma) -> str:
    found: str = getattr(said, language.value)
    return found
