"""All pages of the console, below /admin."""

from ficha.web.console import (
    alarms,
    batches,
    changes,
    codes,
    emergencies,
    emergency_work,
    home,
    institution_forms,
    institutions,
    jobs,
    messages,
    people,
    resources,
    rosters,
    rules,
    statistics,
    subscriptions,
    webhooks,
)

# Of institutions the forms first: the address of a new one would fit that of one.
CONSOLE = (
    home,
    emergencies,
    emergency_work,
    messages,
    jobs,
    webhooks,
    alarms,
    statistics,
    people,
    institution_forms,
    institutions,
    rosters,
    rules,
    codes,
    batches,
    resources,
    subscriptions,
    changes,
)
