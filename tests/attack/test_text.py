"""A name with characters that end a line where none is expected. It neither stops an alert nor keeps a job trying."""

from typing import Any

import pytest
from sqlalchemy import select, update

from ficha.fmd.entries import Entry, seal_document
from ficha.fmd.records import Record
from ficha.jobs.queue import dead_jobs
from tests.emergencies.scenario import AlertSticker, EmergencyScenario, contact, father
from tests.world import Person, World, registration

# All that Python's str.splitlines takes for the end of a line.
BREAKS = ["\n", "\r", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("character", BREAKS, ids=ascii)
def test_a_name_with_a_line_break_is_refused(world: World, character: str) -> None:
    ana = world.register()
    name = f"Ana{character}Pérez"
    assert world.client.post("/v2/auth/register", json=registration(nombre=name)).status_code == 422
    path = f"/v2/fmd/{ana.data['attributes']['product_codes'][0]}/personal"
    assert ana.put(path, {"nombres": name}).status_code == 422


TURNING = ["\u202a", "\u202b", "\u202c", "\u202d", "\u202e", "\u2066", "\u2067", "\u2068", "\u2069"]


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize("sign", TURNING, ids=ascii)
def test_no_sign_makes_strangers_read_letters_in_another_order(world: World, sign: str) -> None:
    """Nobody sees it, and pasted numbers and names have it: it goes, and what was written stays."""
    ana = world.register(nombre=f"Ana{sign} Pérez{sign}")
    account = world.account(ana.id)
    assert account is not None and account.nombre == "Ana Pérez"
    path = f"/v2/fmd/{ana.data['attributes']['product_codes'][0]}/salud"
    told = ana.put(path, {"condiciones": [{"condicion": {"texto": f"{sign} Alergia a{sign} 01"}, "plan": f"Ya{sign}"}]})
    [condition] = told.json()["data"]["attributes"]["data"]["condiciones"]
    assert (condition["condicion"]["texto"], condition["plan"]) == ("Alergia a 01", "Ya")
    only = ana.put(path, {"condiciones": [{"condicion": {"texto": sign}}]})
    assert only.status_code == 422, "nothing is left of it"


def test_a_paragraph_has_one_kind_of_line_break(ana: Person) -> None:
    path = f"/v2/fmd/{ana.data['attributes']['product_codes'][0]}/salud"
    told = ana.put(path, {"condiciones": [{"condicion": {"texto": "Asma"}, "plan": "Sentarla\u2028Inhalador"}]})
    assert told.json()["data"]["attributes"]["data"]["condiciones"][0]["plan"] == "Sentarla\nInhalador"


def store_as_before_it_was_checked(
    scenario: EmergencyScenario, sticker: AlertSticker, model: str, document: dict[str, Any]
) -> None:
    with scenario.database.writing() as tx:
        record = tx.orm.get_one(Record, sticker.record_id)
        of_model = (Entry.record_id == record.id) & (Entry.model == model)
        version = tx.orm.scalars(select(Entry.version).where(of_model)).one()
        sealed = seal_document(record.open_key(scenario.world.parts.keyring), record.id, model, version, document)
        tx.orm.execute(update(Entry).where(of_model).values(sealed=sealed))


def test_an_old_name_with_line_breaks_reaches_the_family_all_the_same(scenario: EmergencyScenario) -> None:
    sticker = scenario.sticker(contact())
    store_as_before_it_was_checked(scenario, sticker, "personal", {"nombres": "Ana\u2028Lucía\n\t    x"})
    assert scenario.press_alert(sticker).status_code == 201
    scenario.run_until_idle()
    (alert,) = scenario.alerts()
    assert "\u2028" not in str(alert) and "\\n" not in str(alert)
    scenario.pass_seconds(61)
    (mail,) = scenario.world.mails()
    assert mail.subject.splitlines() == [mail.subject] and "Ana" in mail.subject
    assert [state for _, state in scenario.ladder()][1] == "sent"


def test_a_mail_that_cannot_be_built_is_a_dead_job_at_once_and_the_next_is_alerted(
    scenario: EmergencyScenario,
) -> None:
    sticker = scenario.sticker(contact(), father())
    exported = sticker.owner.get(f"/v2/fmd/{sticker.code}/export").json()
    stored = exported["modelos"]["emergencia"]["contactos"]
    by_mail = [{name: one[name] for name in ("id", "nombre", "relacion", "correo", "prioridad")} for one in stored]
    by_mail[0]["correo"] = "maria@ejemplo.com\nBcc: otra@ejemplo.com"
    store_as_before_it_was_checked(scenario, sticker, "emergencia", {"contactos": by_mail})
    assert scenario.press_alert(sticker).status_code == 201
    scenario.run_until_idle()
    tried = [(step.state, step.reason) for step in scenario.steps() if step.state != "skipped"]
    assert tried == [("failed", "rechazado"), ("sent", None)]
    (mail,) = scenario.world.mails()
    assert mail.to == "pedro@ejemplo.com"
    with scenario.database.reading() as tx:
        (dead,) = dead_jobs(tx)
    assert dead.attempts == 1
