"""What each reader is told of an alert, in every state: one table, from which the pages take their sentence and
docs/alert-states.md is made."""

from collections.abc import Mapping, Sequence
from enum import StrEnum

from ficha.accounts.accounts import Idioma
from ficha.emergencies.alert_progress import AlertState, ProgressKind, ProgressLine, alert_state
from ficha.fmd.local_time import local_time_text
from ficha.fmd.translations import Translated
from ficha.web.kit.alert_sentences import SENTENCES, capital, contact_words


class Reader(StrEnum):
    """The contact is one who said that she cannot come, and reads what became of the others."""

    STRANGER = "stranger"
    CONTACT = "contact"
    FAMILY = "family"
    DESK = "desk"


NO_PAGE = Translated("", "", "")
ENDED = Translated("Este aviso terminó", "This alert is over", "Este aviso terminou")
FALSE_ALARM = Translated("Fue una falsa alarma", "It was a false alarm", "Foi um alarme falso")
GOES = Translated("{who} va en camino", "{who} is on the way", "{who} está a caminho")
NOBODY_LEFT = Translated(
    "No hay nadie más a quien avisar.", "There is nobody else to alert.", "Não há mais ninguém a quem avisar."
)
WHO_ELSE = Translated(
    "Vemos a quién más avisar.", "We are looking whom else to alert.", "Estamos vendo quem mais avisar."
)
ALERTING = Translated("Avisando…", "Alerting…", "Avisando…")
ALERTING_STAFF = Translated(
    "Avisando a nuestro equipo de guardia…", "Alerting our team on call…", "Avisando a nossa equipe de plantão…"
)
NOBODY_COMES = Translated(
    "{who} no puede venir, y no hay nadie más a quien avisar",
    "{who} cannot come, and there is nobody else to alert",
    "{who} não pode vir, e não há mais ninguém a quem avisar",
)
NOBODY_ANSWERED = Translated(
    "Nadie ha respondido, y no hay nadie más a quien avisar",
    "Nobody has answered, and there is nobody else to alert",
    "Ninguém respondeu, e não há mais ninguém a quem avisar",
)
NOT_REACHED_YET = Translated(
    "Todavía no pudimos avisar a nadie", "We could not alert anybody yet", "Ainda não conseguimos avisar ninguém"
)
NOBODY_REACHED = Translated("No pudimos avisar a nadie", "We could not alert anybody", "Não conseguimos avisar ninguém")


def _call(told: Translated) -> Translated:
    """Of no use to anybody but who stands before the numbers."""
    return Translated(
        f"{told.es}: llame a los números de esta página.",
        f"{told.en}: call the numbers on this page.",
        f"{told.pt}: ligue para os números desta página.",
    )


def _same(told: Translated, contact: Translated | None = None) -> dict[Reader, Translated]:
    return dict.fromkeys(Reader, told) | ({} if contact is None else {Reader.CONTACT: contact})


def _said(kind: ProgressKind) -> Translated:
    """As in the list below the headline, without the channel."""
    return Translated(*(words.replace(" {how}", "") for words in SENTENCES[kind]))


HEADLINES: Mapping[AlertState, Mapping[Reader, Translated]] = {
    AlertState.CANCELED: _same(_said(ProgressKind.CANCELED), ENDED) | {Reader.FAMILY: FALSE_ALARM},
    AlertState.RESOLVED: _same(_said(ProgressKind.RESOLVED), ENDED),
    AlertState.COMING: _same(_said(ProgressKind.COMING)),
    AlertState.ACKNOWLEDGED: _same(_said(ProgressKind.ACKNOWLEDGED)) | {Reader.FAMILY: GOES},
    AlertState.WITHDREW: _same(
        Translated(
            "{who} ya no puede venir. El aviso sigue.",
            "{who} can no longer come. The alert goes on.",
            "{who} já não pode vir. O aviso continua.",
        ),
        Translated(
            "{who} ya no puede ir. El aviso sigue.",
            "{who} can no longer go. The alert goes on.",
            "{who} já não pode ir. O aviso continua.",
        ),
    ),
    AlertState.UNCLEAR: _same(_said(ProgressKind.UNCLEAR)),
    AlertState.READ: _same(_said(ProgressKind.READ)),
    AlertState.DELIVERED: _same(_said(ProgressKind.DELIVERED)),
    AlertState.STAFF_HAS: _same(_said(ProgressKind.STAFF_HAS)),
    AlertState.STAFF_SENT: _same(_said(ProgressKind.STAFF_SENT)),
    AlertState.HELD_BACK: {
        Reader.STRANGER: Translated(
            "Hace poco salió otro aviso. Avisaremos a la familia a las {at}, dentro de {minutes} min. Llame ahora a los"
            " números de esta página.",
            "Another alert left a short while ago. We will alert the family at {at}, in {minutes} min. Call the numbers"
            " on this page now.",
            "Há pouco saiu outro aviso. Avisaremos a família às {at}, em {minutes} min. Ligue agora para os números"
            " desta página.",
        ),
        Reader.CONTACT: NO_PAGE,
        Reader.FAMILY: Translated(
            "Hace poco salió otro aviso. Avisaremos a los contactos a las {at}, dentro de {minutes} min.",
            "Another alert left a short while ago. We will alert the contacts at {at}, in {minutes} min.",
            "Há pouco saiu outro aviso. Avisaremos os contatos às {at}, em {minutes} min.",
        ),
        Reader.DESK: Translated(
            "Hace poco salió otro aviso: la familia no sabe de este hasta las {at}, dentro de {minutes} min.",
            "Another alert left a short while ago: the family does not know of this one until {at}, in {minutes} min.",
            "Há pouco saiu outro aviso: a família só saberá deste às {at}, em {minutes} min.",
        ),
    },
    AlertState.ALERTING: {
        Reader.STRANGER: ALERTING,
        Reader.CONTACT: Translated(
            "Estamos avisando a otra persona.", "We are alerting somebody else.", "Estamos avisando outra pessoa."
        ),
        Reader.FAMILY: Translated(
            "Estamos avisando a los contactos. Nadie viene todavía.",
            "We are alerting the contacts. Nobody is on the way yet.",
            "Estamos avisando os contatos. Ninguém vem ainda.",
        ),
        Reader.DESK: Translated(
            "Avisando a la familia. Nadie viene todavía.",
            "Alerting the family. Nobody is on the way yet.",
            "Avisando a família. Ninguém vem ainda.",
        ),
    },
    AlertState.ALERTING_STAFF: _same(ALERTING_STAFF),
    AlertState.CANNOT_COME: _same(
        _said(ProgressKind.CANNOT_COME),
        Translated(
            "{who} tampoco puede ir. Vemos a quién más avisar.",
            "{who} cannot go either. We are looking whom else to alert.",
            "{who} também não pode ir. Estamos vendo quem mais avisar.",
        ),
    ),
    AlertState.NOT_REACHED_YET: _same(NOT_REACHED_YET, WHO_ELSE) | {Reader.STRANGER: _call(NOT_REACHED_YET)},
    AlertState.NEXT_STEP: _same(
        Translated(
            "El próximo aviso está por salir. Nadie viene todavía.",
            "The next alert is about to leave. Nobody is on the way yet.",
            "O próximo aviso está para sair. Ninguém vem ainda.",
        ),
        WHO_ELSE,
    )
    | {Reader.STRANGER: ALERTING},
    AlertState.NOBODY_COMES: _same(
        NOBODY_COMES,
        Translated(
            "{who} tampoco puede ir, y no hay nadie más a quien avisar.",
            "{who} cannot go either, and there is nobody else to alert.",
            "{who} também não pode ir, e não há mais ninguém a quem avisar.",
        ),
    )
    | {Reader.STRANGER: _call(NOBODY_COMES)},
    AlertState.NOBODY_ANSWERED: _same(
        NOBODY_ANSWERED,
        Translated(
            "Nadie más ha respondido, y no hay nadie más a quien avisar.",
            "Nobody else has answered, and there is nobody else to alert.",
            "Ninguém mais respondeu, e não há mais ninguém a quem avisar.",
        ),
    )
    | {Reader.STRANGER: _call(NOBODY_ANSWERED)},
    AlertState.NOBODY_REACHED: _same(NOBODY_REACHED, NOBODY_LEFT) | {Reader.STRANGER: _call(NOBODY_REACHED)},
}
# Who said on the pages of the family that somebody goes, where her name is not known.
SOMEBODY = Translated("alguien", "somebody", "alguém")


def headline(reader: Reader, lines: Sequence[ProgressLine], language: Idioma, zone: str = "") -> str:
    """`zone` is that of the times that it tells. For a contact, `lines` are those of the others."""
    state, line = alert_state(lines)
    phrase = HEADLINES[state][reader].in_language(language)
    if line is None:
        return phrase
    at = minutes = ""
    if line.until is not None:
        left = (line.until - line.at).total_seconds() - line.seconds
        at, minutes = local_time_text(line.until, zone, language.value), str(max(1, -(-int(left) // 60)))
    who = contact_words(line.relation, line.name, language)
    if state is AlertState.ACKNOWLEDGED:
        who = line.name or SOMEBODY.in_language(language)
    return capital(phrase.format(who=who, at=at, minutes=minutes))
