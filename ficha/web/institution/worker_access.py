"""Who is let in: whoever has a role at the institution now. For everybody else there is no such institution."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from ficha.accounts.tokens import Caller
from ficha.audit.log import Actor
from ficha.core.transaction import Transaction
from ficha.http.dependencies import CurrentCaller, Db, Reading
from ficha.institutions.institution import (
    InstitutionFacts,
    InstitutionRole,
    InstitutionUnknown,
    institutions_with_role,
)
from ficha.web.kit.lists import SlugPath

INSTITUTIONS = "/centros"


@dataclass(frozen=True)
class WorkVisit:
    """Somebody who works there, and what she asks for. `tx` is the request's transaction."""

    request: Request
    caller: Caller
    tx: Transaction
    institution: InstitutionFacts
    role: InstitutionRole
    works_elsewhere: bool

    @property
    def home(self) -> str:
        return f"{INSTITUTIONS}/{self.institution.slug}"

    @property
    def actor(self) -> Actor:
        return Actor("account", self.caller.account_id)

    @property
    def opens_records(self) -> bool:
        return self.role is InstitutionRole.MEDICAL


def _visit(request: Request, tx: Transaction, caller: Caller, slug: str) -> WorkVisit:
    found = institutions_with_role(tx, caller.account_id)
    for institution, role in found:
        if institution.slug == slug:
            return WorkVisit(request, caller, tx, institution, role, len(found) > 1)
    raise InstitutionUnknown


def reading_visit(request: Request, reading: Reading, caller: CurrentCaller, slug: SlugPath) -> WorkVisit:
    """Raises InstitutionUnknown: the same for a closed one, another's and none."""
    return _visit(request, reading, caller, slug)


def writing_visit(request: Request, db: Db, caller: CurrentCaller, slug: SlugPath) -> WorkVisit:
    return _visit(request, db, caller, slug)


ReadingVisit = Annotated[WorkVisit, Depends(reading_visit)]
WritingVisit = Annotated[WorkVisit, Depends(writing_visit)]
