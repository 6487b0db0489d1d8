"""Joins the pages to the application."""

from fastapi import FastAPI

from ficha.web import sandbox
from ficha.web.console import metrics
from ficha.web.contact import answer_page
from ficha.web.docs import page
from ficha.web.kit import assets
from ficha.web.kit.errors import error_page
from ficha.web.portal import clave, home
from ficha.web.sticker import doors, offline_viewer


def install(app: FastAPI) -> None:
    for part in (home, offline_viewer, doors, answer_page, clave, page, sandbox, metrics, assets):
        part.routes.join(app)
    app.state.error_page = error_page
