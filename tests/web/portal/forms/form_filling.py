"""Fills the forms of the models as a browser without scripts does: only fields that the page shows are sent."""

from collections.abc import Iterator, Mapping, Sequence
from html.parser import HTMLParser
from typing import Any

from httpx2 import Response

from ficha.fmd.fields import FormField
from tests.web.portal.page_session import PageUser

NOT_SENT = ("submit", "checkbox", "radio")


class ShownForm(HTMLParser):
    """`values` are what a browser would send of the page as it is; `names` also those that nobody has filled yet."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.values: dict[str, str] = {}
        self.names: set[str] = set()
        self.steps: list[str] = []
        self.offered: dict[str, list[str]] = {}
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
            self.offered.setdefault(name, []).append(said.get("value", ""))
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


def chosen_terms(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Of each term with a code in a document: its place, and what its search must offer."""
    if isinstance(value, dict) and "codigo" in value and "sistema" in value:
        yield at, f"{value['sistema']}|{value['codigo']}|{value['texto']}"
        return
    below = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for name, inner in below:
        yield from chosen_terms(inner, f"{at}.{name}" if at else str(name))


def send(user: PageUser, path: str, shown: ShownForm, do: str, **changes: str) -> Response:
    return user.post(path, **shown.values | changes | {"do": do})


def filled(user: PageUser, path: str, wanted: Mapping[str, str], chosen: Mapping[str, str] | None = None) -> Response:
    """Adds the lines that are needed, fills in what is wanted, and saves. `chosen` are terms to search for and take, by
    their places."""
    shown = ShownForm(user.get(path).text)
    for name in wanted:
        for line in lines_above(name):
            if not any(other.startswith(f"{line}.") for other in shown.names):
                shown = ShownForm(send(user, path, shown, f"add:{line.rpartition('.')[0]}").text)
        assert name in shown.names, f"the form does not ask for {name}"
    shown.values |= wanted
    for place, option in (chosen or {}).items():
        shown = ShownForm(send(user, path, shown, f"search:{place}").text)
        assert option in shown.offered[f"{place}.elegido"], shown.offered
        shown.values[f"{place}.elegido"] = option
    return send(user, path, shown, "save")


def lines_above(name: str) -> Iterator[str]:
    """The items of lists that the field stands in, the outermost first."""
    steps = name.split(".")
    return (".".join(steps[: place + 1]) for place, step in enumerate(steps[:-1]) if step.isdigit())


def without_server_values(value: Any) -> Any:
    if isinstance(value, list):
        return [without_server_values(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {name: without_server_values(item) for name, item in value.items() if name not in ("id", "telefono_e164")}
