"""When each sticker was last scanned: written for all of a batch in one trip, and never set back."""

from datetime import timedelta

from sqlalchemy import event, select

from ficha.audit.chain import LoggedFact
from ficha.products.product import Product
from ficha.products.scans import note_scans, scanned
from tests.emergencies.scenario import AlertSticker, EmergencyScenario


def note(scenario: EmergencyScenario, *scans: tuple[AlertSticker, int]) -> list[str]:
    """Notes scans so many minutes after now, and returns the statements that went to the database one by one."""
    statements: list[str] = []
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
    with scenario.database.writing() as tx:
        event.listen(tx.connection(), "before_cursor_execute", lambda *given: statements.append(given[2]))
        note_scans(tx, facts)
    return statements


def last_scans(scenario: EmergencyScenario, *stickers: AlertSticker) -> list[timedelta | None]:
    with scenario.database.reading() as tx:
        found = [tx.orm.scalar(select(Product.last_scan_at).where(Product.code == each.code)) for each in stickers]
    return [None if moment is None else moment - scenario.now for moment in found]


def test_the_newest_scan_of_each_sticker_is_kept(scenario: EmergencyScenario) -> None:
    ana, luis, unread = (scenario.sticker() for _ in range(3))
    assert note(scenario, (ana, 3), (ana, 5), (luis, 1), (ana, 4)) == []
    assert last_scans(scenario, ana, luis, unread) == [timedelta(minutes=5), timedelta(minutes=1), None]
    note(scenario, (ana, 2), (luis, 7))
    assert last_scans(scenario, ana, luis) == [timedelta(minutes=5), timedelta(minutes=7)]
