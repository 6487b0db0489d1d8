"""The message templates of the business account."""

import itertools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import resources
from typing import Any, Literal

from ficha.sandbox.whatsapp.errors import GraphError, invalid_parameter

CATEGORIES = ("UTILITY", "MARKETING", "AUTHENTICATION")
VARIABLE = re.compile(r"\{\{\s*([A-Za-z0-9_]+)\s*\}\}")
_NAME = re.compile(r"[a-z0-9_]{1,512}")
_LANGUAGE = re.compile(r"[a-z]{2,3}(_[A-Za-z0-9]{2,4})?")
_FIRST_ID = 594425479261500


@dataclass
class Template:
    id: str
    name: str
    language: str
    category: str
    components: list[dict[str, Any]]
    status: str = "APPROVED"
    parameter_format: Literal["POSITIONAL", "NAMED"] = "POSITIONAL"

    def part(self, kind: str) -> dict[str, Any] | None:
        return next((each for each in self.components if each.get("type", "").upper() == kind), None)

    @property
    def buttons(self) -> list[dict[str, Any]]:
        part = self.part("BUTTONS")
        return [] if part is None else list(part.get("buttons", ()))

    @property
    def description(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "name": self.name,
            "language": self.language,
            "status": self.status,
            "category": self.category,
            "parameter_format": self.parameter_format,
            "components": self.components,
        }


@dataclass
class Templates:
    known: list[Template] = field(default_factory=list)
    ids: Iterator[int] = field(default_factory=lambda: itertools.count(_FIRST_ID))

    @classmethod
    def shipped(cls, base_url: str) -> "Templates":
        """Those of templates.json, with links to `base_url`."""
        text = resources.files("ficha.sandbox.whatsapp").joinpath("templates.json").read_text("utf-8")
        templates = cls()
        for each in json.loads(text.replace("{base}", base_url)):
            for language, components in each["languages"].items():
                templates.add(
                    each["name"],
                    language,
                    each["category"],
                    components,
                    each.get("status", "APPROVED"),
                    each.get("parameter_format", "POSITIONAL"),
                )
        return templates

    def add(
        self,
        name: str,
        language: str,
        category: str,
        components: list[dict[str, Any]],
        status: str = "APPROVED",
        parameter_format: Literal["POSITIONAL", "NAMED"] = "POSITIONAL",
    ) -> Template:
        template = Template(str(next(self.ids)), name, language, category, components, status, parameter_format)
        self.known.append(template)
        return template

    def find(self, name: str, language: str) -> Template | None:
        return next((each for each in self.known if (each.name, each.language) == (name, language)), None)

    def with_id(self, template_id: str) -> Template | None:
        return next((each for each in self.known if each.id == template_id), None)

    def matching(self, query: Mapping[str, str]) -> list[Template]:
        def fits(each: Template) -> bool:
            return (
                query.get("name", each.name) in each.name
                and query.get("status", each.status).upper() == each.status
                and query.get("language", each.language) == each.language
                and query.get("category", each.category).upper() == each.category
            )

        return [each for each in self.known if fits(each)]

    def create(self, asked: Mapping[str, Any]) -> Template:
        """Adds a template that waits for review; raises GraphError if it is not well formed or exists already."""
        for name in ("name", "language", "category", "components"):
            if not asked.get(name):
                raise invalid_parameter(f"The parameter {name} is required.")
        if not isinstance(asked["name"], str) or not _NAME.fullmatch(asked["name"]):
            raise invalid_parameter(
                "Param name must have only lower case letters, digits and underscores, 512 at most."
            )
        if not isinstance(asked["language"], str) or not _LANGUAGE.fullmatch(asked["language"]):
            raise invalid_parameter("Param language must be a language code like es or pt_BR.")
        if str(asked["category"]).upper() not in CATEGORIES:
            raise invalid_parameter(f"Param category must be one of {{{', '.join(CATEGORIES)}}}")
        if self.find(asked["name"], asked["language"]) is not None:
            raise GraphError(100, "There is already content for this template in this language.", subcode=2388024)
        components = asked["components"]
        _check_components(components)
        named = str(asked.get("parameter_format", "POSITIONAL")).upper() == "NAMED"
        return self.add(
            asked["name"],
            asked["language"],
            str(asked["category"]).upper(),
            components,
            "PENDING",
            "NAMED" if named else "POSITIONAL",
        )

    def delete(self, query: Mapping[str, str]) -> list[Template]:
        """Every language of a name, or the one with `hsm_id`; raises GraphError if there is none."""
        name, hsm_id = query.get("name"), query.get("hsm_id")
        if not name:
            raise invalid_parameter("The parameter name is required.")
        deleted = [each for each in self.known if each.name == name and hsm_id in (None, each.id)]
        if not deleted:
            raise GraphError(100, "The template to delete was not found.", subcode=2593002)
        self.known = [each for each in self.known if each not in deleted]
        return deleted


def variables(text: str) -> list[str]:
    return list(dict.fromkeys(VARIABLE.findall(text)))


def _check_components(components: object) -> None:
    if not isinstance(components, list) or not all(isinstance(each, dict) for each in components):
        raise invalid_parameter("Param components must be an array.")
    for each in components:
        buttons = each.get("buttons", [])
        if not all(isinstance(each.get(name, ""), str) for name in ("type", "text", "format")):
            raise invalid_parameter("components: type, format and text must be strings.")
        if not isinstance(buttons, list) or not all(isinstance(button, dict) for button in buttons):
            raise invalid_parameter("components: buttons must be an array of objects.")
        if not all(isinstance(button.get(name, ""), str) for button in buttons for name in ("type", "text", "url")):
            raise invalid_parameter("components: type, text and url of a button must be strings.")
    body = next((each for each in components if str(each.get("type", "")).upper() == "BODY"), None)
    if body is None:
        raise invalid_parameter("components: BODY is required.")
    for kind, longest in (("BODY", 1024), ("HEADER", 60), ("FOOTER", 60)):
        if any(len(str(c.get("text", ""))) > longest for c in components if str(c.get("type", "")).upper() == kind):
            raise invalid_parameter(f"components: {kind} text must be at most {longest} characters long.")
    buttons = [b for c in components if str(c.get("type", "")).upper() == "BUTTONS" for b in c.get("buttons", ())]
    if len(buttons) > 10 or any(len(str(button.get("text", ""))) > 25 for button in buttons):
        raise invalid_parameter("components: at most 10 buttons with labels of at most 25 characters.")
