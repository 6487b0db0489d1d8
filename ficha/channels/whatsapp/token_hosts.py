"""The hosts that may receive our token."""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

META_DOMAINS = (".fbsbx.com", ".fbcdn.net", ".facebook.com")
HOST = re.compile(r"[a-z0-9.:-]+")
PORTS = {"http": 80, "https": 443}


def may_receive_token(url: str, base_url: str) -> bool:
    """Only the platform's own address and its file servers, and only over TLS except on this machine."""
    here, base = _origin(url), _origin(base_url)
    if here is None or base is None:
        return False
    scheme, host, port = here
    if scheme == "https":
        return here == base or (port == 443 and host.endswith(META_DOMAINS))
    # The same machine may be named in several ways.
    return base[0] == "http" and base[2] == port and is_loopback(host) and is_loopback(base[1])


def is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def _origin(url: str) -> tuple[str, str, int] | None:
    # Programs read such addresses in different ways, and none of these characters occurs in a real one.
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
