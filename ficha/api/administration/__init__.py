"""What administrators keep: services, navigation buttons, projects, subscriptions; and the people of institutions."""

from ficha.api.administration import institution_users, memberships, navigation_buttons, services
from ficha.api.operations import Operations

OPERATIONS = (memberships.operations,)
RECORDS = (services.operations, navigation_buttons.operations, institution_users.operations)
LINKS: tuple[Operations, ...] = ()
