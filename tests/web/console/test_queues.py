"""What waits for somebody: emergencies, jobs and alarms on the pages of staff."""

from sqlalchemy import update

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import admin_changes
from ficha.emergencies.emergency import Emergency
from ficha.jobs.kinds import GiveUp, Job, Kind
from ficha.jobs.queue import count_waiting, dead_jobs, put
from ficha.notices.notices import ReaderKind, ReadNotice
from ficha.products.decoys import make_decoys, note_decoy_typed
from tests.emergencies.scenario import HERE, AlertSticker, EmergencyScenario, contact
from tests.run_due import run_due
from tests.web.portal.page_session import PageUser, logged_in
from tests.world import World


def signed_in(world: World, role: Role) -> PageUser:
    return logged_in(world, world.somebody_with(role))


def given_to_staff(scenario: EmergencyScenario) -> tuple[AlertSticker, int]:
    sticker = scenario.sticker(contact())
    emergency_id = scenario.press_alert(sticker, HERE).json()["data"]["id"]
    scenario.run_until_idle()
    with scenario.database.writing() as tx:
        tx.orm.execute(update(Emergency).where(Emergency.id == emergency_id).values(staff_at=scenario.now))
    return sticker, emergency_id


def fail(_job: Job) -> None:
    raise GiveUp


def kill_job(world: World, kind: str) -> int:
    """Puts a job that dies at once, and gives its number."""
    with world.parts.database.writing() as tx:
        put(tx, kind, {})
    run_due(world.parts.database, [Kind(kind, fail)])
    with world.parts.database.reading() as tx:
        return dead_jobs(tx)[-1].id


def test_the_queue_shows_states_and_times_and_no_person(scenario: EmergencyScenario) -> None:
    staff = signed_in(scenario.world, Role.STAFF)
    sticker, emergency_id = given_to_staff(scenario)
    page = staff.get("/admin/emergencias").text
    assert f"/admin/emergencias/{emergency_id}" in page
    assert "abierta" in page and "WhatsApp: entregado" in page
    for private in ("Ana", "María", "10.48", sticker.code):
        assert private not in page
    assert "<b>1</b>" in staff.get("/admin").text


def test_what_the_family_still_looks_after_is_not_in_the_queue(scenario: EmergencyScenario) -> None:
    staff = signed_in(scenario.world, Role.STAFF)
    emergency_id = scenario.press_alert(scenario.sticker(contact()), HERE).json()["data"]["id"]
    assert "Ninguna emergencia nos espera" in staff.get("/admin/emergencias").text
    assert staff.get(f"/admin/emergencias/{emergency_id}").status_code == 404


def test_opening_an_emergency_shows_the_place_and_is_noted(scenario: EmergencyScenario) -> None:
    staff = signed_in(scenario.world, Role.STAFF)
    sticker, emergency_id = given_to_staff(scenario)
    page = staff.get(f"/admin/emergencias/{emergency_id}").text
    assert "10.48801" in page and "madre" in page
    assert "María" not in page and "4125551111" not in page
    scenario.world.drain_reads()
    entry = scenario.log_of(sticker)[-1]
    assert (entry.action, entry.via, entry.what) == ("emergency.read", "staff", [f"emergency:{emergency_id}"])


def test_those_that_ended_are_in_a_list_of_their_own(scenario: EmergencyScenario) -> None:
    staff = signed_in(scenario.world, Role.STAFF)
    sticker, emergency_id = given_to_staff(scenario)
    assert sticker.owner.client.patch(
        f"/v2/emergencies/{emergency_id}", json={"state": "resolved"}, headers=sticker.owner.headers
    ).is_success
    assert f"/admin/emergencias/{emergency_id}" not in staff.get("/admin/emergencias").text
    ended = staff.get("/admin/emergencias?cuales=terminadas").text
    assert f"/admin/emergencias/{emergency_id}" in ended and "resuelta" in ended


def test_an_administrator_tries_a_dead_job_again_and_staff_only_sees_it(world: World) -> None:
    job_id = kill_job(world, "prueba.muere")
    staff, admin = signed_in(world, Role.STAFF), signed_in(world, Role.ADMIN)
    seen = staff.get("/admin/trabajos").text
    assert "prueba.muere" in seen and "Reintentar" not in seen
    again = admin.submit("/admin/trabajos", reintentar=str(job_id))
    assert again.headers["location"] == "/admin/trabajos?hecho=retried"
    assert "Se volverá a intentar" in admin.get(again.headers["location"]).text
    with world.parts.database.reading() as tx:
        assert dead_jobs(tx) == []
        assert count_waiting(tx)["prueba.muere"] == 1
    assert admin.submit("/admin/trabajos", reintentar=str(job_id)).headers["location"].endswith("hecho=gone")


def test_discarding_asks_first(world: World) -> None:
    job_id = kill_job(world, "prueba.muere")
    admin = signed_in(world, Role.ADMIN)
    path = f"/admin/trabajos/{job_id}/descartar"
    asked = admin.get(path).text
    assert "prueba.muere" in asked and "no se puede deshacer" in asked
    with world.parts.database.reading() as tx:
        assert [job.id for job in dead_jobs(tx)] == [job_id]
    assert admin.submit(path).headers["location"] == "/admin/trabajos?hecho=discarded"
    with world.parts.database.reading() as tx:
        assert dead_jobs(tx) == []
        [noted] = admin_changes(tx, before_id=MAX_ID, limit=10, kind="job")
    assert (noted.target, noted.action, noted.before) == (str(job_id), "discarded", {"kind": "prueba.muere"})


def test_alarms_tell_of_guessers_and_openings_without_a_person(world: World) -> None:
    staff = signed_in(world, Role.STAFF)
    assert "Nadie adivina códigos" in staff.get("/admin/alarmas").text
    now = world.clock.now()
    with world.parts.database.writing() as tx:
        [decoy] = make_decoys(tx, now, 1)
    with world.parts.database.writing() as tx:
        note_decoy_typed(tx, decoy, now, origin="203.0.113.9")
        for how in (ReaderKind.TAG, ReaderKind.GLASS, ReaderKind.STAFF):
            tx.orm.add(ReadNotice(record_id=4711, how=how, reader="glass:7", origin="203.0.113.9", at=now))
    page = staff.get("/admin/alarmas").text
    assert "código señuelo" in page and "4711" in page and "rompió el vidrio" in page
    assert decoy not in page and "203.0.113.9" not in page
    assert page.count("<code>4711</code>") == 2
    assert staff.get("/admin/alarmas?como=staff").text.count("<code>4711</code>") == 1
    assert "<b>1</b>" in staff.get("/admin").text


def test_service_alarms_are_told(world: World) -> None:
    kill_job(world, "prueba.muere")
    assert "Trabajos que fallan una y otra vez" in signed_in(world, Role.STAFF).get("/admin/alarmas").text


def test_odd_numbers_and_words_are_no_crash(world: World) -> None:
    admin = signed_in(world, Role.ADMIN)
    for path in ("/admin/emergencias/0", f"/admin/emergencias/{2**70}", "/admin/emergencias/x"):
        assert admin.get(path).status_code in (404, 422), path
    for query in ("cursor=x", "cuales=otras", "cursor=aWQ6MA"):
        assert admin.get(f"/admin/emergencias?{query}").status_code == 422, query
    for value in ("", "x", "9" * 30, "-1"):
        assert admin.submit("/admin/trabajos", reintentar=value).status_code == 400, value
