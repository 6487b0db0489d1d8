"""What administrators keep: services, navigation buttons, projects, subscriptions; and the people of institutions."""

from ficha.api.administration import (
    institution_people,
    institution_users,
    memberships,
    navigation_buttons,
    projects,
    services,
    subscription,
)

OPERATIONS = (memberships.operations, institution_people.operations, projects.operations, subscription.operations)
RECORDS = (services.operations, navigation_buttons.operations, institution_users.operations)
