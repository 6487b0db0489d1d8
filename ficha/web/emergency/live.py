"""How far the alert has come, in the reader's words: "madre leyó el aviso hace 40 s"."""

from collections.abc import Sequence

from ficha.accounts.accounts import Idioma
from ficha.emergencies.ladder import Channel
from ficha.emergencies.live import LiveLine, News
from ficha.fmd.emergency.languages import relation
from ficha.fmd.emergency.speech import say
from ficha.web.language import Said

SOMEBODY = Said("un contacto", "a contact", "um contato")

SENTENCES = {
    News.OPENED: Said(
        "Aviso enviado a nuestro servicio", "Alert given to our service", "Aviso enviado ao nosso serviço"
    ),
    News.TRIED: Said("Avisando a {who} {how}", "Alerting {who} {how}", "Avisando {who} {how}"),
    News.SENT: Said("Enviado a {who} {how}", "Sent to {who} {how}", "Enviado a {who} {how}"),
    News.DELIVERED: Said("Entregado a {who} {how}", "Delivered to {who} {how}", "Entregue a {who} {how}"),
    News.READ: Said("{who} leyó el aviso", "{who} read the alert", "{who} leu o aviso"),
    News.SILENT: Said(
        "No se pudo avisar a {who} {how}", "Could not reach {who} {how}", "Não foi possível avisar {who} {how}"
    ),
    News.COMING: Said("{who} viene en camino", "{who} is on the way", "{who} está a caminho"),
    News.CANNOT: Said("{who} no puede venir", "{who} cannot come", "{who} não pode vir"),
    News.STAFF: Said("Nuestro equipo fue avisado", "Our team was alerted", "Nossa equipe foi avisada"),
    News.ACKNOWLEDGED: Said("La familia ya lo sabe", "The family knows", "A família já sabe"),
    News.RESOLVED: Said("La emergencia terminó", "The emergency is over", "A emergência terminou"),
    News.CANCELED: Said("El aviso fue cancelado", "The alert was canceled", "O aviso foi cancelado"),
}
WAYS = {
    Channel.WHATSAPP: Said("por WhatsApp", "by WhatsApp", "por WhatsApp"),
    Channel.CORREO: Said("por correo", "by e-mail", "por e-mail"),
    Channel.PUSH: Said("por notificación", "by notification", "por notificação"),
}
SECONDS = Said("hace {n} s", "{n} s ago", "há {n} s")
MINUTES = Said("hace {n} min", "{n} min ago", "há {n} min")


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


def _in(said: Said, language: Idioma) -> str:
    found: str = getattr(said, language.value)
    return found
