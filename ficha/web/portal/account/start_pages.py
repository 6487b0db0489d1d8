"""The first page after logging in."""

from ficha.accounts.accounts import Account, Role

APP, CONSOLE = "/app", "/admin"


def start_page(account: Account) -> str:
    """Staff have theirs."""
    return CONSOLE if {Role.STAFF, Role.ADMIN} & set(account.roles) else APP
