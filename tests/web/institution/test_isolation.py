"""Every page and operation of an institution, with two institutions and every state of consent, against a table."""

import re
from typing import Any

import pytest
from httpx2 import Response
from sqlalchemy import select

from ficha.asgi.routes import served_routes
from ficha.audit.chain import AuditEntry
from ficha.products.product import Product
from tests.web.institution.schools import (
    NAME,
    OPEN,
    SECRET,
    STATES,
    Schools,
    count_institutions,
    two_schools,
)
from tests.web.portal.page_session import again
from tests.world import World

HOME = "/centros/{slug}"
PEOPLE = "/v2/institutions/{slug}/people"
# By what is asked for: what who works there meets, and what the page tells of the pupil: `name`, or `record` for who
# has the medical role where the family lets it be seen, and her name for everybody there; `marked`: her name for who
# has the medical role, where the family lets it be seen.
PAGES: dict[tuple[str, str], tuple[int, str]] = {
    ("GET", HOME): (200, "name"),
    ("GET", f"{HOME}/faltas"): (200, ""),
    ("GET", f"{HOME}/personas/{{code}}"): (200, "record"),
    ("POST", f"{HOME}/personas/{{code}}"): (400, ""),
    ("GET", f"{HOME}/nominas"): (200, ""),
    ("POST", f"{HOME}/nominas"): (422, ""),
    ("GET", f"{HOME}/nominas/plantilla.{{ending}}"): (200, ""),
    ("GET", f"{HOME}/nominas/{{upload_id}}"): (404, ""),
    ("POST", f"{HOME}/nominas/{{upload_id}}"): (404, ""),
    ("GET", f"{HOME}/dudas"): (200, ""),
    ("GET", f"{HOME}/dudas/{{doubt_id}}"): (404, ""),
    ("POST", f"{HOME}/dudas/{{doubt_id}}"): (404, ""),
    ("GET", f"{HOME}/invitaciones"): (200, "waiting"),
    ("POST", f"{HOME}/invitaciones"): (400, ""),
    ("GET", f"{HOME}/etiquetas"): (200, "name"),
    ("POST", f"{HOME}/etiquetas"): (200, ""),
}
# Asked for besides, with another word in the address.
ALSO: dict[tuple[str, str], tuple[int, str]] = {
    ("GET", f"{HOME}/faltas?quienes=1"): (200, "marked"),
    ("GET", f"{HOME}?q=ana"): (200, "name"),
    ("GET", f"{HOME}?q=nadie"): (200, ""),
}
OPERATIONS: dict[tuple[str, str], str] = {("GET", PEOPLE): "code", ("GET", f"{PEOPLE}/{{code}}"): "record"}
FORMS = {f"{HOME}/dudas/{{doubt_id}}": {"es": "otra"}, f"{HOME}/etiquetas": {"formato": "round", "papel": "a4"}}
OUTSIDERS = ("nurse there", "former nurse", "mother")
CHANGES_EACH_TIME = re.compile(r'"timestamp":"[^"]+"|name="_token" value="\w+"')


def bare(answer: Response, slug: str) -> tuple[int, str]:
    """Without what is another each time, and without the name that was asked for."""
    return answer.status_code, CHANGES_EACH_TIME.sub("", answer.text).replace(slug, "{slug}")


def ask(found: Schools, who: str, method: str, path: str, *, slug: str = "", code: str = "") -> Response:
    """A page, as this person's browser asks for it."""
    known = {"slug": slug or found.here.facts.slug, "code": code or found.code, "ending": "csv"}
    address = re.sub(r"{(\w+)}", lambda place: known.get(place.group(1), "7"), path)
    user = found.users[who]
    if method == "GET":
        return user.get(address)
    return user.submit("/logout", to=address, **FORMS.get(path, {}))


def operate(found: Schools, who: str, path: str, *, slug: str = "", code: str = "") -> Response:
    return found.people[who].get(path.format(slug=slug or found.here.facts.slug, code=code or found.code))


def test_every_page_is_in_the_table(world: World) -> None:
    pages = {
        (method, route.path_format)
        for route in served_routes(world.app.routes)
        for method in (route.methods or set()) - {"HEAD"}
        if route.path.startswith("/centros/")
    }
    assert pages == set(PAGES)


@pytest.mark.parametrize("state", STATES)
def test_who_works_there_sees_what_the_family_lets_her_see(world: World, state: str) -> None:
    found = two_schools(world, state)
    count_institutions(world)
    for (method, path), (status, tells) in (PAGES | ALSO).items():
        for who in ("nurse", "secretary"):
            answer = ask(found, who, method, path)
            assert answer.status_code == status, (who, method, path, answer.text[:300])
            is_named = (
                tells in ("name", "record")
                or (tells == "waiting" and state == "undecided")
                or (tells == "marked" and state in OPEN and who == "nurse")
            )
            assert (NAME in answer.text) == is_named, (who, method, path)
            is_opened = tells == "record" and state in OPEN and who == "nurse"
            assert (SECRET in answer.text) == is_opened, (who, method, path)
    for (_, path), tells in OPERATIONS.items():
        for who in ("nurse", "secretary"):
            answer = operate(found, who, path)
            is_opened = tells == "record" and state in OPEN and who == "nurse"
            assert (SECRET in answer.text) == is_opened, (who, path)
            assert NAME not in answer.text
            expected = 200 if tells == "code" or is_opened else 403 if who == "secretary" else 404
            assert answer.status_code == expected, (who, path)


@pytest.mark.parametrize("state", STATES)
def test_for_everybody_else_there_is_no_such_school_and_no_such_pupil(world: World, state: str) -> None:
    found = two_schools(world, state)
    here, own = found.here.facts.slug, found.there.facts.slug
    before = world.rows()
    for method, path in PAGES | ALSO:
        for who in OUTSIDERS:
            theirs = bare(ask(found, who, method, path), here)
            assert theirs == bare(ask(found, who, method, path, slug="ninguna"), "ninguna"), (who, method, path)
            assert theirs[0] == 404, (who, method, path)
    for _, path in OPERATIONS:
        for who in OUTSIDERS:
            theirs = bare(operate(found, who, path), here)
            assert theirs == bare(operate(found, who, path, slug="ninguna"), "ninguna") and theirs[0] == 404
    # Nor by the code at her own school, and no list of hers has her.
    for answer, nobody in (
        (ask(found, "nurse there", "GET", f"{HOME}/personas/{{code}}", slug=own, code=code) for code in codes)
        for codes in ((found.code, "ZZZZZZ"),)
    ):
        assert bare(answer, found.code) == bare(nobody, "ZZZZZZ") and answer.status_code == 404
    answer, nobody = (
        operate(found, "nurse there", f"{PEOPLE}/{{code}}", slug=own, code=code) for code in (found.code, "ZZZZZZ")
    )
    assert bare(answer, found.code) == bare(nobody, "ZZZZZZ") and answer.status_code == 404
    for method, path in PAGES | ALSO:
        answer = ask(found, "nurse there", method, path, slug=own)
        assert NAME not in answer.text and SECRET not in answer.text, path
    assert operate(found, "nurse there", PEOPLE, slug=own).json()["data"] == []
    assert world.rows() == before


def test_what_is_withdrawn_ends_at_the_next_request_and_every_look_is_in_her_own_name(world: World) -> None:
    found = two_schools(world, "sees")
    person, lacking = f"{HOME}/personas/{{code}}", f"{HOME}/faltas?quienes=1"
    assert SECRET in ask(found, "nurse", "GET", person).text
    found.decide(ve=False)
    closed = ask(found, "nurse", "GET", person)
    assert closed.status_code == 200 and SECRET not in closed.text and "decidió no mostrarla" in closed.text
    count_institutions(world)
    assert NAME not in ask(found, "nurse", "GET", lacking).text
    found.decide(ve=True)
    assert NAME not in ask(found, "nurse", "GET", lacking).text, "it was not hers to see when it was counted"
    world.clock.move(days=8)
    found.users["nurse"].log_in(found.people["nurse"])
    found.mother, found.people["nurse"] = again(world, found.mother), again(world, found.people["nurse"])
    count_institutions(world)
    missing = ask(found, "nurse", "GET", lacking).text
    assert NAME in missing and "Sin contacto, Sin etiqueta" in missing
    assert "Sin contacto" not in ask(found, "nurse", "GET", f"{HOME}/faltas").text, "only when she asks who"
    for untold in ("lergia", "sangu", "nacimiento", SECRET):
        assert untold not in missing.partition("<tbody")[2]
    found.decide(ve=False)
    assert NAME not in ask(found, "nurse", "GET", lacking).text, "at the next request"
    found.decide(ve=True, edita=True)
    assert found.mother.put(
        f"/v2/fmd/{found.code}/consentimiento", {"visibilidad": {"alergiasa": "P", "emergencia": "P"}}
    ).is_success
    assert SECRET not in ask(found, "nurse", "GET", person).text
    hidden = ask(found, "nurse", "GET", lacking).text
    assert "Sin etiqueta" in hidden and "Sin contacto" not in hidden, "hidden is not missing"
    found.take_role("nurse")
    for method, path in PAGES:
        assert ask(found, "nurse", method, path).status_code == 404, path
    assert operate(found, "nurse", PEOPLE).status_code == 404
    world.parts.read_log.drain_now()
    with world.parts.database.reading() as tx:
        record = tx.orm.get_one(Product, found.code).record_id
        hers = (AuditEntry.record_id == record, AuditEntry.actor == f"account:{found.people['nurse'].id}")
        looks: list[Any] = [
            (one.action, one.via) for one in tx.orm.scalars(select(AuditEntry).where(*hers).order_by(AuditEntry.id))
        ]
    read, listed = ("record.read", "institution"), ("record.listed", "institution")
    assert looks == [read, listed, read, listed]


def test_nothing_on_the_page_tells_why_somebody_is_not_in_the_list(world: World) -> None:
    """Who refuses, who was not counted since she agreed, who withdrew and who hides it: all give the same page."""
    found = two_schools(world, "refused")
    lacking = f"{HOME}/faltas?quienes=1"

    def page() -> str:
        found.users["nurse"].log_in(found.people["nurse"])
        answer = ask(found, "nurse", "GET", lacking)
        assert answer.status_code == 200 and NAME not in answer.text
        return bare(answer, found.here.facts.slug)[1]

    count_institutions(world)
    refused = page()
    found.decide(ve=True)
    assert page() == refused, "agreed, and not counted yet"
    world.clock.move(days=8)
    found.mother, found.people["nurse"] = again(world, found.mother), again(world, found.people["nurse"])
    count_institutions(world)
    found.users["nurse"].log_in(found.people["nurse"])
    assert NAME in ask(found, "nurse", "GET", lacking).text
    found.decide(ve=False)
    assert page() == refused, "withdrawn"
    found.decide(ve=True)
    consent = {"visibilidad": {"emergencia": "P"}}
    assert found.mother.put(f"/v2/fmd/{found.code}/consentimiento", consent).is_success
    with world.parts.database.writing() as tx:
        tx.orm.get_one(Product, found.code).tag_hash = bytes(32)
    assert page() == refused, "it has a sticker, and hides that it has no contact"
