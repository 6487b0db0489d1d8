"""Joins the pages to the application."""

from fastapi import FastAPI

from ficha.web import assets, clave, docs, home, metrics, offline, sandbox
from ficha.web.emergency import answering, doors
from ficha.web.errors import error_page


def install(app: FastAPI) -> None:
    for part in (home, offline, doors, answering, clave, docs, sandbox, metrics, assets):
        part.routes.join(app)
    app.state.error_page = error_page
