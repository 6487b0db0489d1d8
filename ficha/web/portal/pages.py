"""The pages of a family that is logged in, all below /app."""

from ficha.web.portal.account import account, passkeys, push_devices, second_factor, verification
from ficha.web.portal.family import emergency, family, live_banner
from ficha.web.portal.forms import form_page
from ficha.web.portal.joining import first_questions, new_record
from ficha.web.portal.log import history, not_me, who_looked
from ficha.web.portal.record import drill, people, record, reminders, sticker_sheet, stickers, who_sees

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
    sticker_sheet,
    who_looked,
    who_sees,
    not_me,
    history,
    reminders,
    record,
    form_page,
)
