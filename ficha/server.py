"""What each server process loads first. It is small, so that what it says holds before anything heavy is imported."""

from multiprocessing import parent_process

from ficha.core.process import begin_loading, end_loading, set_up_server_process

begin_loading()

from starlette.types import ASGIApp  # noqa: E402

from ficha.app import from_environment  # noqa: E402


def load() -> ASGIApp:
    starter = parent_process()
    set_up_server_process(None if starter is None else starter.pid)
    app = from_environment()
    end_loading()
    return app
