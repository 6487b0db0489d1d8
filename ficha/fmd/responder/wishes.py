"""What the person wants done or left undone, and what such a wish is worth; what is seen and measured of her."""

from ficha.fmd.models.consentimiento import TipoVoluntad
from ficha.fmd.models.cuerpo import GrupoSanguineo
from ficha.fmd.responder import phrases
from ficha.fmd.responder.clinical import section
from ficha.fmd.responder.dates_and_amounts import amount_said, day_said
from ficha.fmd.responder.record_reader import Item, Reading, texts, written
from ficha.fmd.responder.view import Line, Section, Text


def wishes(reading: Reading) -> Section:
    """A wish is a stated preference unless a signed document is attached."""
    consent = reading.document("consentimiento")
    found = consent.get("voluntad_anticipada")
    directive: Item = found if isinstance(found, dict) else {}
    worth = Text(reading.say(phrases.SIGNED if written(directive, "documento_id") else phrases.STATED))
    lines = [_directive(reading, directive, worth)]
    flags = (
        ("rechaza_transfusion", phrases.REFUSES_BLOOD, phrases.ACCEPTS_BLOOD),
        ("donante_organos", phrases.DONOR, phrases.NO_DONOR),
    )
    for name, is_so, is_not in flags:
        value = consent.get(name)
        if isinstance(value, bool):
            lines.append(Line(Text(reading.say(is_so if value else is_not)), (worth,)))
    return section("wishes", reading.say(phrases.WISHES), lines)


def _directive(reading: Reading, directive: Item, worth: Text) -> Line | None:
    kind = reading.choice(TipoVoluntad, directive.get("tipo"))
    place, day = written(directive, "lugar"), day_said(directive.get("fecha"), reading.language)
    summary = texts(reading.own(directive, "resumen"))
    if not (kind or place or day or summary or written(directive, "documento_id")):
        return None
    title = kind.words if kind and kind is not TipoVoluntad.OTRA else phrases.DIRECTIVE
    details = texts(
        worth,
        Text(f"{reading.say(phrases.KEPT_AT)} {place}") if place else None,
        Text(day) if day else None,
    )
    return Line(Text(reading.say(title)), details, summary)


def body(reading: Reading) -> Section:
    cuerpo = reading.document("cuerpo")
    lines = [_blood(reading, cuerpo), _size(reading, cuerpo), _worn(reading, cuerpo)]
    marks = reading.own(cuerpo, "senas_particulares")
    if marks:
        lines.append(Line(Text(reading.say(phrases.MARKS)), (), (marks,)))
    says = [reading.say(phrases.NOT_READABLE)] if "cuerpo" in reading.unreadable else []
    return section("body", reading.say(phrases.BODY), lines, says)


def _blood(reading: Reading, cuerpo: Item) -> Line | None:
    """Spelt out: a small minus sign is easily missed."""
    group = reading.choice(GrupoSanguineo, cuerpo.get("grupo_sanguineo"))
    if group is None:
        return None
    letters, sign = group.value[:-1], group.value[-1]
    rhesus = reading.say(phrases.POSITIVE if sign == "+" else phrases.NEGATIVE)
    title = Text(f"{letters} {rhesus} ({letters}{'+' if sign == '+' else '−'})")
    return Line(
        title, (Text(reading.say(phrases.NOT_FOR_TRANSFUSION), strong=True),), confirmed=reading.saved("cuerpo")
    )


def _size(reading: Reading, cuerpo: Item) -> Line | None:
    amounts = [
        amount_said(cuerpo.get("peso_kg"), "kg", reading.language),
        amount_said(cuerpo.get("estatura_cm"), "cm", reading.language),
    ]
    details = tuple(Text(amount) for amount in amounts if amount)
    if not details:
        return None
    return Line(Text(reading.say(phrases.SIZE)), details, confirmed=reading.saved("cuerpo"))


def _worn(reading: Reading, cuerpo: Item) -> Line | None:
    worn = (("usa_lentes", phrases.GLASSES), ("usa_audifonos", phrases.HEARING_AIDS))
    details = tuple(Text(reading.say(words)) for name, words in worn if cuerpo.get(name) is True)
    return Line(Text(reading.say(phrases.WEARS)), details) if details else None
