"""Joins the pages to the application."""

from fastapi import FastAPI

from ficha.web import assets, clave, docs, emergency, home, metrics, offline, sandbox
from ficha.web.errors import error_page


def install(app: FastAPI) -> None:
    for part in (home, offline, emergency, clave, docs, sandbox, metrics, assets):
        app.include_router(part.router)
    app.state.error_page = error_page
