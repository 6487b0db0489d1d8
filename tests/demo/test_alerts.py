"""Whoever tries the demo presses the alert button first."""

from sqlalchemy import select

from ficha.api.examples import DEMO_INSTITUTION, DEMO_MEMBER
from ficha.demo.people import PEOPLE, ensure_demo
from ficha.fmd.records import Record
from ficha.institutions.institution import institution_with
from ficha.products.product import Product
from tests.world import World


def test_every_person_of_the_demo_can_be_alerted_for(world: World) -> None:
    """By the institution for its own person, and by who owns a record with any code of it."""
    ensure_demo(world.parts)
    with world.parts.database.reading() as tx:
        school = institution_with(tx, DEMO_INSTITUTION).account_id
        codes = select(Product.code, Record.account_id).join(Record, Product.record_id == Record.id)
        owned = [(code, account) for code, account in tx.orm.execute(codes).all() if account is not None]
    assert school is not None and len(owned) > len(PEOPLE)
    for code, account in [(DEMO_MEMBER, school), *owned]:
        headers = {"Authorization": f"Bearer {world.token_for(account)}"}
        answer = world.client.post("/v2/emergencies", json={"code": code}, headers=headers)
        assert answer.status_code in (200, 201), (code, answer.text)
