"""When each sticker was last scanned: written for all of a batch in one trip, and never set back."""

from datetime import timedelta

from sqlalchemy import select

from ficha.audit.chain import LoggedFact
from ficha.products.product import Product
from ficha.products.scans import note_scans, scanned
from tests.emergencies.scenario import AlertSticker, EmergencyScenario
from tests.statement_counter import count_statements


def note(scenario: EmergencyScenario, *scans: tuple[AlertSticker, int]) -> int:
    """Notes scans so many minutes after now, and returns how many trips to the database that took."""
    facts = [
        LoggedFact(
            sticker.record_id,
            scenario.now + timedelta(minutes=minutes),
            "tag",
            "record.read",
            scanned(sticker.code, ["salud"]),
            "tag",
            "::1",
            f"{place:032}",
        )
        for place, (sticker, minutes) in enumerate(scans)
    ]
    with count_statements(scenario.database) as counted, scenario.database.writing() as tx:
        note_scans(tx, facts)
    return counted.statements


def last_scans(scenario: EmergencyScenario, *stickers: AlertSticker) -> list[timedelta | None]:
    with scenario.database.reading() as tx:
        found = [tx.orm.scalar(select(Product.last_scan_at).where(Product.code == each.code)) for each in stickers]
    return [None if moment is None else moment - scenario.now for moment in found]


def test_the_newest_scan_of_each_sticker_is_kept(scenario: EmergencyScenario) -> None:
    ana, luis, unread = (scenario.sticker() for _ in range(3))
    assert note(scenario, (ana, 3), (ana, 5), (luis, 1), (ana, 4)) == 1
    assert last_scans(scenario, ana, luis, unread) == [timedelta(minutes=5), timedelta(minutes=1), None]
    note(scenario, (ana, 2), (luis, 7))
    assert last_scans(scenario, ana, luis) == [timedelta(minutes=5), timedelta(minutes=7)]
