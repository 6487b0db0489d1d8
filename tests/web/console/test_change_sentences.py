"""The log of changes in sentences: every change that is written anywhere has its words, in three languages."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

from ficha.accounts.accounts import Idioma, Role
from ficha.administration.admin_changes import AdminChange, note_change
from ficha.audit.log import Actor
from ficha.web.console.change_sentences import PHRASES, accounts_in, change_sentence
from tests.web.console.test_queues import signed_in
from tests.world import World

ROOT = Path(__file__).parents[3]
NAMES = {7: "Eva", 9: "Luis"}
ZONE = "America/Caracas"


def change(kind: str, action: str, target: str = "3", actor: str = "account:7", **values: Any) -> AdminChange:
    given = {"before": {}, "after": {}} | values
    return AdminChange(actor=actor, kind=kind, target=target, action=action, **given)


@pytest.mark.parametrize(
    ("one", "said"),
    [
        (
            change("service", "changed", before={"name": "Uno", "path": None}, after={"name": "Dos", "path": None}),
            "Eva (cuenta 7) cambió el servicio 3: nombre, de «Uno» a «Dos».",
        ),
        (
            change("role", "granted", "account:9", before={"roles": ["owner"]}, after={"roles": ["owner", "staff"]}),
            "Eva (cuenta 7) dio un rol a Luis (cuenta 9): roles, de titular a titular, personal.",
        ),
        (
            change("institution_role", "granted", "colegio/account:9", before={"role": None}, after={"role": "admin"}),
            "Eva (cuenta 7) dio un rol a Luis (cuenta 9) en colegio: rol, de nada a administración.",
        ),
        (
            change("subscription", "changed", "9", "payment", before={"state": "trial"}, after={"state": "active"}),
            "Un pago cambió la suscripción de Luis (cuenta 9): estado, de prueba a activa.",
        ),
        (
            change("institution", "created", "colegio", "operator", after={"name": "Colegio", "is_active": True}),
            "Alguien en la terminal creó la institución colegio: nombre, «Colegio»; activa, sí.",
        ),
        (
            change("roster", "imported", "colegio/4", after={"rows": 2, "created": 2, "told": [{"row": 1}]}),
            "Eva (cuenta 7) importó la nómina colegio/4: filas, 2; nuevas, 2.",
        ),
        (change("job", "retried", "55", "account:88"), "La cuenta 88 hizo que el trabajo 55 se intentara otra vez."),
        (change("new_kind", "done"), "Eva (cuenta 7) hizo «done» en «new_kind» 3."),
    ],
)
def test_a_change_reads_as_a_sentence(one: AdminChange, said: str) -> None:
    assert change_sentence(Idioma.ES, one, NAMES, ZONE) == said


def test_times_are_those_of_the_desk_in_its_language() -> None:
    ends = {"ends_at": "2026-12-19T02:30:00+00:00"}
    moved = change("subscription", "changed", "9", before=ends, after={"ends_at": "2027-01-18T02:30:00+00:00"})
    said = {language: change_sentence(language, moved, NAMES, ZONE) for language in Idioma}
    assert "de 18/12/2026 22:30 (Caracas) a 17/01/2027 22:30 (Caracas)." in said[Idioma.ES]
    assert "from 18 Dec 2026 22:30 (Caracas) to 17 Jan 2027 22:30 (Caracas)." in said[Idioma.EN]


def test_names_are_asked_for_once_and_only_for_accounts() -> None:
    asked = [change("role", "granted", "account:9"), change("subscription", "changed", "12"), change("job", "retried")]
    assert accounts_in(asked) == {7, 9, 12}


def test_in_each_language_a_rule_is_named_by_its_words() -> None:
    said = {
        language: change_sentence(language, change("sign", "withdrawn", "epilepsia"), NAMES, ZONE)
        for language in Idioma
    }
    assert "epilepsia»" not in said[Idioma.ES] and said[Idioma.EN] != said[Idioma.PT]
    assert said[Idioma.EN].startswith("Eva (account 7) withdrew the sign “")


def test_every_action_that_the_code_writes_has_a_sentence() -> None:
    """Where kind and action stand as text in the call, or the kind as a constant of its file; the others are in the
    table above."""
    written, kinds = set(), set()
    for file in (ROOT / "ficha").rglob("*.py"):
        tree = ast.parse(Path(file).read_text(encoding="utf-8"))
        constants = {
            str(getattr(one.targets[0], "id", "")): one.value
            for one in tree.body
            if isinstance(one, ast.Assign) and isinstance(one.value, ast.Constant)
        }
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") == note_change.__name__:
                kind, action = constants.get(getattr(call.args[2], "id", ""), call.args[2]), call.args[4]
                if isinstance(kind, ast.Constant) and isinstance(action, ast.Constant):
                    written.add("_".join(["did", str(kind.value), str(action.value)]))
                    kinds.add("_".join(["kind", str(kind.value)]))
    assert {"did_job_retried", "did_job_discarded", "did_institution_invitation_ended"} <= written <= set(PHRASES)
    assert kinds <= set(PHRASES), "each can be chosen on the page"


def test_the_page_says_who_did_what(world: World) -> None:
    admin = signed_in(world, Role.ADMIN)
    eva = world.somebody_with(Role.ADMIN)
    with world.parts.database.writing() as tx:
        note_change(tx, Actor("account", eva.id), "job", 5, "discarded", world.clock.now(), before={"kind": "prueba"})
    page = admin.get("/admin/cambios").text
    assert f"(cuenta {eva.id}) descartó el trabajo 5: clase, «prueba»." in page
    assert "account:" not in page and not re.search(r"[{}]|&#34;|→", page.partition("<main")[2])
    assert f"(account {eva.id}) discarded job 5" in admin.get("/admin/cambios?l=en").text
