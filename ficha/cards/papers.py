"""What a family prints or shows of a record besides stickers and carnets: one page for the school, the sitter or the
hospital bag, and a picture for a phone's lock screen. Both are made from what the page behind their QR shows, say when
that was, and have a QR of their own, which is read back."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from ficha.accounts.accounts import Idioma
from ficha.cards import printing
from ficha.cards.carnet_pages import NAME_LETTERS, below_signs, shortened, sign_lines
from ficha.cards.printing import PrintTemplate, printable
from ficha.cards.qr import Level as QrLevel
from ficha.cards.qr import NotReadable, Symbol, symbol_of
from ficha.cards.stickers import CALL, PAPERS, Paper, printed_symbol, read_picture
from ficha.fmd.freshness import Level
from ficha.fmd.responder.view import AdviceLine, ConfirmedBy, ContactToCall, FactLine, ResponderView, ShownText
from ficha.fmd.translations import Translated

SHEET_QR_MM = 40
# Of the page as it is shown before it is printed: its letters can be read, and so can its QR.
SHOWN_DOTS = 110
# Nothing scratches a picture, and its modules are larger so.
SCREEN_LEVEL: QrLevel = "M"
# A pixel is a point of the template.
SCREEN_DOTS = 72
# Of the stop signs, those that are read at a glance; the others are counted.
MOST_ON_SCREEN = 4
TRAIT_LETTERS = 120
# Of a stop sign and of its detail: more than on a carnet.
SHEET_SIGN_LETTERS = 260

# `title`, `rest` and `small`; `kind` is what it counts as.
PaperLine = dict[str, str]

WORDS = {
    "title": Translated("Hoja de emergencia", "Emergency sheet", "Folha de emergência"),
    "nameless": Translated("Nombre no disponible", "Name not available", "Nome não disponível"),
    "photo": Translated("Foto", "Photo", "Foto"),
    "speaks": Translated("habla {languages}", "speaks {languages}", "fala {languages}"),
    "language_of": Translated("idioma: {languages}", "language: {languages}", "idioma: {languages}"),
    "stop": Translated("Alto. Lea esto primero", "Stop. Read this first", "Pare. Leia isto primeiro"),
    "emergency": Translated("Emergencias", "Emergency services", "Emergência"),
    "unknown_number": Translated(
        "Si no responde, marque el número de emergencias del lugar.",
        "If it does not answer, dial the local emergency number.",
        "Se não atender, ligue para o número de emergência do lugar.",
    ),
    "contacts": Translated("Llamar a la familia", "Call the family", "Ligar para a família"),
    "to_do": Translated("Qué hacer", "What to do", "O que fazer"),
    "advice": Translated(
        "Consejos generales de primeros auxilios", "General first-aid advice", "Conselhos gerais de primeiros socorros"
    ),
    "dont": Translated("No:", "Do not:", "Não:"),
    "unreadable": Translated(
        "No se pudo leer: {parts}. Puede faltar algo importante.",
        "Could not be read: {parts}. Something important may be missing.",
        "Não foi possível ler: {parts}. Pode faltar algo importante.",
    ),
    "missing": Translated("No aparece aquí: {parts}.", "Not shown here: {parts}.", "Não aparece aqui: {parts}."),
    "own": Translated(
        "Entre comillas, lo que escribió la persona o su familia, tal cual{language}.",
        "In quotes: written by the person or the family, left as it is{language}.",
        "Entre aspas: o que a pessoa ou a família escreveu, sem mudanças{language}.",
    ),
    "own_language": Translated(", en {language}", ", in {language}", ", em {language}"),
    "made": Translated(
        "Hecha el {day}. Lo más reciente está en la página del QR.",
        "Made on {day}. What is newest is on the page of the QR.",
        "Feita em {day}. O mais recente está na página do QR.",
    ),
    "left_out": Translated(
        "Datos que no caben aquí y están en la página del QR: {count}.",
        "Facts that do not fit here and are on the page of the QR: {count}.",
        "Dados que não cabem aqui e estão na página do QR: {count}.",
    ),
    "left_advice": Translated(
        "Más consejos de primeros auxilios: en la página del QR.",
        "More first-aid advice: on the page of the QR.",
        "Mais conselhos de primeiros socorros: na página do QR.",
    ),
    "more_on_screen": Translated(
        "y {count} más: escanee", "and {count} more: scan the code", "e mais {count}: escaneie"
    ),
}


class ScreenSize(StrEnum):
    """In pixels: those of most phones. One in between fits too, for phones scale what they show."""

    SMALL = "1080x1920"
    LONG = "1080x2400"
    IPHONE = "1170x2532"
    LARGE = "1440x3200"

    @property
    def pixels(self) -> tuple[int, int]:
        width, _, height = self.partition("x")
        return int(width), int(height)


class PaperToDraw(NamedTuple):
    """`link` is of a code of its own. `view` is what whoever holds it may read, in the paper's language; `day` is when
    that was. Without `tells` nothing of the person stands on it."""

    code: str
    link: str
    view: ResponderView
    idioma: Idioma
    day: str
    photo: bytes | None = None
    tells: bool = True


class DrawnSheet(NamedTuple):
    """The page to be printed, and a picture of it."""

    pdf: bytes
    png: bytes


def drawn_sheet_of(paper: PaperToDraw, size: Paper, base_url: str, now: datetime) -> DrawnSheet:
    """One page, as PDF/A. Raises NotReadable if its QR does not say what it should."""
    data = sheet_page_data(paper, size, base_url)
    [drawn] = printing.png(PrintTemplate.SHEET, data, SHOWN_DOTS)
    if read_picture(drawn) != paper.link:
        raise NotReadable
    return DrawnSheet(printing.archive_pdf(PrintTemplate.SHEET, data, now), drawn)


def drawn_screen(paper: PaperToDraw, size: ScreenSize, base_url: str) -> bytes:
    """A PNG of exactly that size. Raises NotReadable."""
    [drawn] = printing.png(PrintTemplate.SCREEN, screen_data(paper, size, base_url), SCREEN_DOTS)
    if read_picture(drawn) != paper.link:
        raise NotReadable
    return drawn


def sheet_page_data(paper: PaperToDraw, size: Paper, base_url: str) -> dict[str, Any]:
    """What the template of the page is given."""
    view, words = paper.view, _words(paper.idioma)
    width, height = PAPERS[size]
    return _shared(paper, printed_symbol(paper.link, SHEET_QR_MM), base_url) | {
        "width": width,
        "height": height,
        "photo": None if paper.photo is None else list(paper.photo),
        "languages": _languages(view, words),
        "signs": sign_lines(view, paper.idioma, SHEET_SIGN_LETTERS),
        "below_signs": below_signs(view, paper.idioma),
        "groups": (groups := list(_groups(view, words))),
        "notes": [printable(note) for note in _notes(view, groups, words)],
    }


def screen_data(paper: PaperToDraw, size: ScreenSize, base_url: str) -> dict[str, Any]:
    """What the template of the lock screen is given."""
    view, (width, height) = paper.view, size.pixels
    texts = [shortened(one.text) for one in (*view.signs, *filter(None, [view.unknown_allergies]))]
    count = len(texts[MOST_ON_SCREEN:]) + len(view.more_signs) + len(view.unjudged)
    more = [_words(paper.idioma)["more_on_screen"].format(count=count)] if texts and count else []
    signs, below = (texts[:MOST_ON_SCREEN] + more, "" if texts else below_signs(view, paper.idioma))
    told = {"signs": signs, "below_signs": below} if paper.tells else {"name": "", "signs": [], "below_signs": ""}
    return _shared(paper, symbol_of(paper.link, SCREEN_LEVEL), base_url) | {"width": width, "height": height} | told


def _shared(paper: PaperToDraw, symbol: Symbol, base_url: str) -> dict[str, Any]:
    view, words = paper.view, _words(paper.idioma)
    return {
        "lang": paper.idioma.value,
        "words": words | {"call": CALL.in_language(paper.idioma), "made": words["made"].format(day=paper.day)},
        "name": shortened(view.who.name, NAME_LETTERS) or words["nameless"],
        "traits": shortened(" · ".join(view.who.traits), TRAIT_LETTERS),
        "number": view.emergency[0],
        "number_note": "" if view.is_number_known else words["unknown_number"],
        "qr": symbol.svg(),
        "link": paper.link,
        "code": paper.code,
        "domain": urlsplit(base_url).netloc.lower(),
    }


def _words(idioma: Idioma) -> dict[str, str]:
    return {name: text.in_language(idioma) for name, text in WORDS.items()}


def _languages(view: ResponderView, words: Mapping[str, str]) -> str:
    phrase = words["language_of" if view.who.is_silent else "speaks"]
    return shortened(phrase.format(languages=view.who.languages), TRAIT_LETTERS) if view.who.languages else ""


def _groups(view: ResponderView, words: Mapping[str, str]) -> Iterable[dict[str, Any]]:
    """In the order in which they are given room: facts before general advice."""
    write = LineWriter(is_foreign=not view.written_in or _is_foreign(view))
    yield _group("facts", words["contacts"], map(write.contact, view.contacts), view.contact_sentences)
    yield _group("facts", words["to_do"], map(write.fact, view.to_do))
    for section in view.sections:
        yield _group("facts", section.title, map(write.fact, section.lines), section.sentences)
    yield _group("advice", words["advice"], [write.advice(line, words["dont"]) for line in view.advice])


def _group(kind: str, title: str, lines: Iterable[PaperLine], sentences: Iterable[str] = ()) -> dict[str, Any]:
    """`kind` is what each of its lines counts as where it does not fit. `sentences` say why there are none."""
    said = [_line("", sentence) | {"kind": "sentence"} for sentence in sentences]
    return {"title": printable(title), "lines": [*[line | {"kind": kind} for line in lines], *said]}


def _line(title: str, rest: str, small: str = "") -> PaperLine:
    return {"title": printable(title), "rest": printable(rest), "small": printable(small)}


class LineWriter(NamedTuple):
    """Puts what the family wrote between quotation marks: sentences always, short details only where it is not certain
    that they are in the language of the paper."""

    is_foreign: bool

    def fact(self, fact: FactLine) -> PaperLine:
        rest = [_quoted(one) if self.is_foreign else one.words for one in fact.details]
        rest += [f"“{note.words}”" for note in fact.notes]
        if fact.number:
            rest.append(f"{fact.number.label} {fact.number.shown}")
        return _line(_quoted(fact.title), " · ".join(rest), _doubt(fact.confirmed))

    def contact(self, contact: ContactToCall) -> PaperLine:
        relation = contact.relation and (_quoted(contact.relation) if self.is_foreign else contact.relation.words)
        rest = [*([contact.number.shown] if contact.number else []), *contact.notes]
        return _line(", ".join(filter(None, (contact.name, relation))), " · ".join(rest), _doubt(contact.confirmed))

    def advice(self, line: AdviceLine, dont: str) -> PaperLine:
        return _line(line.title, " ".join(filter(None, (line.do, line.rescue, dont, line.dont))))


def _quoted(text: ShownText) -> str:
    return f"“{text.words}”" if text.own and text.words else text.words


def _doubt(confirmed: ConfirmedBy | None) -> str:
    """That it is long ago that somebody confirmed it. Of what is fresh, paper says nothing: it gets old itself."""
    return confirmed.words if confirmed and confirmed.level in (Level.AMBER, Level.RED) else ""


def _notes(view: ResponderView, groups: Sequence[Mapping[str, Any]], words: Mapping[str, str]) -> Iterable[str]:
    if view.unreadable:
        yield words["unreadable"].format(parts=", ".join(view.unreadable))
    if view.missing:
        yield words["missing"].format(parts=", ".join(view.missing))
    if any("“" in line["title"] + line["rest"] for group in groups for line in group["lines"]):
        language = words["own_language"].format(language=view.written_in_name) if _is_foreign(view) else ""
        yield words["own"].format(language=language)


def _is_foreign(view: ResponderView) -> bool:
    """Whether what the family wrote is known to be in another language than the paper."""
    return bool(view.written_in) and view.written_in.partition("-")[0].lower() != view.language
