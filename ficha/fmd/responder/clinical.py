"""Medicines, allergies, conditions, devices: what decides a treatment."""

from collections.abc import Iterable, Sequence
from datetime import date

from ficha.fmd.models.cardiologico import TipoDispositivo
from ficha.fmd.models.salud import Estado, EstadoEmbarazo, Gravedad
from ficha.fmd.responder import phrases
from ficha.fmd.responder.dates_and_amounts import day_said
from ficha.fmd.responder.record_reader import Item, Reading, texts, written
from ficha.fmd.responder.view import Line, Section, Text
from ficha.fmd.shapes import Absence
from ficha.fmd.sign_conditions import OVERDUE
from ficha.fmd.translations import Translated
from ficha.fmd.values import last_day

# The group of medicines against clots, in the ATC.
ANTITHROMBOTIC = "B01A"
RISKS = {"alta": phrases.MAY_BE_FATAL, "baja": phrases.LOW_RISK, "desconocida": phrases.UNKNOWN_RISK}


def medicines(reading: Reading) -> Section:
    """Those that must not stop come first, those that ended last."""
    items = reading.items("medicacion", "medicamentos")
    ordered = sorted(items, key=lambda item: (_has_ended(item, reading.today), item.get("critico") is not True))
    lines = [_medicine(reading, item) for item in ordered]
    says = [why_empty(reading, "medicacion", "medicamentos"), lost(reading, "medicacion", "medicamentos", lines)]
    lines.append(_anticoagulant(reading, items))
    return section("medicines", reading.say(phrases.MEDICINES), lines, says)


def _medicine(reading: Reading, item: Item) -> Line | None:
    term = item.get("medicamento")
    title, also = reading.named(term, "medicacion")
    if title is None:
        return None
    ends = phrases.ENDED if _has_ended(item, reading.today) else phrases.UNTIL
    details = texts(
        Text(reading.say(phrases.KEEP_TAKING), strong=True) if item.get("critico") is True else None,
        also,
        reading.own(item, "dosis"),
        reading.own(item, "frecuencia"),
        reading.own(item, "via"),
        reading.own(item, "motivo"),
        reading.since(phrases.SINCE, item.get("desde")),
        reading.since(ends, item.get("hasta")),
    )
    return Line(title, details, confirmed=reading.confirmed(item, "medicacion"))


def _anticoagulant(reading: Reading, medicines: Sequence[Item]) -> Line | None:
    """The flag, unless the list already names such a medicine."""
    flag = reading.document("cardiologico").get("anticoagulado")
    if not isinstance(flag, bool) or any(_is_antithrombotic(item.get("medicamento")) for item in medicines):
        return None
    words = phrases.TAKES_ANTICOAGULANT if flag else phrases.NO_ANTICOAGULANT
    return Line(Text(reading.say(words), strong=flag), confirmed=reading.saved("cardiologico"))


def _is_antithrombotic(term: object) -> bool:
    return isinstance(term, dict) and written(term, "codigo").startswith(ANTITHROMBOTIC)


def allergies(reading: Reading) -> Section:
    """Severe ones first. Medicines and the rest are two lists, and each says for itself why it is empty."""
    lists = (("alergiasm", "medicamento"), ("alergiasa", "agente"))
    items = [(wire, field, item) for wire, field in lists for item in reading.items(wire, "alergias")]
    items.sort(key=lambda found: found[2].get("criticidad") != "alta")
    lines = [_allergy(reading, *found) for found in items]
    to_medicines, to_others = (why_empty(reading, wire, "alergias") for wire, _ in lists)
    if to_medicines == to_others:
        says = [to_medicines]
    else:
        said = ((phrases.TO_MEDICINES, to_medicines), (phrases.TO_OTHERS, to_others))
        says = [reading.say(words).format(_lower(why)) for words, why in said if why]
    unreadable = sum(line is None for line in lines)
    says.append(_lost(reading, unreadable + sum(reading.lost_items(wire, "alergias") for wire, _ in lists)))
    return section("allergies", reading.say(phrases.ALLERGIES), lines, says)


def _allergy(reading: Reading, wire: str, field: str, item: Item) -> Line | None:
    term = item.get(field)
    title, also = reading.named(term, wire)
    if title is None:
        return None
    risk = RISKS.get(written(item, "criticidad"))
    reactions = item.get("reacciones")
    details = texts(
        Text(reading.say(risk), strong=risk is phrases.MAY_BE_FATAL) if risk else None,
        also,
        *(reading.coded(reaction, wire) for reaction in (reactions if isinstance(reactions, list) else ())),
        Text(reading.say(phrases.AUTOINJECTOR)) if item.get("autoinyector") is True else None,
    )
    return Line(title, details, texts(reading.own(item, "notas")), reading.confirmed(item, wire))


def conditions(reading: Reading) -> Section:
    """What is over comes last. Plans for the others are not here: they are what to do."""
    items = reading.items("salud", "condiciones")
    lines = [_condition(reading, item) for item in sorted(items, key=is_over)]
    history = reading.items("cardiologico", "antecedentes")
    lines += [_term(reading, item, "cardiologico", phrases.HEART) for item in history]
    unreadable = sum(line is None for line in lines) + reading.lost_items("salud", "condiciones")
    says = [
        None if history and not items else why_empty(reading, "salud", "condiciones"),
        _lost(reading, unreadable + reading.lost_items("cardiologico", "antecedentes")),
    ]
    lines += [_pregnancy(reading), _pressure(reading)]
    return section("conditions", reading.say(phrases.CONDITIONS), lines, says)


def _condition(reading: Reading, item: Item) -> Line | None:
    term = item.get("condicion")
    title, also = reading.named(term, "salud")
    if title is None:
        return None
    details = texts(
        also,
        reading.chosen(Estado, item.get("estado")),
        reading.chosen(Gravedad, item.get("gravedad")),
        reading.since(phrases.SINCE, item.get("desde")),
    )
    plan = texts(reading.own(item, "plan")) if is_over(item) else ()
    return Line(title, details, plan, reading.confirmed(item, "salud"))


def is_over(item: Item) -> bool:
    return item.get("estado") == Estado.RESUELTA


def _pregnancy(reading: Reading) -> Line | None:
    found = reading.document("salud").get("embarazo")
    pregnancy: Item = found if isinstance(found, dict) else {}
    state = reading.chosen(EstadoEmbarazo, pregnancy.get("estado"))
    if state is None:
        return None
    is_expecting = pregnancy["estado"] != EstadoEmbarazo.NO_EMBARAZADA
    due = pregnancy.get("fecha_probable_parto") if is_expecting else None
    day = last_day(due) if isinstance(due, str) else None
    details = texts(
        state,
        reading.since(phrases.DUE, due),
        Text(reading.say(phrases.LONG_PAST)) if day and day + OVERDUE < reading.today else None,
    )
    return Line(Text(reading.say(phrases.PREGNANCY)), details, confirmed=reading.saved("salud"))


def _pressure(reading: Reading) -> Line | None:
    pressure = written(reading.document("cardiologico"), "presion_habitual")
    if not pressure:
        return None
    return Line(Text(reading.say(phrases.PRESSURE)), (Text(pressure),), confirmed=reading.saved("cardiologico"))


def devices(reading: Reading) -> Section:
    """Nothing is said when there is nothing: the stop signs hold what matters of it."""
    lines = [_device(reading, item) for item in reading.items("cardiologico", "dispositivos")]
    others = (("implantes", phrases.IMPLANT), ("protesis", phrases.PROSTHESIS))
    lines += [_term(reading, item, "cuerpo", kind) for field, kind in others for item in reading.items("cuerpo", field)]
    lines += [_term(reading, item, "salud", phrases.SURGERY) for item in reading.items("salud", "cirugias")]
    lists = (("cardiologico", "dispositivos"), ("cuerpo", "implantes"), ("cuerpo", "protesis"), ("salud", "cirugias"))
    unreadable = sum(line is None for line in lines) + sum(reading.lost_items(*place) for place in lists)
    return section("devices", reading.say(phrases.DEVICES), lines, [_lost(reading, unreadable)])


def _device(reading: Reading, item: Item) -> Line | None:
    kind = reading.choice(TipoDispositivo, item.get("tipo"))
    if kind is None:
        return None
    safe = item.get("compatible_rm")
    mri = phrases.MRI_SAFE if safe is True else phrases.MRI_UNSAFE if safe is False else phrases.MRI_UNKNOWN
    maker = " ".join(part for part in (written(item, "fabricante"), written(item, "modelo")) if part)
    details = texts(
        Text(reading.say(mri), strong=safe is not True),
        Text(maker) if maker else None,
        reading.since(phrases.IMPLANTED, item.get("fecha_implante")),
    )
    title = phrases.OTHER_DEVICE if kind is TipoDispositivo.OTRO else kind.words
    return Line(Text(reading.say(title)), details, confirmed=reading.confirmed(item, "cardiologico"))


def _term(reading: Reading, item: Item, wire: str, kind: Translated) -> Line | None:
    title, also = reading.named(item, wire)
    if title is None:
        return None
    day = day_said(item.get("fecha"), reading.language)
    details = texts(Text(reading.say(kind)), also, Text(day) if day else None)
    return Line(title, details, confirmed=reading.confirmed(item, wire))


def why_empty(reading: Reading, wire: str, field: str) -> str | None:
    """Why a list has nothing: three different answers, and a fourth when it could not be read. None if it has."""
    if wire in reading.unreadable:
        return reading.say(phrases.NOT_READABLE)
    if reading.items(wire, field) or reading.lost_items(wire, field):
        return None
    absence = reading.document(wire).get("ausencia")
    if absence == Absence.NINGUNA_CONOCIDA:
        return reading.say(phrases.NONE_KNOWN)
    return reading.say(phrases.NOT_ASKED if absence == Absence.NO_PREGUNTADO else phrases.NOT_RECORDED)


def lost(reading: Reading, wire: str, field: str, lines: Sequence[Line | None]) -> str | None:
    return _lost(reading, sum(line is None for line in lines) + reading.lost_items(wire, field))


def section(key: str, title: str, lines: Iterable[Line | None], says: Iterable[str | None] = ()) -> Section:
    return Section(key, title, tuple(line for line in lines if line), tuple(text for text in says if text))


def _lost(reading: Reading, count: int) -> str | None:
    if not count:
        return None
    return reading.say(phrases.ONE_LOST) if count == 1 else reading.say(phrases.SOME_LOST).format(count)


def _has_ended(item: Item, today: date) -> bool:
    end = last_day(written(item, "hasta")) if written(item, "hasta") else None
    return end is not None and end < today


def _lower(sentence: str) -> str:
    return sentence[:1].lower() + sentence[1:]
