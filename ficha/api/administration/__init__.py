"""What administrators keep: services, navigation buttons, projects, subscriptions; and the people of institutions."""

from ficha.api.administration import navigation_buttons, services
from ficha.api.operations import Operations

OPERATIONS: tuple[Operations, ...] = ()
RECORDS = (services.operations, navigation_buttons.operations)
LINKS: tuple[Operations, ...] = ()
