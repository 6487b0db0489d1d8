"""A stop sign or a line of advice is withdrawn in the console: at the next scan nobody sees it, on any machine."""

import io
import json
import re
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest
from PIL import Image
from sqlalchemy import select, text
from starlette.testclient import TestClient

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import MAX_ID
from ficha.administration.admin_changes import admin_changes
from ficha.administration.rule_switch import SwitchReason, switch_rule
from ficha.app import create_app
from ficha.audit.chain import AuditEntry
from ficha.audit.log import Actor
from ficha.audit.verify_entries import verify_record
from ficha.fmd.offline.keys import signing_keys
from ficha.fmd.offline.packing import unpack
from ficha.fmd.rules.advice import ADVICE_VERSION, all_advice
from ficha.fmd.rules.signs import SIGNS_VERSION, all_signs
from ficha.fmd.rules.withdrawn_rules import RuleChange, RuleKind, WithdrawnRules, withdrawn_rules
from ficha.parts import build_parts
from tests.app_client import AppClient, Lifespan
from tests.gates import gates_in, wait_until_over_or_locked
from tests.qr_reader import read_qr
from tests.web.portal.page_session import PageUser, logged_in
from tests.web.sticker.sticker import ScannedSticker, sticker_of
from tests.world import World

ADVICE, SIGN = "/admin/consejos/advice/convulsion", "/admin/consejos/sign/epilepsia"
ADVISED = "Si convulsiona"
SIGNED = '<section class="stop"'
NO_SIGNS = "Sin alertas graves registradas"
READ_ALL = "Sin evaluar, puede ser importante"
DOCUMENT = Path(__file__).parents[3] / "docs" / "console.md"
VERSIONS = f"{SIGNS_VERSION}/{ADVICE_VERSION}"


@pytest.fixture
def admin(world: World) -> PageUser:
    return logged_in(world, world.somebody_with(Role.ADMIN))


@pytest.fixture
def sticker(world: World) -> ScannedSticker:
    return sticker_of(world)


@pytest.fixture
def other_machine(world: World) -> Iterator[TestClient]:
    """Another application on the same database, with a fast lane and connections of its own."""
    parts = build_parts(world.parts.settings, world.clock)
    app = create_app(parts)
    lifespan = Lifespan(app)
    yield AppClient(app, lifespan.portal)
    lifespan.stop()
    parts.messenger.close()
    parts.database.close()


def withdraw(admin: PageUser, page: str, motivo: str = "Una guía nueva dice lo contrario.") -> None:
    answer = admin.submit(page, do="withdraw", motivo=motivo)
    assert answer.headers["location"] == f"{page}?hecho=withdrawn", answer.text


def restore(admin: PageUser, page: str) -> None:
    answer = admin.submit(page, do="restore", motivo="Está corregido.")
    assert answer.headers["location"] == f"{page}?hecho=restored", answer.text


def noted_rules(world: World) -> list[str]:
    """Of all scans, in their order."""
    world.drain_reads()
    with world.parts.database.reading() as tx:
        entries = tx.orm.scalars(select(AuditEntry).where(AuditEntry.via == "tag").order_by(AuditEntry.id)).all()
        for record_id in {entry.record_id for entry in entries}:
            assert verify_record(tx, record_id) == []
    reads = [entry for entry in entries if entry.action == "record.read"]
    return [name.removeprefix("rules:") for entry in reads for name in entry.what if name.startswith("rules:")]


def changes(world: World) -> list[RuleChange]:
    with world.parts.database.reading() as tx:
        return list(tx.orm.scalars(select(RuleChange).order_by(RuleChange.id)))


def test_withdrawn_advice_is_gone_at_the_next_scan_on_every_machine_and_comes_back(
    world: World, admin: PageUser, sticker: ScannedSticker, other_machine: TestClient
) -> None:
    assert ADVISED in sticker.scan().text and ADVISED in other_machine.get(sticker.path).text
    withdraw(admin, ADVICE)
    for page in (sticker.scan().text, other_machine.get(sticker.path).text):
        assert ADVISED not in page and "Epilepsia" in page and SIGNED in page and READ_ALL not in page
    restore(admin, ADVICE)
    assert ADVISED in sticker.scan().text and ADVISED in other_machine.get(sticker.path).text


def test_a_withdrawn_sign_leaves_its_facts_and_the_page_does_not_say_that_there_are_none(
    world: World, admin: PageUser, sticker: ScannedSticker
) -> None:
    assert SIGNED in sticker.scan().text
    withdraw(admin, SIGN)
    page = sticker.scan().text
    assert SIGNED not in page and ADVISED not in page
    assert READ_ALL in page and NO_SIGNS not in page
    assert "Epilepsia" in page
    english = sticker.scan(params={"l": "en"}).text
    assert "Not assessed, may be important" in english and "No serious alerts" not in english
    healthy = sticker_of(world, salud={"condiciones": []})
    assert SIGNED not in healthy.scan().text and READ_ALL not in healthy.scan().text
    restore(admin, SIGN)
    assert SIGNED in sticker.scan().text and READ_ALL not in sticker.scan().text


def test_each_scan_names_the_rules_that_the_stranger_was_shown(
    world: World, admin: PageUser, sticker: ScannedSticker
) -> None:
    """In the fast lane, while an alert is under way, and after the glass was broken."""
    sticker.scan()
    withdraw(admin, ADVICE)
    sticker.scan()
    assert sticker.alert().status_code == 303
    assert ADVISED not in sticker.scan().text
    restore(admin, ADVICE)
    world.reader.post(f"{sticker.path}/mas", data={"quien": "Dra. Rojas", "motivo": "Inconsciente"})
    first, second = (change.id for change in changes(world))
    assert noted_rules(world) == [f"{VERSIONS}+{number}" for number in (0, first, first, second)]
    # As docs/console.md says how to ask for it.
    asked = DOCUMENT.read_text("utf-8").partition("```sql\n")[2].partition("```")[0].replace("2026-11-18", "2026-11-15")
    with world.parts.database.reading() as tx:
        rows = tx.orm.execute(text(asked.replace(":", r"\:"))).all()
    assert [row.rules for row in rows] == [f"rules:{VERSIONS}+{number}" for number in (0, first, first, second)]


def test_the_owner_reads_nothing_of_versions_and_finds_them_in_the_api(world: World, sticker: ScannedSticker) -> None:
    sticker.scan()
    world.drain_reads()
    looked = logged_in(world, sticker.owner).get(f"/app/{sticker.code}/accesos").text
    assert "abrió" in looked and VERSIONS not in looked and "rules" not in looked
    log = sticker.owner.get(f"/v2/fmd/{sticker.code}/access-log").json()["data"]
    [scan] = [entry["attributes"] for entry in log if entry["attributes"]["actor"] == "tag"]
    assert scan["what"][:2] == [f"code:{sticker.code}", f"rules:{VERSIONS}+0"]


def test_what_else_is_made_of_the_rules_obeys_too(world: World, admin: PageUser, sticker: ScannedSticker) -> None:
    """The owner's preview, the report of a drill, and the QR for phones without a network."""
    owner = logged_in(world, sticker.owner)
    assert world.client.get("/.well-known/ficha-keys.json").status_code == 200

    def offline() -> str:
        asked = {"code": sticker.code, "kind": "hybrid", "format": "png"}
        drawn = sticker.owner.get("/v2/generators/qr", params=asked).content
        link = read_qr(Image.open(io.BytesIO(drawn)))
        with world.parts.database.reading() as tx:
            [key] = signing_keys(tx, world.parts.keyring)
        assert link is not None
        return unpack(link.text.partition("#")[2], {key.id: key.public})

    def shown() -> list[bool]:
        made = owner.submit(f"/app/{sticker.code}/simulacro").headers["location"]
        preview = owner.get(f"/app/{sticker.code}/vista?como=responder").text
        return [ADVISED in preview, SIGNED in preview, NO_SIGNS in preview, "<li>Epilepsia" in owner.get(made).text]

    assert shown() == [True, True, False, True]
    assert "\n!" in offline() and "\ndconvulsion" in offline() and not offline().endswith("\n~")
    withdraw(admin, SIGN)
    assert shown() == [False, False, False, False]
    # It says that something is not judged, so that the viewer does not say that there are no signs.
    assert "\n!" not in offline() and "convulsion" not in offline() and "\n=u" in offline()


def test_the_offline_viewer_forgets_the_words_and_phones_fetch_it_again(world: World, admin: PageUser) -> None:
    def kept() -> tuple[str, str]:
        script = world.client.get("/e/offline/worker.js").text
        files = json.loads(script.partition("= ")[2].partition(";\n")[0])
        [words] = [file for file in files["files"] if "/words." in file]
        assert words in world.client.get("/e/offline").text
        return files["version"], words

    version, words = kept()
    assert "convulsion" in world.client.get(words).json()["advice"]
    withdraw(admin, ADVICE)
    newer, fewer = kept()
    assert newer != version and fewer != words
    gone = {one.id for one in all_advice().values() if one.line == "convulsion"}
    assert set(all_advice()) - set(world.client.get(fewer).json()["advice"]) == gone
    assert world.client.get(words).status_code == 404
    restore(admin, ADVICE)
    assert kept() == (version, words)


def test_the_page_says_when_why_and_by_whom(world: World, admin: PageUser) -> None:
    assert "Si convulsiona" in admin.get("/admin/consejos?tipo=advice").text
    assert "epilepsia" not in admin.get("/admin/consejos?estado=withdrawn").text
    withdraw(admin, SIGN, "Confunde con <b>fiebre</b>.")
    page = admin.get(f"{SIGN}?hecho=withdrawn").text
    assert "Retirado: ya no se muestra." in page and "señal de alto: retirado" in page
    assert "Confunde con &lt;b&gt;fiebre&lt;/b&gt;." in page
    assert "epilepsia" in admin.get("/admin/consejos?estado=withdrawn").text
    assert "Nada coincide" in admin.get("/admin/consejos?estado=withdrawn&q=embarazo").text
    world.clock.move(minutes=20)
    restore(admin, SIGN)
    first, last = changes(world)
    history = admin.get(SIGN).text.partition("Cuándo estuvo retirado")[2]
    assert f"{first.id} – {last.id}" in history and history.count("<time ") == 2
    assert first.at.isoformat(timespec="seconds") in history and last.at.isoformat(timespec="seconds") in history
    with world.parts.database.reading() as tx:
        noted = admin_changes(tx, before_id=MAX_ID, limit=9, kind="sign", target="epilepsia")
    assert [one.action for one in noted] == ["restored", "withdrawn"]
    assert noted[1].after == {"reason": "Confunde con <b>fiebre</b>.", "change": first.id}
    assert "señal de alto" in admin.get("/admin/cambios?tipo=sign").text


@pytest.mark.one_case_on_postgresql
@pytest.mark.parametrize(("language", "title"), [("es", "Retirar"), ("en", "Withdraw"), ("pt", "Retirar")])
def test_every_sign_and_line_has_its_page_in_three_languages(admin: PageUser, language: str, title: str) -> None:
    listed = set(re.findall(r'href="(/admin/consejos/\w+/[\w.]+)', admin.get(f"/admin/consejos?l={language}").text))
    expected = {f"/admin/consejos/sign/{rule}" for rule in all_signs()}
    expected |= {f"/admin/consejos/advice/{rule}" for rule in all_advice()}
    assert listed == expected
    page = admin.get(f"{ADVICE}?l={language}").text
    assert title in page and getattr(all_advice()["convulsion"].do, language) in page


@pytest.mark.parametrize("motivo", ["", "   ", "a\0b", "x" * 501])
def test_without_a_good_reason_nothing_changes(
    world: World, admin: PageUser, sticker: ScannedSticker, motivo: str
) -> None:
    refused = admin.submit(ADVICE, do="withdraw", motivo=motivo)
    assert refused.status_code == 422 and 'href="#motivo"' in refused.text
    assert changes(world) == [] and ADVISED in sticker.scan().text


def test_who_is_no_administrator_and_what_does_not_exist_are_refused(world: World, admin: PageUser) -> None:
    token = re.search(r'name="_token" value="([0-9a-f]+)"', admin.get(ADVICE).text)
    assert token
    for page in ("sign/convulsion", "advice/epilepsia", "advice/nada", "otro/epilepsia", "advice/" + "x" * 81):
        path = f"/admin/consejos/{page}"
        assert admin.get(path).status_code in (404, 422), page
        assert admin.post(path, _token=token.group(1), do="withdraw", motivo="Porque sí.").status_code in (404, 422)
    staff = logged_in(world, world.somebody_with(Role.STAFF))
    assert staff.get(ADVICE).status_code == staff.get("/admin/consejos").status_code == 404
    assert staff.submit("/logout", to=ADVICE, do="withdraw", motivo="Porque sí.").status_code == 404
    assert changes(world) == [] and "/admin/consejos" not in staff.get("/admin").text


def test_an_old_page_and_a_second_click_change_nothing(world: World, admin: PageUser) -> None:
    withdraw(admin, ADVICE)
    again = admin.submit(ADVICE, do="withdraw", motivo="Otra vez.")
    assert again.headers["location"] == f"{ADVICE}?hecho=unchanged"
    assert len(changes(world)) == 1


def test_two_administrators_at_once_are_one_after_the_other(world: World) -> None:
    """Whoever has read the number of a change has read all below it: no later commit brings a smaller number."""
    database, gates = world.parts.database, gates_in(world.parts.database)
    seen: list[tuple[bool, WithdrawnRules]] = []

    def switch(kind: RuleKind, rule: str) -> None:
        why = SwitchReason(motivo="Porque sí.")
        with database.writing() as tx:
            done = switch_rule(
                tx, kind, rule, is_withdrawn=True, why=why, actor=Actor("account", 1), now=world.clock.now()
            )
        with database.reading() as tx:
            seen.append((done, withdrawn_rules(tx)))

    gate = gates.after("first", "INSERT INTO rule_changes")
    first = Thread(target=switch, args=(RuleKind.SIGN, "epilepsia"), name="first")
    second = Thread(target=switch, args=(RuleKind.ADVICE, "convulsion"), name="second")
    third = Thread(target=switch, args=(RuleKind.SIGN, "epilepsia"), name="third")
    first.start()
    gate.wait_for_thread()
    for thread in (second, third):
        thread.start()
        wait_until_over_or_locked(database, thread)
    assert seen == []
    gate.open()
    for thread in (first, second, third):
        thread.join()
    assert sorted(done for done, _ in seen) == [False, True, True]
    assert [change.rule for change in changes(world)] == ["epilepsia", "convulsion"]
    assert max(seen, key=lambda one: one[1].change_id)[1] == WithdrawnRules(
        changes(world)[-1].id, frozenset({"epilepsia"}), frozenset({"convulsion"})
    )
