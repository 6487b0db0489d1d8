"""All pages of the console."""

from ficha.web.console import (
    alarms,
    batches,
    buttons,
    changes,
    codes,
    emergencies,
    home,
    institution,
    institution_forms,
    institutions,
    jobs,
    metrics,
    people,
    projects,
    services,
    subscriptions,
)

CONSOLE = (
    home,
    emergencies,
    jobs,
    alarms,
    people,
    institutions,
    institution_forms,
    institution,
    codes,
    batches,
    services,
    buttons,
    projects,
    subscriptions,
    changes,
    metrics,
)
