"""Network addresses: which of them are one caller, and which anybody on the internet may be sent to."""

from ipaddress import IPv6Address, IPv6Network, ip_address, ip_network

# Of IPv6 this is all that was given out to hosts of the internet. In it, addresses of IPv4 are carried by 6to4 and by
# Teredo, private ones too.
GIVEN_OUT = IPv6Network("2000::/3")
CARRIES_IPV4 = (IPv6Network("2002::/16"), IPv6Network("2001::/32"))


def address_group(origin: str) -> str:
    """An IPv4 address itself, also where it is written as IPv6; of IPv6 the /64 network, because one household has all
    of its addresses. What is no address stays as it is."""
    try:
        address = ip_address(origin)
    except ValueError:
        return origin
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is None:
            return str(ip_network(f"{address}/64", strict=False))
        address = address.ipv4_mapped
    return str(address)


def is_public(address: str) -> bool:
    """Whether it is a host's of the internet: not of this machine, a network of one's own, or a group of hosts."""
    found = ip_address(address.partition("%")[0])
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        found = found.ipv4_mapped
    if isinstance(found, IPv6Address) and (found not in GIVEN_OUT or any(found in each for each in CARRIES_IPV4)):
        return False
    return found.is_global and not found.is_multicast
