"""Those who ask for a template together, before the environment keeps it, get the same one."""

from pathlib import Path

from jinja2 import Environment

from ficha.web.kit.rendering import environment
from ficha.web.kit.template_loader import TemplateLoader


def test_a_template_is_compiled_once(tmp_path: Path) -> None:
    (tmp_path / "page.html").write_text("{{ 1 + 1 }}")
    loader = TemplateLoader(tmp_path)
    asked = Environment(loader=loader, autoescape=True)
    first, second = loader.load(asked, "page.html"), loader.load(asked, "page.html")
    assert first is second and second.render() == "2"


def test_pages_are_loaded_by_it() -> None:
    assert isinstance(environment().loader, TemplateLoader)
