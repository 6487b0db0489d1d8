"""The family's cards: what each says, and what they cost."""

from datetime import timedelta

from ficha.products.codes import issue_code
from tests.emergencies.scenario import contact, father
from tests.photos.pictures import encoded, face
from tests.statement_counter import count_statements
from tests.web.portal.page_session import logged_in
from tests.web.portal.record.test_stickers import with_sticker
from tests.world import Person, World


def test_a_card_has_the_photo_and_the_last_opening(world: World, ana: Person) -> None:
    user, [code] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    assert "Nadie la ha abierto" in user.get("/app").text and user.get(f"/app/{code}/foto").status_code == 404
    shown, tag = with_sticker(world, ana)
    user.submit(f"/app/{code}/simulacro", do="run")
    assert "Nadie la ha abierto" in user.get("/app").text
    assert ana.put(f"/v2/fmd/{shown}/salud", {"ausencia": "ninguna_conocida"}).status_code == 200
    assert world.reader.get(f"/E/{shown}/{tag}").status_code == 200
    world.drain_reads()
    assert "Abierta el 15/11/2026" in user.get("/app").text
    sent = {**ana.headers, "Content-Type": "image/jpeg"}
    assert ana.client.put("/v2/user_pic", content=encoded(face(), "JPEG"), headers=sent).status_code in (200, 201)
    assert 'class="face"' in user.get("/app").text
    photo = user.get(f"/app/{code}/foto")
    assert photo.headers["content-type"] == "image/jpeg" and photo.headers["cache-control"] == "private, no-store"
    # A delegate is not shown it.
    luis = world.register()
    hasta = (world.clock.now() + timedelta(days=3)).isoformat()
    ana.post(f"/v2/fmd/{code}/grants", {"correo": luis.correo, "tipo": "delegate", "hasta": hasta})
    world.accept_invitation(luis)
    delegate = logged_in(world, luis)
    assert 'class="face"' not in delegate.get("/app").text and delegate.get(f"/app/{code}/foto").status_code == 404


def test_eight_records_and_twenty_stickers_take_as_many_statements_as_one(world: World, ana: Person) -> None:
    user, [own] = logged_in(world, ana), ana.data["attributes"]["product_codes"]
    assert ana.put(f"/v2/fmd/{own}/emergencia", {"contactos": [contact()]}).status_code == 200
    user.get("/app")
    with count_statements(world.parts.database) as few:
        assert user.get("/app").text.count('class="card"') == 1
    for number in range(7):
        made = ana.post("/v2/fmd", {"relacion": "madre", "nombres": f"<b>Luis {number}"})
        assert made.status_code == 201
        [code] = made.json()["data"]["attributes"]["product_codes"]
        contacts = {"contactos": [contact(telefono=f"412555{number}111"), father()]}
        assert ana.put(f"/v2/fmd/{code}/emergencia", contacts).status_code == 200
    with world.parts.database.writing() as tx:
        for _ in range(12):
            issue_code(tx, world.clock.now(), record_id=made.json()["data"]["id"])
    with count_statements(world.parts.database) as many:
        page = user.get("/app").text
    assert page.count('class="card"') == 8 and page.count("<code>") == 20
    assert "<b>Luis" not in page and "&lt;b&gt;Luis" in page
    assert many.statements == few.statements


def test_a_child_s_record_that_waits_for_its_facts_is_a_card_and_not_the_mother_s_own(world: World) -> None:
    """She registers as her daughter's mother, puts off the first questions, and adds a son."""
    mother = world.register(relacion="madre")
    assert mother.post("/v2/fmd", {"relacion": "madre", "nombres": "Luis"}).status_code == 201
    page = logged_in(world, mother).get("/app").text
    assert page.count('class="card"') == 2 and "Empezar mi propia ficha" not in page
