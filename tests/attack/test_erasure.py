"""Somebody takes the database and the key file after an account was erased, or a backup from before."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import inspect, select, table, text, update
from typer.testing import CliRunner

from ficha.accounts.accounts import Account, Role
from ficha.cli.keys import app
from ficha.core.crypto import Keyring, MasterKeyMissing, Wrapped
from ficha.core.key_rotation import next_key, rewrap
from ficha.core.key_sources import keys_replaced_before
from ficha.core.master_keys import learn_keys, start_wrapping
from ficha.core.transaction import Transaction
from ficha.emergencies.emergency import Emergency, EmergencyState
from ficha.emergencies.steps import CalledContact
from ficha.enrolment.erasure import erase_expired_accounts
from ficha.fmd.break_glass import BreakGlass
from ficha.fmd.records import Record
from ficha.http.kept_answers import KeptAnswer
from ficha.messaging.tables import Message, Thread
from ficha.notices.notices import ReadNotice
from tests.emergencies.scenario import HERE, AlertSticker, EmergencyScenario, contact
from tests.exchange.health_links.links import Link, ask
from tests.exchange.imports.test_imports import ALLERGY, bundle
from tests.messaging.webhook_notifications import enveloped, message, notify, value
from tests.waiting import eventually
from tests.world import CLAVE, Person, new_correo, registration

GLASS = {"quien": "Dra. Molina", "motivo": "Paciente inconsciente"}
# Every column in which something of a person is sealed, and where keys lie.
SEALED = {
    "records": "wrapped_key",
    "entry_versions": "sealed",
    "emergencies": "position",
    "emergency_contacts": "label",
    "messages": "sealed",
    "broken_glass": "who",
    "grants": "sealed_correo",
    "opened_messages": "why",
    "kept_answers": "answer",
    "notifications": "sealed",
    "carnets": "sealed",
    "health_cards": "sealed",
    "relay_messages": "sealed",
    "imports": "sealed",
    "health_links": "sealed_label",
    "health_link_openings": "sealed_recipient",
    "staff_notes": "sealed",
    "opened_notes": "why",
}


# What was said of the person who left, of hers, and by whoever helped; numbers as they are written anywhere. The thread
# with her contact keeps its number: it is not hers, and may be in other records.
PERSON = {
    *("Ana Lucía", "Pérez Rojas", "Soy diabética", "4149990000"),
    *("María Rojas", "maria@ejemplo.com", "luis@ejemplo.com"),
    *("No despierta", "4243332211", "Dra. Molina", "Paciente inconsciente", "repitan", "10.488", "66.879"),
    *("Penicilina", "Para la cardióloga", "Dra. Silva", "La vecina abrió", "Sigo con la emergencia"),
}


@dataclass
class Erased:
    """An owner with an alert, a broken glass, notices, a thread, a message of hers, staff's notes, what she gave to
    others and got from them, and kept answers, who then left."""

    scenario: EmergencyScenario
    sticker: AlertSticker
    before: dict[str, list[bytes]]


def everything(tx: Transaction) -> Iterator[tuple[str, str]]:
    """Every value of every table, those of libraries too, as text, and where it stands."""
    connection = tx.connection()
    for name in inspect(connection).get_table_names():
        for row in connection.execute(select(text("*")).select_from(table(name))).mappings():
            for column, found in row.items():
                held = bytes(found).decode(errors="replace") if isinstance(found, bytes | memoryview) else str(found)
                yield f"{name}.{column}", held


def keyed(key: str) -> dict[str, str]:
    return {"Idempotency-Key": key}


def sealed_bytes(scenario: EmergencyScenario) -> dict[str, list[bytes]]:
    with scenario.database.reading() as tx:
        return {
            table: [bytes(found) for (found,) in tx.orm.execute(text(f"SELECT {column} FROM {table}")) if found]
            for table, column in SEALED.items()
        }


def take_and_note(scenario: EmergencyScenario, staff: Person) -> None:
    """As whoever is on call does, and reads again."""
    [emergency] = scenario.emergencies()
    with scenario.database.writing() as tx:
        tx.orm.execute(update(Emergency).values(staff_at=scenario.now))
    path = f"/v2/emergencies/{emergency.id}"
    assert staff.post(f"{path}/take").status_code == 200
    assert staff.post(f"{path}/notes", {"texto": "La vecina abrió la puerta"}).status_code == 201
    assert staff.post(f"{path}/notes/1/open", {"motivo": "Sigo con la emergencia de ayer"}).status_code == 200


def exchange_with_others(scenario: EmergencyScenario, sticker: AlertSticker) -> None:
    """A card is issued, a link given and opened, and a hospital's file brought in."""
    mine = f"/v2/fmd/{sticker.code}"
    assert sticker.owner.get(f"{mine}/health-card").status_code == 200
    ends = (scenario.now + timedelta(hours=1)).isoformat()
    made = sticker.owner.post(f"{mine}/links", {"label": "Para la cardióloga", "ends_at": ends})
    assert made.status_code == 201, made.text
    link = Link.of(made.json()["data"]["attributes"]["link"])
    assert ask(scenario.world.client, link, recipient="Dra. Silva").status_code == 200
    told = sticker.owner.headers | {"Content-Type": "application/fhir+json"}
    brought = sticker.owner.client.post(f"{mine}/imports", json=bundle(ALLERGY), headers=told)
    assert brought.status_code == 201, brought.text


@pytest.fixture
def erased(scenario: EmergencyScenario) -> Erased:
    world = scenario.world
    sticker = scenario.sticker(contact())
    with scenario.database.writing() as tx:  # The number is proven: the thread with it is the owner's.
        account = tx.orm.get_one(Account, sticker.owner.id)
        account.telefono_e164, account.telefono_verificado_por = "+584149990000", "whatsapp"
        thread = Thread(name="hilo", phone_number_id="1", wa_id="584149990000", account_id=account.id)
        thread.created_at = scenario.now
        thread.store_key(world.parts.keyring, bytes(32))
        tx.orm.add(thread)
    assert notify(world, enveloped(value([message("584149990000", text="Soy diabética")]))).status_code == 200
    as_it_came = sealed_bytes(scenario)["notifications"]
    assert scenario.press_alert(sticker, HERE).status_code == 201
    scenario.run_until_idle()
    said = {"mensaje": "No despierta", "telefono": "+584243332211"}
    written = world.reader.post(f"/e/{sticker.code}/{sticker.tag}/mensaje", data=said, follow_redirects=False)
    assert written.status_code == 303, written.text
    scenario.run_until_idle()
    broken = world.reader.post(f"/e/{sticker.code}/{sticker.tag}/mas", data=GLASS, follow_redirects=False)
    assert broken.status_code == 303, broken.text
    world.drain_reads()
    ends = (scenario.now + timedelta(days=1)).isoformat()
    offered = {"correo": "luis@ejemplo.com", "tipo": "delegate", "hasta": ends}
    assert sticker.owner.post(f"/v2/fmd/{sticker.code}/grants", offered).status_code == 201
    why = {"motivo": "La familia pide que se lo repitan"}
    staff = world.somebody_with(Role.STAFF)
    assert staff.post("/v2/whatsapp/messages/2/open", why).status_code == 200
    take_and_note(scenario, staff)
    assert staff.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200  # Has a record too, which would stay.
    exchange_with_others(scenario, sticker)
    assert sticker.owner.post(f"/v2/carnet/{sticker.code}/issue").status_code == 201
    kept = sticker.owner.post("/v2/email/request-code", headers=keyed("una"))
    assert kept.is_success, kept.text
    log_in = {"correo": sticker.owner.correo, "clave": CLAVE}
    assert world.reader.post("/v2/auth/login", json=log_in, headers=keyed("otra")).status_code == 200
    before = sealed_bytes(scenario) | {"notifications": as_it_came}
    assert [name for name in SEALED if not before[name]] == [], "there was something of the person in each"
    gone = sticker.owner.delete("/v1/local/data", {"clave": CLAVE})
    assert gone.status_code == 200, gone.text
    world.run_jobs()
    return Erased(scenario, sticker, before)


def test_nothing_of_the_person_is_left_to_open(erased: Erased) -> None:
    assert not any(sealed_bytes(erased.scenario).values())
    with erased.scenario.database.reading() as tx:
        (emergency,) = tx.orm.scalars(select(Emergency))
        assert emergency.state == EmergencyState.CANCELED and emergency.position is None
        assert set(tx.orm.scalars(select(CalledContact.label))) == {b""}
        assert set(tx.orm.scalars(select(Message.sealed))) <= {None}
        for table in (BreakGlass, ReadNotice, KeptAnswer):
            assert tx.orm.scalars(select(table)).all() == []
        (thread,) = tx.orm.scalars(select(Thread).where(Thread.name == "hilo"))
        assert thread.account_id is None
        assert thread.open_key(erased.scenario.world.parts.keyring) != bytes(32)


def test_nothing_of_the_person_is_written_in_any_table(erased: Erased) -> None:
    told = {*PERSON, erased.sticker.owner.correo, erased.sticker.tag}
    with erased.scenario.database.reading() as tx:
        assert {f"{place}: {one}" for place, held in everything(tx) for one in told if one in held} == set()


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)  # PostgreSQL recycles its files by itself.
def test_nor_in_the_bytes_of_the_files(erased: Erased) -> None:
    file = Path(str(erased.scenario.database.engine.url.database))
    content = b"".join(found.read_bytes() for found in (file, file.with_name(file.name + "-wal")) if found.exists())
    assert len(content) > 100_000
    left = {name for name, known in erased.before.items() for one in known if one in content}
    assert left == set()


def test_answers_kept_for_strangers_and_credentials_go_with_whom_they_quote_and_staff_have_none(
    scenario: EmergencyScenario,
) -> None:
    world = scenario.world
    staff = world.somebody_with(Role.STAFF)
    made = world.reader.post("/v2/auth/register", json=registration(), headers=keyed("registro"))
    owner = Person(world.reader, {}, made.json()["data"])
    log_in = {"correo": owner.correo, "clave": CLAVE}
    logged_in = world.reader.post("/v2/auth/login", json=log_in, headers=keyed("login"))
    renewed = Person(world.reader, {}, logged_in.json()["data"]).post("/v2/auth/tokens", headers=keyed("renovar"))
    trial_body = {"correo": new_correo(), "clave": CLAVE}
    trial = world.reader.post("/test/auth/register", json=trial_body, headers=keyed("prueba"))
    assert [made.status_code, logged_in.status_code, renewed.status_code, trial.status_code] == [201, 200, 201, 200]
    sticker = scenario.sticker(contact())
    assert scenario.press_alert(sticker, HERE).status_code == 201
    scenario.run_until_idle()
    opened = staff.post("/v2/whatsapp/messages/1/open", {"motivo": "La familia lo pide"}, headers=keyed("abrir"))
    assert opened.status_code == 200, opened.text
    grants, ends = f"/v2/fmd/{sticker.code}/grants", (scenario.now + timedelta(days=1)).isoformat()
    guardian = {"correo": staff.correo, "tipo": "guardian", "hasta": ends}
    assert sticker.owner.post(grants, guardian).status_code == 201
    assert world.accept_invitation(staff).status_code == 200
    invited = staff.post(grants, guardian | {"correo": new_correo(), "tipo": "delegate"}, headers=keyed("invitar"))
    assert invited.status_code == 201, invited.text

    def kept() -> list[str]:
        with scenario.database.reading() as tx:
            found = tx.orm.execute(select(KeptAnswer.scope, KeptAnswer.key).where(KeptAnswer.answer.is_not(None)))
            return sorted(f"{scope.partition(':')[0]} {name}" for scope, name in found)

    of_owner = ["address login", "address registro", "credential renovar"]
    assert kept() == sorted(["address prueba", *of_owner]), "what staff read and a guardian gave is not kept"
    assert owner.delete("/v1/local/data", {"clave": CLAVE}).status_code == 200
    assert kept() == ["address prueba"]
    world.clock.move(hours=25)
    with scenario.database.writing() as tx:
        erase_expired_accounts(tx, world.parts.keyring, world.clock.now())
    assert kept() == []


def test_a_notification_with_something_unknown_in_it_is_kept_as_it_came(scenario: EmergencyScenario) -> None:
    """Nobody has read that part yet. It goes after its days."""
    world = scenario.world
    assert notify(world, enveloped(value([message(), {"id": "wamid.1", "type": 7}]))).status_code == 200
    came = sealed_bytes(scenario)["notifications"]
    world.run_jobs()
    assert sealed_bytes(scenario)["notifications"] == came != []


def test_the_ladder_and_late_answers_find_nothing_to_do(erased: Erased) -> None:
    scenario = erased.scenario
    sent = len(scenario.alerts())
    scenario.world.clock.move(hours=1)
    scenario.run_until_idle()
    assert len(scenario.alerts()) == sent


def test_a_backup_opens_with_the_key_file_until_its_master_key_is_dropped(
    scenario: EmergencyScenario, database_url: str
) -> None:
    parts = scenario.world.parts
    sticker = scenario.sticker(contact())
    with parts.database.reading() as tx:
        record = tx.orm.get_one(Record, sticker.record_id)
        bound_to, backup = record.key_bound_to, Wrapped(str(record.key_id), bytes(record.wrapped_key or b""))
    Person.delete(sticker.owner, "/v1/local/data", {"clave": CLAVE})
    file = parts.settings.key_path
    assert Keyring.from_file(file).unwrap(backup, bound_to), "as the decision says"
    new = next_key(parts.database, parts.keyring, parts.clock.now())
    with parts.database.writing() as tx:
        start_wrapping(tx, new, parts.clock.now())
        learn_keys(tx, parts.keyring)
    rewrap(parts.database, parts.keyring, lambda _: None)
    assert Keyring.from_file(file).unwrap(backup, bound_to)
    now = datetime.now(UTC)
    assert keys_replaced_before(file, now - timedelta(days=30)) == set()
    assert keys_replaced_before(file, now + timedelta(days=30)) == {backup.key_id}
    env = {"FICHA_DATABASE_URL": database_url, "FICHA_DATA_DIR": str(parts.settings.data_dir)}
    # Before the server's next heartbeat it might still use the old one.
    eventually(lambda: "Forgot 0" in CliRunner().invoke(app, ["drop", "--older-than", "30"], env=env).stderr)
    assert "Forgot 1" in CliRunner().invoke(app, ["drop", "--older-than", "0"], env=env | {"TZ": "UTC"}).stderr
    with pytest.raises(MasterKeyMissing):
        Keyring.from_file(file).unwrap(backup, bound_to)
