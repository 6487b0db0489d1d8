"""Those who ask for a template together, before the environment keeps it, get the same one."""

import re
from pathlib import Path

from jinja2 import Environment

from ficha.web.kit import rendering
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


def test_templates_stand_in_the_folder_of_the_code_that_shows_them() -> None:
    """What several folders show is in that of the kit."""
    folder = Path(rendering.__file__).parents[1]
    for file in set(folder.rglob("*.py")) - set(Path(rendering.__file__).parent.rglob("*.py")):
        for name in re.findall(r'"([a-z_/]+)/\w+\.html"', file.read_text()):
            assert name in (file.parent.relative_to(folder).as_posix(), "kit") or name.startswith("kit/"), file
