"""Stickers claimed by somebody who only read or guessed their code, before their buyer does."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ficha.products.codes import IssuedCode, issue_code
from tests.world import Person, World, build_world, registration, settings_for


def printed(world: World) -> IssuedCode:
    with world.parts.database.writing() as tx:
        return issue_code(tx, world.clock.now())


def link_in_mail(world: World, to: Person) -> str:
    world.run_jobs()
    found = (
        re.search(r"http://testserver(/etiqueta/\w+)", mail.text) for mail in world.mails() if mail.to == to.correo
    )
    return next(link for link in found if link is not None).group(1)


def opens(world: World, sticker: IssuedCode) -> bool:
    return world.client.get(f"/e/{sticker.code}/{sticker.tag}").status_code == 200


def codes_of(person: Person) -> list[str]:
    return list(person.get("/v2/auth/me").json()["data"]["attributes"]["product_codes"])


def test_a_code_alone_opens_nothing_until_the_mailbox_confirms(world: World, ana: Person) -> None:
    sticker = printed(world)
    claimed = ana.post(f"/v2/products/{sticker.code}/claim").json()["data"]["attributes"]
    assert (claimed["state"], claimed["is_confirmed"]) == ("claimed", False)
    assert not opens(world, sticker) and sticker.code in codes_of(ana)
    link = link_in_mail(world, ana)
    # Looking at the link confirms nothing: mailboxes look at links too.
    assert world.client.get(link).status_code == 200 and not opens(world, sticker)
    done = world.client.post(link)
    assert done.status_code == 200 and sticker.code in done.text
    assert opens(world, sticker)
    assert world.client.post(link).status_code == 410
    assert ana.get("/v2/auth/me").json()["data"]["attributes"]["correo_verificado"] is True
    assert ana.get(f"/v2/products/{sticker.code}").json()["data"]["attributes"]["is_confirmed"] is True


def test_who_scans_the_sticker_claims_it_at_once(world: World, ana: Person) -> None:
    sticker = printed(world)
    path = f"/v2/products/{sticker.code}/claim"
    assert ana.post(path, {"product_tag": printed(world).tag}).status_code == 404
    assert ana.post(path, {"product_tag": sticker.tag.lower()}).json()["data"]["attributes"]["is_confirmed"] is True
    assert opens(world, sticker)
    world.run_jobs()
    assert world.mails() == []


def test_the_buyer_takes_the_sticker_from_whoever_guessed_its_code(world: World, ana: Person) -> None:
    sticker = printed(world)
    thief = world.register(product_code=sticker.code)
    assert codes_of(thief) == [sticker.code] and not opens(world, sticker)
    # By the code alone it is taken, like any other.
    assert ana.post(f"/v2/products/{sticker.code}/claim").status_code == 404
    assert ana.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag}).status_code == 200
    assert sticker.code in codes_of(ana) and opens(world, sticker)
    # Nobody is left without a code, and a late confirmation of the other takes nothing back.
    [other] = codes_of(thief)
    assert other != sticker.code
    assert world.client.post(link_in_mail(world, thief)).status_code == 200
    assert sticker.code in codes_of(ana) and sticker.code not in codes_of(thief)
    # A confirmed one is nobody's any more, tag or not.
    assert thief.post(f"/v2/products/{sticker.code}/claim", {"product_tag": sticker.tag}).status_code == 404


def test_registering_with_code_and_tag_needs_no_mail(world: World) -> None:
    sticker = printed(world)
    wrong = registration(product_code=sticker.code, product_tag="A" * 26)
    assert world.client.post("/v2/auth/register", json=wrong).status_code == 404
    alone = world.client.post("/v2/auth/register", json=registration(product_tag=sticker.tag))
    assert (alone.status_code, alone.json()["errors"][0]["source"]) == (422, {"pointer": "/product_code"})
    owner = world.register(product_code=sticker.code, product_tag=sticker.tag)
    assert codes_of(owner) == [sticker.code] and opens(world, sticker)
    world.run_jobs()
    assert world.mails() == []


@pytest.fixture
def limited(database_url: str, tmp_path: Path) -> Iterator[World]:
    changes = {"rate_limits": "on", "limit_claim": "3/hour"}
    world = build_world(settings_for(database_url, tmp_path / "data", **changes))
    yield world
    world.close()


def test_codes_are_not_tried_one_after_another(limited: World) -> None:
    guesser = limited.register()
    tried = [guesser.post(f"/v2/products/ZZZZZ{letter}/claim").status_code for letter in "ABCD"]
    assert tried == [404, 404, 404, 429]
    # Registering with a code is another way to try one.
    assert limited.client.post("/v2/auth/register", json=registration(product_code="ZZZZZZ")).status_code == 429
    assert limited.client.post("/v2/auth/register", json=registration()).status_code == 201
