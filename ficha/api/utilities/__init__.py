"""Welcome, health and maps."""

from ficha.api.utilities import health, maps

OPERATIONS = (maps.operations,)
WELCOME = (health.welcome_operations,)
HEALTH = (health.health_operations,)
