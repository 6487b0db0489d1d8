"""The patient summary as one page of HTML, for a ward: what the document's narrative tells, readable and printable
without scripts."""

from base64 import b64encode
from datetime import datetime
from hashlib import sha256

from ficha.core.text_types import safe
from ficha.exchange.ips.document import TITLE, SummaryDocument
from ficha.exchange.ips.narrative import narrative_body
from ficha.fmd.dates_and_amounts import date_text
from ficha.fmd.fhir_codes import ALERTS
from ficha.fmd.translations import Translated

MADE = Translated(
    "Hecho por Ficha el {day}, de lo que la persona permite ver. Lo que alguien escribió queda como lo escribió.",
    "Made by Ficha on {day}, of what the person lets others see. What somebody wrote is left as it was written.",
    "Feito pela Ficha em {day}, do que a pessoa permite ver. O que alguém escreveu fica como foi escrito.",
)
NAMELESS = Translated("Nombre no disponible", "Name not available", "Nome não disponível")
STYLE = (
    "body{font:16px/1.45 system-ui,sans-serif;margin:0 auto;max-width:46em;padding:1em;color:#111;background:#fff}"
    "h1{font-size:1.5em;margin:.2em 0}h2{font-size:1.1em;border-bottom:1px solid #888;margin:1.2em 0 .4em}"
    "ul{padding-left:1.2em;margin:.3em 0}li{margin:.35em 0;overflow-wrap:anywhere}p{margin:.3em 0}"
    ".alerts{border:2px solid #b00020;border-radius:6px;padding:0 .9em .6em}.small{color:#444;font-size:.85em}"
    "@media print{body{max-width:none;font-size:11pt}h2{break-after:avoid}li{break-inside:avoid}}"
)
# Nothing but this style: the page holds what people wrote.
POLICY = f"default-src 'none'; style-src 'sha256-{b64encode(sha256(STYLE.encode()).digest()).decode()}'"


def summary_page(made: SummaryDocument, language: str, now: datetime) -> str:
    who, title = made.who, TITLE.in_language(language)
    parts = [
        f'<!doctype html><html lang="{language}"><head><meta charset="utf-8"><title>{safe(title)}</title>',
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head><body><main>',
        f'<p class="small">{safe(title)}</p><h1>{safe(who.name or NAMELESS.in_language(language))}</h1>',
        f"<p>{safe(' · '.join([*who.traits, *([who.languages] if who.languages else [])]))}</p>",
    ]
    for section in made.sections:
        kind = ' class="alerts"' if section.code == ALERTS else ""
        parts.append(f"<section{kind}><h2>{safe(section.title)}</h2>{narrative_body(section)}</section>")
    parts.append(f'<p class="small">{safe(made_on(language, now))}</p></main></body></html>')
    return "".join(parts)


def made_on(language: str, now: datetime) -> str:
    return MADE.in_language(language).format(day=date_text(now.date().isoformat(), language))
