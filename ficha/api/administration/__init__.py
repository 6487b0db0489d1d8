"""What administrators keep: services, navigation buttons, projects, subscriptions; the people of institutions; and
webhooks."""

from ficha.api.administration import (
    institution_people,
    institution_users,
    memberships,
    resources,
    statistics,
    subscriptions,
    webhooks,
)

OPERATIONS = (
    memberships.operations,
    institution_people.operations,
    resources.projects,
    subscriptions.operations,
    webhooks.operations,
    statistics.operations,
)
V1_OPERATIONS = (resources.services, resources.buttons, institution_users.operations)
