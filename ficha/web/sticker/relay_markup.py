"""The part of the responder page where whoever is with the person and the family write to each other."""

from ficha.core.text_types import safe
from ficha.emergencies.relay_lines import LONGEST_WORDS
from ficha.web.kit.language import Texts
from ficha.web.sticker.page_facts import AlertFacts, RelayForm, ResponderFacts


def relay_box(page: ResponderFacts, alert: AlertFacts, t: Texts) -> str:
    """What was said, and the form. Where no script runs the page reloads, so a link leads to one that does not."""
    form = page.relay
    if form is None:
        return ""
    lines = "".join([f"<li>{safe(line)}</li>" for line in alert.said])
    head = f'<div class="said" id="relay" role="log" aria-label="{t.relay}"><b>{t.relay}</b>\n<ul>{lines}</ul>\n'
    if alert.is_full:
        return f"{head}<p>{t.relay_full}</p></div>\n"
    link = "" if form.is_open else f'<noscript><a href="{safe(form.page)}">{t.relay_write}</a></noscript>'
    hidden, is_open = ("", " open") if form.is_open else (" hidden", "")
    written = f"<details{is_open}><summary>{t.relay_write}</summary>\n{_form(page, form, alert, t)}</details>"
    return f'{head}{link}</div>\n<div id="write"{hidden}>{written}</div>\n'


def _form(page: ResponderFacts, form: RelayForm, alert: AlertFacts, t: Texts) -> str:
    fields = {**page.fields, "vez": str(alert.said_place)}
    hidden = "".join([f'<input type="hidden" name="{safe(name)}" value="{safe(fields[name])}">' for name in fields])
    fault = f'<span class="fault" id="fault" role="alert">{safe(form.fault)}</span>' if form.fault else ""
    invalid = ' aria-invalid="true" aria-describedby="fault"' if fault else ""
    return (
        f'<form id="say" method="post" action="{safe(form.action)}" data-lost="{t.relay_lost}">{hidden}'
        f'<p><small>{t.relay_why}</small></p><label for="mensaje">{t.relay_words}</label>'
        f'<textarea id="mensaje" name="mensaje" rows="2" maxlength="{LONGEST_WORDS}">{safe(form.words)}</textarea>'
        f'<label for="telefono">{t.relay_phone}</label>{fault}<input id="telefono"{invalid} name="telefono" type="tel"'
        f' value="{safe(form.phone)}" maxlength="40" autocomplete="tel">'
        f"<button>{t.relay_send}</button></form>"
    )
