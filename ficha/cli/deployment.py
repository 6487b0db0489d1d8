"""ficha error-page: what a proxy in front of the service needs from it."""

import sys

from ficha.core.settings import Settings


def error_page() -> None:
    """Print the page that a proxy shows when no server answers.

    In three languages: the emergency number of FICHA_EMERGENCY_COUNTRY, and what to do. The configurations of nginx and
    HAProxy in docs/proxy/ show where they look for it.

    Example: ficha error-page > /etc/ficha/no-service.html
    """
    from ficha.web.sticker.unavailable_page import page_for_proxies

    sys.stdout.write(page_for_proxies(Settings().emergency_country))
