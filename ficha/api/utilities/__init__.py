"""Welcome, health, maps, pictures and notifications."""

from ficha.api.utilities import background, health, maps, push

OPERATIONS = (maps.operations, push.operations)
PUSH_TEST = (push.test_operations,)
PICTURES = (background.operations,)
WELCOME = (health.welcome_operations,)
HEALTH = (health.health_operations,)
