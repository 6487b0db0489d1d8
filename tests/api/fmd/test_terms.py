"""The reference lists, as an operation gives them."""

from tests.world import World


def test_terms_come_fifty_a_page_and_of_models_that_exist(world: World) -> None:
    listed = world.client.get("/v2/fmd/terms", params={"q": "a"}).json()
    assert listed["meta"]["page"]["size"] == len(listed["data"]) == 50
    assert len(world.client.get("/v2/fmd/terms", params={"q": "a", "size": 200}).json()["data"]) > 50
    unknown = world.client.get("/v2/fmd/terms", params={"q": "asma", "model": "nada"})
    assert unknown.status_code == 422
    assert unknown.json()["errors"][0]["code"] == "modelo_invalido"
    assert unknown.json()["errors"][0]["source"] == {"parameter": "model"}


def test_a_medicine_is_found_by_its_trade_name_which_the_answer_repeats(world: World) -> None:
    [found] = world.client.get("/v2/fmd/terms", params={"q": "ATAMEL", "model": "medicacion"}).json()["data"]
    assert found["id"] == "atc:N02BE01"
    assert (found["attributes"]["es"], found["attributes"]["nombre"]) == ("Paracetamol (acetaminofén)", "Atamel")
    assert world.client.get("/v2/fmd/terms", params={"q": "Blokium"}).json()["data"] == []
    first = world.client.get("/v2/fmd/terms", params={"q": "penicilina", "model": "alergiasm"}).json()["data"][0]
    assert first["attributes"]["es"] == "Penicilinas (clase)"
