"""Fills the forms of the models as a browser without scripts does: only fields that the page shows are sent."""

from collections.abc import Iterator, Sequence
from html.parser import HTMLParser
from typing import Any

from httpx2 import Response

from ficha.fmd.form_fields import FormField
from tests.web.portal.page_session import PageUser

NOT_SENT = ("submit", "checkbox", "radio")


class ShownForm(HTMLParser):
    """`values` are what a browser would send of the page as it is; `names` also those that nobody has filled yet."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self.names: set[str] = set()
        self.steps: list[str] = []
        self._open = ""
        self._text = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        said = {name: value or "" for name, value in attrs}
        name = said.get("name", "")
        if tag == "button" and name == "do":
            self.steps.append(said["value"])
        elif tag in ("input", "select", "textarea") and name:
            self.names.add(name)
            if tag == "input" and (said.get("type") not in NOT_SENT or "checked" in said):
                self.values[name] = said.get("value", "")
            elif tag != "input":
                self._open, self._text = name, ""
        elif tag == "option" and self._open and ("selected" in said or self._open not in self.values):
            self.values[self._open] = said.get("value", "")

    def handle_data(self, data: str) -> None:
        self._text += data

    def handle_endtag(self, tag: str) -> None:
        if tag == "textarea" and self._open:
            self.values[self._open] = self._text.removeprefix("\n")
        if tag in ("select", "textarea"):
            self._open = ""


def typed(document: dict[str, Any], fields: Sequence[FormField], at: str = "") -> Iterator[tuple[str, str]]:
    """What somebody types or taps for this document, by the names of the fields."""
    names = {field.name for field in fields}
    for field in fields:
        value, path = document.get(field.name), at + field.name
        if value is None or ("sistema" in names and field.name in ("sistema", "codigo")):
            continue
        if field.widget == "group":
            yield from typed(value, field.fields, f"{path}.")
        elif field.widget == "coded":
            yield f"{path}.texto", value["texto"]
        elif field.widget == "coded-list":
            yield from ((f"{path}.{place}.texto", item["texto"]) for place, item in enumerate(value))
        elif field.widget == "list":
            for place, item in enumerate(value):
                yield from typed(item, field.fields, f"{path}.{place}.")
        elif field.widget == "checkboxes":
            yield from ((f"{path}.{one}", "si") for one in value)
        elif field.widget in ("modules", "doors"):
            words = {True: "si", False: "no"}
            yield from ((f"{path}.{name}", words.get(one, one)) for name, one in value.items())
        elif field.widget == "yes-no":
            yield path, "si" if value else "no"
        elif field.widget == "tags":
            yield path, "\r\n".join(value)
        else:
            yield path, str(value)


def send(user: PageUser, path: str, shown: ShownForm, do: str, **changes: str) -> Response:
    return user.post(path, **shown.values | changes | {"do": do})


def filled(user: PageUser, path: str, wanted: dict[str, str]) -> Response:
    """Adds the lines that are needed, fills in what is wanted, and saves."""
    shown = ShownForm(user.get(path).text)
    for name in wanted:
        if name not in shown.names:
            steps = name.split(".")
            place = next(place for place, step in enumerate(steps) if step.isdigit() and int(step) > 0)
            shown = ShownForm(send(user, path, shown, f"add:{'.'.join(steps[:place])}").text)
        assert name in shown.names, f"the form does not ask for {name}"
    return send(user, path, shown, "save", **wanted)
