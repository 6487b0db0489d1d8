"""Who acts as staff is said in one place: the caller, who knows whether a demanded second factor is missing."""

import ast

from tests.source_code import PACKAGE, nodes_with

# Where a caller is made of its roles, and says what it may do.
SAYS_WHO_MAY = "accounts/tokens.py"
# Where roles are given, taken, stored or shown. Nobody is let in by any of these.
KEEP_OR_SHOW_ROLES = {
    # Selects them for `SAYS_WHO_MAY`.
    "accounts/caller_selects.py",
    "accounts/people_list.py",
    "administration/roles.py",
    "api/accounts/account_bodies.py",
    "cli/development.py",
    "demo/people.py",
    "enrolment/registration.py",
    "web/console/people.py",
    # On which page one begins: who may open that page is told elsewhere.
    "web/portal/account/login.py",
}


def reads_roles(code: ast.AST) -> bool:
    """Of an account or a caller, or names a role of staff to compare with."""
    if not isinstance(code, ast.Attribute):
        return False
    names_role = isinstance(code.value, ast.Name) and code.value.id == "Role" and code.attr in ("STAFF", "ADMIN")
    return names_role or code.attr == "roles"


def test_nobody_else_asks_for_a_role() -> None:
    found = {
        file.relative_to(PACKAGE).as_posix()
        for file, nodes in nodes_with("Role", "roles")
        if any(reads_roles(node) for node in nodes)
    }
    assert found - KEEP_OR_SHOW_ROLES == {SAYS_WHO_MAY}
    assert found >= KEEP_OR_SHOW_ROLES, "no longer needed"


def test_asking_for_a_role_is_noticed() -> None:
    for line in ("caller.has(Role.STAFF)", "Role.ADMIN in caller._roles", "'staff' in account.roles"):
        assert any(reads_roles(node) for node in ast.walk(ast.parse(line))), line
