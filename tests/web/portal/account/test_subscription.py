"""The page of one's plan: read, asked for, cancelled, without a script."""

import pytest

from ficha.administration.plans import BASE
from tests.api.administration.test_subscription import put, told
from tests.web.portal.page_session import logged_in
from tests.world import Person, World

PAGE = "/app/mi-cuenta/suscripcion"


def test_somebody_tries_a_plan_asks_for_another_and_cancels(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    assert PAGE in user.get("/app/mi-cuenta").text
    page = user.get(PAGE).text
    assert "Su plan: Básico" in page and f"Hasta {BASE.allows.records} fichas" in page and "Probar Familiar" in page
    assert 'value="cancel"' not in page
    assert user.submit(PAGE, do="ask:familiar").headers["location"] == f"{PAGE}?hecho=prueba"
    page = user.get(f"{PAGE}?hecho=prueba").text
    assert "Su plan: Familiar" in page and "En prueba hasta" in page and "Pedir Cuidador" in page
    assert user.submit(PAGE, do="ask:cuidador").headers["location"] == f"{PAGE}?hecho=pedido"
    assert "Pidió el plan Cuidador" in user.get(PAGE).text and told(ana)["plan"] == "familiar"
    assert user.submit(PAGE, do="cancel").headers["location"] == f"{PAGE}?hecho=cancelado"
    page = user.get(PAGE).text
    assert "Cancelado. Vale hasta" in page and "Probar" not in page, "a trial is had once"
    assert user.submit(PAGE, do="ask:personal").headers["location"] == f"{PAGE}?hecho=pedido"
    page = user.get(PAGE).text
    assert "Su plan: Básico" in page and "Pidió el plan Personal" in page


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("language", ["es", "en", "pt"])
def test_every_state_has_its_words(world: World, ana: Person, language: str) -> None:
    user = logged_in(world, ana)
    pages = [user.get(f"{PAGE}?l={language}").text]
    ana.post("/v2/subscription", {"plan": "familiar"})
    for state in ("trial", "active", "past_due", "expired", "active", "canceled"):
        put(world, ana, state)
        answer = user.get(f"{PAGE}?l={language}")
        assert answer.status_code == 200
        pages.append(answer.text)
    assert len(set(pages)) == len(pages)


def test_what_the_page_did_not_offer_changes_nothing(world: World, ana: Person) -> None:
    user = logged_in(world, ana)
    for do in ("cancel", "ask:oro", "ask:basico", "ask:<script>"):
        assert user.submit(PAGE, do=do).headers["location"] == f"{PAGE}?hecho=cambio"
    assert "Eso cambió" in user.get(f"{PAGE}?hecho=cambio").text
    user.submit(PAGE, do="activate")
    assert ana.get("/v2/subscription").status_code == 404
