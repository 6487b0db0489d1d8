"""What each server process loads first. It is small, so that what it says holds before anything heavy is imported."""

import gc

# Loading makes a few hundred thousand objects that live for ever: looking through them again and again for rubbish
# is an eighth of the start's work.
gc.disable()

from ficha.core.deferred_model import deferred_models  # noqa: E402
from ficha.core.hidden_module import hidden_module  # noqa: E402

# FastAPI loads email-validator where it is installed, for the address of a contact in an OpenAPI document, which ours
# has none of: a twentieth of a start, for its expressions. A correo that is checked loads it (core/text_types.py).
# And its models of OpenAPI, a sixteenth of a start, are for those who ask for that document.
with hidden_module("email_validator"), deferred_models():
    import fastapi  # noqa: F401

from starlette.types import ASGIApp  # noqa: E402

from ficha.app import from_environment  # noqa: E402
from ficha.core.allocator import keep_little_memory  # noqa: E402


def load() -> ASGIApp:
    keep_little_memory()
    app = from_environment()
    gc.freeze()  # And of every later round of tidying.
    gc.enable()
    return app
