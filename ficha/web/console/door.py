"""Who comes in: staff to the pages of staff, administrators to all. For every other account there is no such page."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from ficha.accounts.accounts import Role
from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.core.errors import NotFound
from ficha.http.dependencies import CurrentCaller, demand_second_factor


@dataclass(frozen=True)
class Visit:
    """Somebody who was let in."""

    caller: Caller

    @property
    def actor(self) -> Actor:
        return Actor("account", self.caller.account_id)

    @property
    def is_admin(self) -> bool:
        return self.caller.has(Role.ADMIN)


def staff_visit(request: Request, caller: CurrentCaller) -> Visit:
    """Raises NotFound: whoever may not come in is not told that there is something. Raises SecondFactorDemanded."""
    return _visit(request, caller, Role.STAFF)


def admin_visit(request: Request, caller: CurrentCaller) -> Visit:
    return _visit(request, caller, Role.ADMIN)


def _visit(request: Request, caller: Caller, role: Role) -> Visit:
    if not caller.has(role):
        raise NotFound
    demand_second_factor(request, caller)
    return Visit(caller)


StaffVisit = Annotated[Visit, Depends(staff_visit)]
AdminVisit = Annotated[Visit, Depends(admin_visit)]
