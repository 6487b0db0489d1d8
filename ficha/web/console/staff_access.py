"""Who is let in: staff to the pages of staff, administrators to all. For every other account there is no such page."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.core.errors import NotFound
from ficha.http.dependencies import CurrentCaller


@dataclass(frozen=True)
class Visit:
    """Somebody who was let in, and what she asks for."""

    request: Request
    caller: Caller

    @property
    def actor(self) -> Actor:
        return self.caller.actor

    @property
    def is_admin(self) -> bool:
        return self.caller.acts_as_admin


def staff_visit(request: Request, caller: CurrentCaller) -> Visit:
    """Raises NotFound: whoever may not come in is not told that there is something. Raises SecondFactorDemanded."""
    caller.must_act_as_staff(NotFound)
    return Visit(request, caller)


def admin_visit(request: Request, caller: CurrentCaller) -> Visit:
    caller.must_act_as_admin(NotFound)
    return Visit(request, caller)


StaffVisit = Annotated[Visit, Depends(staff_visit)]
AdminVisit = Annotated[Visit, Depends(admin_visit)]
