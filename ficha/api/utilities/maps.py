"""Links that open a position on a map."""

from typing import Annotated

from fastapi import Query

from ficha.api.bodies import Latitude, Longitude
from ficha.api.examples import answer_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.emergencies.positions import MapProvider, map_url
from ficha.http.dependencies import Reply
from ficha.http.envelope import Answer

operations = Operations("utilities", prefix="/maps")


class MapLink(DeferredModel):
    provider: MapProvider
    url: str


@operations.get(
    "/url",
    "Maps URL generator",
    callers="public",
    seed=True,
    errors=(422,),
    example=answer_example(
        {"provider": "google", "url": "https://www.google.com/maps/search/?api=1&query=10.48801,-66.87919"}
    ),
)
def map_link(
    reply: Reply,
    lat: Annotated[Latitude, Query(description="Degrees north.", examples=[10.48801])],
    lng: Annotated[Longitude, Query(description="Degrees east.", examples=[-66.87919])],
    label: Annotated[str, Query(max_length=120, description="Name of the place, where the map shows one.")] = "",
    provider: Annotated[MapProvider, Query()] = MapProvider.GOOGLE,
) -> "Answer[MapLink]":
    """A link that opens this place on somebody's map."""
    return reply(MapLink(provider=provider, url=map_url(provider, lat, lng, label)))
