"""Links that open a place on a map, by whose map it is."""

from enum import StrEnum
from urllib.parse import quote, urlencode


class MapProvider(StrEnum):
    GOOGLE = "google"
    OSM = "osm"
    APPLE = "apple"
    WAZE = "waze"
    GEO = "geo"


def map_url(provider: MapProvider, lat: float, lng: float, label: str = "") -> str:
    """Six decimals are about ten centimetres. Where a provider shows no label, it is left out."""
    north, east = _degrees(lat), _degrees(lng)
    pair = f"{north},{east}"
    match provider:
        case MapProvider.GOOGLE:
            return f"https://www.google.com/maps/search/?{urlencode({'api': 1, 'query': pair}, safe=',')}"
        case MapProvider.OSM:
            return f"https://www.openstreetmap.org/?mlat={north}&mlon={east}#map=17/{north}/{east}"
        case MapProvider.APPLE:
            return f"https://maps.apple.com/?{urlencode({'ll': pair, 'q': label or pair}, safe=',', quote_via=quote)}"
        case MapProvider.WAZE:
            return f"https://waze.com/ul?{urlencode({'ll': pair, 'navigate': 'yes'}, safe=',')}"
        case MapProvider.GEO:
            # Parentheses end the label in this form, whatever stands between them.
            name = quote(label.replace("(", " ").replace(")", " ").strip(), safe="")
            return f"geo:{pair}?q={pair}({name})" if name else f"geo:{pair}"


def _degrees(value: float) -> str:
    """Without an exponent, and without a minus sign before nothing."""
    text = f"{value:.6f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
