"""The push services that we call. Addresses come from browsers, and from whoever pretends to be one."""

from collections.abc import Collection
from urllib.parse import urlsplit

# Chrome and Android, Firefox, Safari, Edge on Windows.
KNOWN = frozenset({"fcm.googleapis.com", "updates.push.services.mozilla.com", "web.push.apple.com"})
KNOWN_ENDINGS = (".push.services.mozilla.com", ".push.apple.com", ".notify.windows.com")
MOST_LETTERS = 1000


def is_push_service(endpoint: str, added: Collection[str]) -> bool:
    """`added`: hosts of the settings, with their port if it is another than usual; only they may be without TLS."""
    try:
        parts = urlsplit(endpoint)
        host = (parts.hostname or "").lower()
        port = parts.port
    except ValueError:
        return False
    if len(endpoint) > MOST_LETTERS or not endpoint.isascii() or "@" in parts.netloc or not parts.path.strip("/"):
        return False
    if (f"{host}:{port}" if port else host) in added:
        return parts.scheme in ("http", "https")
    return parts.scheme == "https" and port in (None, 443) and (host in KNOWN or host.endswith(KNOWN_ENDINGS))
