"""Where the token may go."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

META = (".fbsbx.com", ".fbcdn.net", ".facebook.com")
HOST = re.compile(r"[a-z0-9.:-]+")
PORTS = {"http": 80, "https": 443}


def may_see_token(url: str, base_url: str) -> bool:
    """The platform's own address and its file servers, never in the clear except on this machine."""
    here, base = _origin(url), _origin(base_url)
    if here is None or base is None:
        return False
    scheme, host, port = here
    if scheme == "https":
        return here == base or (port == 443 and host.endswith(META))
    # This machine has several names.
    return base[0] == "http" and base[2] == port and is_loopback(host) and is_loopback(base[1])


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(url: str) -> tuple[str, str, int] | None:
    # Two programs read such addresses differently; none of these has a place in a real one.
    if not url.isascii() or not url.isprintable() or "\\" in url or " " in url:
        return None
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if parts.scheme not in PORTS or not host or not HOST.fullmatch(host) or "@" in parts.netloc:
        return None
    return parts.scheme, host, port or PORTS[parts.scheme]
