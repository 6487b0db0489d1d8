"""What administrators keep: services, navigation buttons, projects, subscriptions; and the people of institutions."""

from ficha.api.administration import institution_people, institution_users, memberships, resources, subscriptions

OPERATIONS = (memberships.operations, institution_people.operations, resources.projects, subscriptions.operations)
RECORDS = (resources.services, resources.buttons, institution_users.operations)
