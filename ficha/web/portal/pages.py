"""The pages of owners and their families, most of them below /app, in the order in which their paths are matched."""

from ficha.web.portal import project_link
from ficha.web.portal.account import account, clave, login, second_factor, subscription
from ficha.web.portal.family import emergency, family
from ficha.web.portal.forms import form_page, uncoded_terms
from ficha.web.portal.joining import claim, enrolment, first_questions, invitation, new_sticker, register
from ficha.web.portal.log import history, not_me, who_looked
from ficha.web.portal.record import (
    drill,
    for_a_doctor,
    imports,
    lost,
    papers,
    people,
    photo,
    record,
    reminders,
    shared,
    stickers,
    vaccines,
)

# `/app/nueva`, `/app/etiqueta` and the emergencies before `/app/{code}`, and `/app/{code}/inicio` and its like before
# the forms of the models.
PAGES = (
    login.routes,
    login.logout_routes,
    clave.routes,
    register.routes,
    new_sticker.routes,
    claim.routes,
    invitation.routes,
    enrolment.routes,
    lost.routes,
    reminders.link_pages,
    project_link.routes,
    family.routes,
    emergency.routes,
    account.routes,
    second_factor.routes,
    subscription.routes,
    register.further_routes,
    new_sticker.choice_routes,
    first_questions.routes,
    people.routes,
    drill.routes,
    stickers.routes,
    photo.routes,
    imports.routes,
    papers.routes,
    for_a_doctor.routes,
    shared.routes,
    vaccines.routes,
    who_looked.routes,
    not_me.routes,
    history.routes,
    reminders.routes,
    record.routes,
    uncoded_terms.routes,
    form_page.routes,
)
