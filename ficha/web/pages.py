"""Joins the pages to the application."""

from fastapi import FastAPI

from ficha.web.console.pages import CONSOLE
from ficha.web.contact import answer_page
from ficha.web.docs import page as docs_page
from ficha.web.kit import assets
from ficha.web.kit.errors import error_page
from ficha.web.portal import (
    account,
    claim,
    clave,
    enrolment,
    family,
    first_questions,
    form_page,
    home,
    invitation,
    log_anchors,
    login,
    login_second_step,
    logout,
    new_record,
    project_link,
    push_worker,
    record,
    register,
    second_factor,
    stickers,
    who_looked,
)
from ficha.web.sandbox import page as sandbox_page
from ficha.web.sticker import (
    alert_form,
    break_glass_form,
    carnet_page,
    live_stream,
    offline_viewer,
    scanned_page,
    service_worker,
    typed_code_page,
)

STICKER = (typed_code_page, scanned_page, alert_form, break_glass_form, service_worker, live_stream, carnet_page)


def install(app: FastAPI) -> None:
    # The offline viewer first: its address /e/offline would fit that of a typed code.
    entrance = (home, register, login, login_second_step, logout, clave)
    owner = (*entrance, claim, invitation, enrolment, project_link, log_anchors, push_worker)
    # `/app/nueva` before `/app/{code}`, and `/app/{code}/inicio` before the forms of the models.
    family_pages = (
        family,
        account,
        second_factor,
        new_record,
        first_questions,
        stickers,
        who_looked,
        record,
        form_page,
    )
    for part in (
        *owner,
        *family_pages,
        offline_viewer,
        *STICKER,
        answer_page,
        docs_page,
        sandbox_page,
        *CONSOLE,
        assets,
    ):
        part.routes.join(app)
    app.state.error_page = error_page
