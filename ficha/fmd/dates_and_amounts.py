"""Dates, ages, moments, lengths of time and amounts as texts in the reader's language; dates as people type them."""

import re
from datetime import UTC, date, datetime, timedelta, tzinfo
from zoneinfo import ZoneInfo

from ficha.fmd.translations import LANGUAGE_INDEX, Translated
from ficha.fmd.values import PARTIAL, first_day

MONTHS = Translated(
    "ene feb mar abr may jun jul ago sep oct nov dic",
    "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec",
    "jan fev mar abr mai jun jul ago set out nov dez",
)

ENGLISH_MONTHS = MONTHS.en.split()
# Each month by the first three letters that any of our languages gives it.
NAMES_OF_MONTHS = [{name.lower() for name in names} for names in zip(*(each.split() for each in MONTHS), strict=True)]
_MONTH = rf"(?P<month>{'|'.join(sorted(set().union(*NAMES_OF_MONTHS)))})[a-zç]*\.?"
NUMERIC_DATE = re.compile(r"(?:(\d{1,2})[/.-])?(\d{1,2})[/.-](\d{4})", re.ASCII)
NAMED_DATE = re.compile(rf"(?:(?P<day>\d{{1,2}})\s+)?{_MONTH}\s+(?P<year>\d{{4}})", re.ASCII)
AMERICAN_DATE = re.compile(rf"{_MONTH}\s+(?P<day>\d{{1,2}})\s+(?P<year>\d{{4}})", re.ASCII)
MONTHS_OF_YEAR = 12
YEAR_LENGTH, MONTH_LENGTH = len("2019"), len("2019-04")

TODAY = Translated("hoy", "today", "hoje")
YESTERDAY = Translated("ayer", "yesterday", "ontem")
DAYS_AGO = Translated("hace {} días", "{} days ago", "há {} dias")
MONTHS_AGO = Translated("hace {} meses", "{} months ago", "há {} meses")
YEARS_AGO = Translated("hace {} años", "{} years ago", "há {} anos")

NOW = Translated("ahora mismo", "just now", "agora mesmo")
MINUTES_AGO = Translated("hace {} min", "{} min ago", "há {} min")
HOURS_AGO = Translated("hace {} h", "{} h ago", "há {} h")

DAYS_OLD = (Translated("{} día", "{} day old", "{} dia"), Translated("{} días", "{} days old", "{} dias"))
MONTHS_OLD = (Translated("{} mes", "{} month old", "{} mês"), Translated("{} meses", "{} months old", "{} meses"))
YEARS_OLD = (Translated("{} año", "{} year old", "{} ano"), Translated("{} años", "{} years old", "{} anos"))

# Made once: `int | float` would be made again for every amount.
NUMBERS = (int, float)

MONTH = 30.44
YEAR = 365.25
# A child is expected forty weeks after the last period.
PREGNANCY_DAYS = 280
LAST_WEEK = 42
# A due date this long past means that nobody updated the record after the birth.
OVERDUE = timedelta(days=42)


def days_ago(days: int, language: str) -> str:
    """In days up to two months, in months up to two years, then in years."""
    if days <= 1:
        return (YESTERDAY if days == 1 else TODAY).in_language(language)
    if days < 60:
        return DAYS_AGO.in_language(language).format(days)
    if days < 2 * YEAR:
        return MONTHS_AGO.in_language(language).format(int(days / MONTH))
    return YEARS_AGO.in_language(language).format(int(days / YEAR))


def age_text(born: object, today: date, language: str) -> str:
    """In years; below two years in months, below a month in days. Born tomorrow is born today: where the person
    is, it may be. Empty for any other date in the future."""
    day = first_day(born) if isinstance(born, str) and PARTIAL.fullmatch(born) else None
    if day is None or day > today + timedelta(days=1):
        return ""
    day = min(day, today)
    months = (today.year - day.year) * 12 + today.month - day.month - (today.day < day.day)
    if months >= 24:
        return _with_count(YEARS_OLD, months // 12, language)
    if months >= 1:
        return _with_count(MONTHS_OLD, months, language)
    return _with_count(DAYS_OLD, (today - day).days, language)


def date_text(value: object, language: str) -> str:
    """`2019`, `04/2019` or `03/04/2019`, as much as is known. In English the month has its name, `3 Apr 2019`: there
    digits are read both ways. Empty for what is not a date."""
    if not isinstance(value, str) or not PARTIAL.fullmatch(value):
        return ""
    day = first_day(value)
    if day is None:
        return ""
    if len(value) == YEAR_LENGTH:
        return f"{day.year}"
    if len(value) > MONTH_LENGTH:
        return _whole_date_text(day, language)
    return f"{day:%m/%Y}" if language != "en" else f"{ENGLISH_MONTHS[day.month - 1]} {day.year}"


def _whole_date_text(day: date, language: str) -> str:
    return f"{day:%d/%m/%Y}" if language != "en" else f"{day.day} {ENGLISH_MONTHS[day.month - 1]} {day.year}"


def typed_date(text: str, language: str) -> str:
    """What somebody typed as our dates are stored: `31/03/2019`, `3/2019`, `31 mar 2019`, `31 de marzo de 2019`,
    `March 31, 2019`. All else stays as it is, and is refused where a date must stand: so are days that there are not,
    and digits that in English mean either of two days."""
    words = text.strip().lower().replace(",", " ").replace(" de ", " ")
    if found := NUMERIC_DATE.fullmatch(words):
        day, month, year = found.groups()
        if day and language == "en" and day != month:
            if int(month) > MONTHS_OF_YEAR:  # As it is written in the United States.
                day, month = month, day
            elif int(day) <= MONTHS_OF_YEAR:
                return text
    elif found := NAMED_DATE.fullmatch(words) or AMERICAN_DATE.fullmatch(words):
        day, year = found["day"], found["year"]
        month = next(str(number) for number, names in enumerate(NAMES_OF_MONTHS, 1) if found["month"] in names)
    else:
        return text
    stored = "-".join([year, month.zfill(2), *([day.zfill(2)] if day else [])])
    return text if first_day(stored) is None else stored


def time_ago(moment: datetime, now: datetime, language: str) -> str:
    """In minutes up to two hours, in hours up to two days, then in days."""
    minutes = max(0, int((now - moment).total_seconds() // 60))
    if minutes < 1:
        return NOW.in_language(language)
    if minutes < 120:
        return MINUTES_AGO.in_language(language).format(minutes)
    if minutes < 48 * 60:
        return HOURS_AGO.in_language(language).format(minutes // 60)
    return days_ago(minutes // (24 * 60), language)


def amount_text(value: object, unit: str, language: str) -> str:
    """`47,5 kg`; in English `47.5 kg`."""
    if isinstance(value, bool) or not isinstance(value, NUMBERS):
        return ""
    number = f"{value:.1f}".removesuffix(".0")
    return f"{number if language == 'en' else number.replace('.', ',')} {unit}"


def is_long_past(due: date, today: date) -> bool:
    """Of a due date: nobody may be called pregnant by it any more."""
    return due + OVERDUE < today


def pregnancy_text(due: date, today: date, weeks_word: Translated, due_word: Translated) -> Translated:
    """`29 semanas (parto hacia el 01/02/2027)`; only the day where the weeks make no sense."""
    weeks, expected = (PREGNANCY_DAYS - (due - today).days) // 7, due_text(due, due_word)
    if not 0 < weeks <= LAST_WEEK:
        return expected
    return Translated(*(f"{weeks} {word} ({day})" for word, day in zip(weeks_word, expected, strict=True)))


def due_text(due: date, due_word: Translated) -> Translated:
    days = [date_text(due.isoformat(), language) for language in LANGUAGE_INDEX]
    return Translated(*(f"{word} {day}" for word, day in zip(due_word, days, strict=True)))


def _with_count(forms: tuple[Translated, Translated], count: int, language: str) -> str:
    return forms[count != 1].in_language(language).format(count)


LOCAL_TIME = Translated("{} (hora de {})", "{} ({} time)", "{} (hora de {})")
TODAY_AT = Translated("hoy a las {}", "today at {}", "hoje às {}")
YESTERDAY_AT = Translated("ayer a las {}", "yesterday at {}", "ontem às {}")
WEEKDAYS = (
    Translated("el lunes a las {}", "on Monday at {}", "na segunda-feira às {}"),
    Translated("el martes a las {}", "on Tuesday at {}", "na terça-feira às {}"),
    Translated("el miércoles a las {}", "on Wednesday at {}", "na quarta-feira às {}"),
    Translated("el jueves a las {}", "on Thursday at {}", "na quinta-feira às {}"),
    Translated("el viernes a las {}", "on Friday at {}", "na sexta-feira às {}"),
    Translated("el sábado a las {}", "on Saturday at {}", "no sábado às {}"),
    Translated("el domingo a las {}", "on Sunday at {}", "no domingo às {}"),
)
ON_DAY = Translated("el {} a las {}", "on {} at {}", "em {} às {}")
DAYS_OF_WEEK = 7


def zone_with(name: str) -> tzinfo:
    """UTC if there is no such zone, or this machine does not know it."""
    try:
        return ZoneInfo(name) if name else UTC
    except (KeyError, ValueError, OSError):
        return UTC


# The names of zones are written without accents, and with "_" between words.
_CITIES = (
    "Araguaína Asunción Belém Bogotá Cancún Ciudad_Juárez Córdoba Cuiabá Eirunepé Maceió Mazatlán Mérida Panamá "
    "Santarém São_Paulo Tucumán"
)
ACCENTED = {city.translate(str.maketrans("áãéíóúü", "aaeiouu")): city for city in _CITIES.split()}


def zone_text(name: str) -> str:
    """The city that a zone is named after."""
    city = "UTC" if zone_with(name) is UTC else name.rpartition("/")[2]
    return ACCENTED.get(city, city).replace("_", " ")


def local_time_text(at: datetime, zone: str, language: str) -> str:
    """With the name of the zone, because the reader may be in another. In UTC if the zone is unknown."""
    known = zone_with(zone)
    if known is UTC:
        return f"{at.astimezone(UTC):%H:%M} UTC"
    return LOCAL_TIME.in_language(language).format(f"{at.astimezone(known):%H:%M}", zone_text(zone))


def day_text(at: datetime, zone: str, language: str) -> str:
    """`16/11/2026`: the day that it was there."""
    return _whole_date_text(at.astimezone(zone_with(zone)).date(), language)


def zoned_text(at: datetime, zone: str, language: str) -> str:
    """In figures, with the name of the zone."""
    local = at.astimezone(zone_with(zone))
    return f"{_whole_date_text(local.date(), language)} {local:%H:%M} ({zone_text(zone)})"


def moment_text(at: datetime, now: datetime, zone: str, language: str) -> str:
    """Day and hour as one says them: the day of the week as long as there is only one such day."""
    known = zone_with(zone)
    local, today = at.astimezone(known), now.astimezone(known).date()
    hour, day = f"{local:%H:%M}", local.date()
    if day == today:
        return TODAY_AT.in_language(language).format(hour)
    if day == today - timedelta(days=1):
        return YESTERDAY_AT.in_language(language).format(hour)
    if timedelta(0) < today - day < timedelta(days=DAYS_OF_WEEK):
        return WEEKDAYS[day.weekday()].in_language(language).format(hour)
    return ON_DAY.in_language(language).format(_whole_date_text(day, language), hour)
