"""The responder page as HTML, built from strings: a template took three times as long.

What is the same for everybody is compressed once, see small_pages/compression.py: head and style, the bar above the
name, the form at the end, and the script. Every value goes through `safe`.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cache

from ficha.accounts.accounts import Idioma
from ficha.core.text_types import safe
from ficha.fmd.dates_and_amounts import local_time_text
from ficha.fmd.responder.view import PersonSummary, ResponderView
from ficha.web.kit.language import PARAMETER, Texts
from ficha.web.kit.small_pages.compression import Constant, JoinedPage
from ficha.web.kit.small_pages.content_policy import inline, style
from ficha.web.sticker.page_facts import TEXTS, AlertFacts, BreakGlassForm, PositionForm, ResponderFacts
from ficha.web.sticker.record_markup import RecordMarkup
from ficha.web.sticker.relay_markup import relay_box

PHONE = (
    '<svg viewBox="0 0 24 24" aria-hidden="true"><path d="M6.6 10.8a15 15 0 0 0 6.6 6.6l2.2-2.2a1 1 0 0 1 1-.2 11 11 0'
    " 0 0 3.6.6 1 1 0 0 1 1 1V20a1 1 0 0 1-1 1A17 17 0 0 1 3 4a1 1 0 0 1 1-1h3.5a1 1 0 0 1 1 1c0 1.2.2 2.4.6 3.6a1 1"
    ' 0 0 1-.3 1z"/></svg>'
)
POSITION = '<input type="hidden" name="lat"><input type="hidden" name="lon"><input type="hidden" name="precision">'


def responder_html(view: ResponderView, page: ResponderFacts, refresh: int) -> JoinedPage:
    t = TEXTS[page.language]
    facts = RecordMarkup(view, t)
    name = safe(view.who.name or t.nameless)
    parts = [
        _who(view.who, name, page, t),
        _notices(page, t),
        facts.signs(),
        _unreadable(view, t),
        facts.to_do(),
        _call(view, page, t, facts, refresh),
        facts.advice(),
        facts.sections(),
        _more(view, page, t, facts, refresh),
    ]
    read_at = t.read_at.format(time=_clock(page, page.read_at))
    return JoinedPage(
        _head(page.language),
        (
            _encoded(f"{_refresh(page, refresh)}<title>{name}"),
            _encoded(_bar(page.language, page.switch)) if page.switch else _usual_bar(page.language),
            _encoded("".join(parts)),
            _end_with_form(page.language) if _has_empty_form(page, refresh) else _end(page.language),
            _encoded(f"{safe(page.code)}</b> · {read_at}</footer>\n"),
            _script(page.script),
        ),
    )


def _encoded(words: str) -> bytes:
    """Characters that cannot be encoded become "?": one broken text must not cost the reader the page."""
    return words.encode("utf-8", "replace")


@cache
def _head(language: Idioma) -> Constant:
    return Constant(
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width,initial-scale=1">\n<meta name="robots" content="noindex">\n'
        f'<meta name="format-detection" content="telephone=no">\n<style>{style()}</style>\n'
    )


@cache
def _script(script: str) -> Constant:
    return Constant(f"<script>{inline(script)}</script>\n</body>\n</html>\n" if script else "</body>\n</html>\n")


def _refresh(page: ResponderFacts, refresh: int) -> str:
    """Reloading loses the place of whoever reads: where scripts run, the script updates the page instead."""
    if not refresh:
        return ""
    tag = f'<meta http-equiv="refresh" content="{refresh}{f";url={safe(page.reload)}" if page.reload else ""}">'
    return f"<noscript>{tag}</noscript>\n" if page.script else f"{tag}\n"


@cache
def _usual_bar(language: Idioma) -> Constant:
    return Constant(_bar(language, {}))


def _bar(language: Idioma, switch: Mapping[Idioma, str]) -> str:
    """From the end of the title to the name."""
    t = TEXTS[language]
    return (
        f' · {t.record}</title>\n</head>\n<body>\n<header>\n<div class="bar">\n'
        f'<a href="#call">{PHONE}{t.jump_to_call}</a>{_language_links(language, switch)}</div>\n<div class="who">\n'
    )


def _who(who: PersonSummary, name: str, page: ResponderFacts, t: Texts) -> str:
    photo = ""
    if who.photo_id and page.photo_base:
        alt = safe(t.photo_of.format(name=who.given))
        photo = f'<img src="{safe(page.photo_base)}{safe(who.photo_id)}" alt="{alt}" width="88" height="88">\n'
    traits = f"<p>{safe(' · '.join(who.traits))}</p>\n" if who.traits else ""
    phrase = t.language_of if who.is_silent else t.speaks
    languages = f"<p>{safe(phrase.format(languages=who.languages))}</p>\n" if who.languages else ""
    return f"{photo}<div><h1>{name}</h1>\n{traits}{languages}</div>\n</div>\n</header>\n<main>\n"


def _language_links(language: Idioma, switch: Mapping[Idioma, str]) -> str:
    links = []
    for one in Idioma:
        if one == language:
            links.append(f'<b lang="{one}" aria-current="true">{one.upper()}</b>')
        else:
            link = safe(switch.get(one) or f"?{PARAMETER}={one}")
            links.append(f'<a href="{link}" lang="{one}" hreflang="{one}">{one.upper()}</a>')
    return f'\n<nav aria-label="{TEXTS[language].language}">{"".join(links)}</nav>\n'


def _notices(page: ResponderFacts, t: Texts) -> str:
    parts = []
    faults = [(fault.field, fault.sentence) for fault in page.glass.faults] if page.glass else []
    faults += [("lugar", page.position_form.fault)] if page.position_form and page.position_form.fault else []
    if faults:
        links = "".join([f'<a href="#{field}">{safe(sentence)}</a>' for field, sentence in faults])
        parts.append(f'<div class="tell" role="alert"><h2>{t.trouble}</h2>\n{links}\n</div>\n')
    parts += [f'<p class="tell" role="status">{safe(notice)}</p>\n' for notice in page.notices]
    if page.glass_until:
        until = t.opened_until.format(time=_clock(page, page.glass_until))
        parts.append(f'<p class="tell" id="deep" role="status">{until}</p>\n')
    return "".join(parts)


def _unreadable(view: ResponderView, t: Texts) -> str:
    if view.consent_unreadable:
        return f'<p class="tell">{t.consent_unreadable}</p>\n'
    if view.unreadable:
        return f'<p class="tell">{t.unreadable.format(parts=safe(", ".join(view.unreadable)))}</p>\n'
    return ""


def _call(view: ResponderView, page: ResponderFacts, t: Texts, facts: RecordMarkup, refresh: int) -> str:
    parts = [f'<section class="call" id="call" aria-labelledby="calls"><h2 id="calls">{t.call}</h2>\n']
    zone = "" if view.is_number_of_phone else " data-zone"
    parts += [
        f'<a class="main" href="tel:{number}"{zone}><span>{t.call_emergency}</span><b class="n">{number}</b></a>\n'
        for number in map(safe, view.emergency)
    ]
    if not view.is_number_known:
        parts.append(f'<p class="unknown">{t.number_unknown}</p>\n')
    if page.alert:
        parts.append(_news(page.alert, t, refresh))
    if page.alert and not page.alert.is_over:
        if page.alert.may_alert_now:
            parts.append(_alert_form(page, t.alert, t.alert_now, t))
        parts += [relay_box(page, page.alert, t), _position(page, page.alert, t)]
    elif not page.has_contacts:
        number = f'<span class="n">{safe(view.emergency[0])}</span>'
        parts.append(f"<p><b>{t.nobody.format(number=number)}</b></p>\n")
        if page.alert_action and page.has_on_call:
            parts.append(_alert_form(page, t.alert_staff, t.alert_staff_how, t))
    elif page.alert_action:
        leaves_at = page.alert.next_leaves_at if page.alert else None
        how = t.alert_later.format(time=_clock(page, leaves_at)) if leaves_at else t.alert_how
        parts.append(_alert_form(page, t.alert, how, t))
    return f"{''.join(parts)}{facts.contacts()}</section>\n"


def _alert_form(page: ResponderFacts, words: str, how: str, t: Texts) -> str:
    button = f'<button class="main" data-looking="{t.looking}">{words}<small>{how}</small></button>'
    return f'<form method="post" action="{safe(page.alert_action)}">{_hidden(page)}{POSITION}{button}</form>\n'


def _news(alert: AlertFacts, t: Texts, refresh: int) -> str:
    lines = "".join([f"<li>{safe(line)}</li>" for line in alert.lines])
    listed = f"<ul>{lines}</ul>\n" if lines else ""
    note = f"<p><small>{t.alert_underway}</small></p>\n" if refresh else ""
    return f'<div class="alert" role="status"><b>{safe(alert.title or t.alerting)}</b>\n{listed}{note}</div>\n'


def _position(page: ResponderFacts, alert: AlertFacts, t: Texts) -> str:
    """What is known of the position, and a form for more: a landmark without a script, a position with one."""
    known = [] if alert.accuracy is None else [t.position_sent.format(accuracy=safe(alert.accuracy)).strip()]
    known += [t.landmark_sent.format(words=safe(alert.landmark))] if alert.landmark else []
    told = f'<p role="status">{" ".join(known)}</p>\n' if known else ""
    return told if page.position_form is None else f"{told}{_position_form(page, page.position_form, t)}"


def _position_form(page: ResponderFacts, form: PositionForm, t: Texts) -> str:
    """Where no script runs the page reloads, so a link leads to one that does not."""
    link = "" if form.is_open else f'<noscript><p><a href="{safe(form.page)}">{t.position_say}</a></p></noscript>\n'
    fault = f'<span class="fault" id="place-fault" role="alert">{safe(form.fault)}</span>' if form.fault else ""
    invalid = ' aria-invalid="true" aria-describedby="place-fault"' if fault else ""
    field = (
        f'<label for="lugar">{t.landmark}</label>{fault}'
        f'<input id="lugar"{invalid} name="lugar" maxlength="120" autocomplete="off">'
    )
    button = f'<button data-looking="{t.looking}">{t.send_position}</button>'
    is_hidden = "" if form.is_open else " hidden"
    start = f'<form id="place" method="post" action="{safe(form.action)}"{is_hidden}>'
    return f"{link}{start}{_hidden(page)}{POSITION}{field}{button}</form>\n"


def _more(view: ResponderView, page: ResponderFacts, t: Texts, facts: RecordMarkup, refresh: int) -> str:
    """Without its end, which is the same for everybody."""
    missing = f"<p>{t.missing.format(parts=safe(', '.join(view.missing)))}</p>\n" if view.missing else ""
    italics = facts.italics()
    note = f"<p><small>{safe(italics)}</small></p>\n" if italics else ""
    more = ""
    if page.glass and refresh and page.glass.page:
        more = f'<p class="more"><a href="{safe(page.glass.page)}">{t.more}</a></p>\n'
    elif page.glass:
        more = _glass_form(view, page, page.glass, t)
    return f'<div class="part">\n{missing}{note}{more}'


@cache
def _end(language: Idioma) -> Constant:
    return Constant(_end_of(language))


@cache
def _end_with_form(language: Idioma) -> Constant:
    return Constant(_glass_fields(BreakGlassForm(""), TEXTS[language]) + _end_of(language))


def _end_of(language: Idioma) -> str:
    return f"</div>\n</main>\n<footer>{TEXTS[language].code} <b>"


def _has_empty_form(page: ResponderFacts, refresh: int) -> bool:
    form = page.glass
    return form is not None and form.is_empty and not (refresh and form.page)


def _glass_form(view: ResponderView, page: ResponderFacts, form: BreakGlassForm, t: Texts) -> str:
    is_open = " open" if form.is_open or form.faults else ""
    opens = t.more_opens.format(parts=safe(", ".join(view.opened_by_glass))) if view.opened_by_glass else ""
    fields = "" if form.is_empty else _glass_fields(form, t)
    return (
        f"<details{is_open}><summary>{t.more}</summary>\n<p>{opens} {t.more_why}</p>\n"
        f'<form method="post" action="{safe(form.action)}">{_hidden(page)}\n{fields}'
    )


def _glass_fields(form: BreakGlassForm, t: Texts) -> str:
    faults = {fault.field: safe(fault.sentence) for fault in form.faults}

    def label(name: str, words: str) -> str:
        fault = f'<span class="fault" id="{name}-fault">{faults[name]}</span>' if name in faults else ""
        return f'<label for="{name}">{words}</label>{fault}\n'

    def attributes(name: str) -> str:
        return f' aria-invalid="true" aria-describedby="{name}-fault"' if name in faults else ""

    return (
        f'{label("quien", t.more_who)}<input id="quien"{attributes("quien")} name="quien" value="{safe(form.who)}"'
        ' autocomplete="name" maxlength="120" required>\n'
        f'{label("motivo", t.more_reason)}<textarea id="motivo"{attributes("motivo")} name="motivo" rows="2"'
        f' maxlength="500" required>{safe(form.why)}</textarea>\n<button>{t.more_open}</button></form></details>\n'
    )


def _hidden(page: ResponderFacts) -> str:
    rows = [f'<input type="hidden" name="{safe(name)}" value="{safe(value)}">' for name, value in page.fields.items()]
    return "".join(rows)


def _clock(page: ResponderFacts, moment: datetime) -> str:
    return local_time_text(moment, page.zone, page.language.value)
