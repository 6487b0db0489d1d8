"""The doors a stranger comes in by, and the page behind a contact's link."""

from fastapi import APIRouter

from ficha.web.emergency import answering, doors

router = APIRouter(include_in_schema=False)
router.include_router(doors.router)
router.include_router(answering.router)
