"""Network addresses: which of them are one caller."""

from ipaddress import IPv6Address, ip_address, ip_network


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
