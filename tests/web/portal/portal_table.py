"""Every page of the portal: what opens it, and which of its forms post.

A page without its row here fails a test. All checks that hold for every page go over this table: in a browser
(`test_browser_pages.py`) and without one (`test_every_page.py`).
"""

from typing import NamedTuple

from ficha.fmd.catalog import CATALOG


class PortalPage(NamedTuple):
    """`path` as it is declared; its places are filled by `example_paths`. `shows` is False for what is no page of its
    own: a form that leads elsewhere, or an answer to a script."""

    path: str
    posts: bool = False
    needs_login: bool = True
    shows: bool = True


PAGES = (
    PortalPage("/", needs_login=False),
    PortalPage("/login", posts=True, needs_login=False),
    PortalPage("/login/codigo", posts=True, needs_login=False, shows=False),
    PortalPage("/login/sigue", posts=True, needs_login=False, shows=False),
    PortalPage("/login/llave", posts=True, needs_login=False, shows=False),
    PortalPage("/registro", posts=True, needs_login=False),
    PortalPage("/empezar", posts=True, needs_login=False, shows=False),
    PortalPage("/clave", posts=True, needs_login=False),
    PortalPage("/perdida", posts=True, needs_login=False),
    PortalPage("/logout", posts=True),
    PortalPage("/app", posts=True),
    PortalPage("/app/aviso", shows=False),
    PortalPage("/app/emergencias"),
    PortalPage("/app/emergencias/{emergency_id}", posts=True),
    PortalPage("/app/nueva", posts=True),
    PortalPage("/app/etiqueta", posts=True),
    PortalPage("/app/mi-cuenta", posts=True),
    PortalPage("/app/mi-cuenta/avisos", posts=True),
    PortalPage("/app/mi-cuenta/clave", posts=True),
    PortalPage("/app/mi-cuenta/correo", posts=True),
    PortalPage("/app/mi-cuenta/telefono", posts=True),
    PortalPage("/app/mi-cuenta/segundo", posts=True),
    PortalPage("/app/mi-cuenta/llaves", posts=True),
    PortalPage("/app/mi-cuenta/verificar", posts=True),
    PortalPage("/app/mi-cuenta/suscripcion", posts=True),
    PortalPage("/app/mi-cuenta/borrar", posts=True),
    PortalPage("/app/{code}"),
    PortalPage("/app/{code}/inicio", posts=True),
    PortalPage("/app/{code}/codigos", posts=True),
    PortalPage("/app/{code}/foto", shows=False),
    PortalPage("/app/{code}/personas", posts=True),
    PortalPage("/app/{code}/simulacro", posts=True),
    PortalPage("/app/{code}/simulacro/{drill_id}"),
    PortalPage("/app/{code}/medico", posts=True),
    PortalPage("/app/{code}/compartido", posts=True),
    PortalPage("/app/{code}/etiquetas", posts=True),
    PortalPage("/app/{code}/etiquetas/renovar"),
    PortalPage("/app/{code}/etiquetas/hoja", posts=True, shows=False),
    PortalPage("/app/{code}/traer", posts=True),
    # Its own test opens it: it needs a document that was brought.
    PortalPage("/app/{code}/traer/{number}", posts=True, shows=False),
    PortalPage("/app/{code}/retrato", posts=True),
    PortalPage("/app/{code}/papeles", posts=True),
    PortalPage("/app/{code}/carnet", shows=False),
    PortalPage("/app/{code}/accesos"),
    PortalPage("/app/{code}/no-fui-yo", posts=True),
    PortalPage("/app/{code}/historia", posts=True),
    PortalPage("/app/{code}/quien-ve", shows=False),
    PortalPage("/app/{code}/recordatorios", posts=True),
    PortalPage("/app/{code}/calendario-de-vacunas"),
    PortalPage("/app/{code}/ver"),
    PortalPage("/app/{code}/vista", shows=False),
    PortalPage("/app/{code}/{model}", posts=True),
)


class Family(NamedTuple):
    """Of one record: its code, and a drill and an alert of it."""

    code: str
    drill_id: int = 1
    emergency_id: int = 1


def example_paths(page: PortalPage, of: Family) -> list[str]:
    """The addresses of the page for one record: the forms of all models are one row."""
    path = page.path
    for name, value in of._asdict().items():
        path = path.replace(f"{{{name}}}", str(value))
    return [path.replace("{model}", model.about.wire) for model in CATALOG] if "{model}" in path else [path]


def shown_paths(of: Family) -> list[str]:
    return [path for page in PAGES if page.shows for path in example_paths(page, of)]


def one_path_each(of: Family) -> set[str]:
    """Of pages that differ only in their model, the first: for what is the same for all of them."""
    return {example_paths(page, of)[0] for page in PAGES if page.shows}
