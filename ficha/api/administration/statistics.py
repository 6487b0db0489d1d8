"""Statistics for a ministry: what is published of each month, by region."""

from datetime import date

from pydantic import Field
from starlette.responses import Response

from ficha.api.examples import NOW_EXAMPLE, listing_example
from ficha.api.operations import Operations
from ficha.core.deferred_model import DeferredModel
from ficha.http.dependencies import Admin, Page, Reading
from ficha.http.envelope import Listing, Moment, Resource
from ficha.http.file_answers import CSV, saved_as
from ficha.statistics.months import (
    ANSWERED,
    REGIONS,
    REST,
    UNANSWERED,
    PublishedMonth,
    csv_of,
    month_with,
    number_of,
    published_months,
)

operations = Operations("administration", prefix="/statistics", callers="admin", progress="Developing")

# Of a file: forty years.
MOST_MONTHS = 480
FEWER = "null for fewer than ten"


class RegionPeople(DeferredModel):
    region: str = Field(description="The prefix of the country of the owner's number, or `other`.", examples=["+58"])
    answered: int | None = Field(description=f"People with an alert that somebody answered; {FEWER}.", examples=[214])
    unanswered: int | None = Field(description=f"People whose alerts nobody answered; {FEWER}.", examples=[31])


class RestPeople(DeferredModel):
    answered: int | None = Field(description="Of all regions that are null, together; null if not told either.")
    unanswered: int | None = Field(description="The same of those whose alerts nobody answered.")


class MonthAttributes(DeferredModel):
    published_at: Moment = Field(description="When it was counted. It is never counted again.")
    regions: list[RegionPeople] = Field(description="Always all of them, in the same order.")
    rest: RestPeople


MonthOut = Resource[MonthAttributes]
EXAMPLE = {
    "type": "statistic",
    "id": "2026-10",
    "attributes": {
        "published_at": NOW_EXAMPLE,
        "regions": [
            {"region": region, "answered": told, "unanswered": untold}
            for region, told, untold in (
                (each, 214 if each == "+58" else None, 31 if each == "+58" else None) for each in REGIONS
            )
        ],
        "rest": {"answered": 26, "unanswered": None},
    },
}


@operations.get("", "Statistics", errors=(422,), example=listing_example([EXAMPLE]))
def statistics(reading: Reading, _admin: Admin, page: Page) -> "Listing[MonthOut]":
    """How many people had an alert, by month and region, the newest month first. A month is published a week after it
    is over, and stays as it is."""
    before = month_with(min(max(page.start(number_of(date.max)), number_of(date.min)), number_of(date.max)))
    found = published_months(reading, before=before, limit=page.limit)
    return page.answer(found, _month_out, lambda month: month.number)


@operations.get(
    "/csv",
    "Statistics CSV",
    media_type=CSV,
    example="month,region,group,people\r\n2026-10,+58,answered,214\r\n2026-10,+58,unanswered,31\r\n",
    response_class=Response,
)
def statistics_csv(reading: Reading, _admin: Admin) -> Response:
    """The same as a table, all months: a line for each month, region and group. An empty number is fewer than ten."""
    lines = csv_of(published_months(reading, limit=MOST_MONTHS))
    return Response(lines, media_type=CSV, headers=saved_as("estadisticas.csv"))


def _month_out(month: PublishedMonth) -> MonthOut:
    people = month.people
    return Resource(
        type="statistic",
        id=f"{month.month:%Y-%m}",
        attributes=MonthAttributes(
            published_at=month.published_at,
            regions=[
                RegionPeople(region=region, answered=people[region, ANSWERED], unanswered=people[region, UNANSWERED])
                for region in REGIONS
            ],
            rest=RestPeople(answered=people[REST, ANSWERED], unanswered=people[REST, UNANSWERED]),
        ),
    )
