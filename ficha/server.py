"""What each server process loads first. It is small, so that what it says holds before anything heavy is imported."""

import gc

# Loading makes a few hundred thousand objects that live for ever: looking through them again and again for rubbish
# is an eighth of the start's work.
gc.disable()

from starlette.types import ASGIApp  # noqa: E402

from ficha.app import from_environment  # noqa: E402


def load() -> ASGIApp:
    app = from_environment()
    gc.freeze()  # And of every later round of tidying.
    gc.enable()
    return app
