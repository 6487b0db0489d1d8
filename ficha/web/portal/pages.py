"""The pages of a family that is logged in, all below /app."""

from ficha.web.portal import (
    account,
    drill,
    emergency,
    family,
    first_questions,
    form_page,
    live_banner,
    new_record,
    passkeys,
    people,
    push_devices,
    record,
    second_factor,
    stickers,
    verification,
    who_looked,
)

# `/app/nueva` and the emergencies before `/app/{code}`, and `/app/{code}/inicio` before the forms of the models.
FAMILY = (
    family,
    live_banner,
    emergency,
    account,
    second_factor,
    passkeys,
    verification,
    push_devices,
    new_record,
    first_questions,
    people,
    drill,
    stickers,
    who_looked,
    record,
    form_page,
)
