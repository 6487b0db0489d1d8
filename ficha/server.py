"""What each server process loads first. It is small, so that what it says holds before anything heavy is imported."""

from multiprocessing import parent_process

from ficha.core.process import begin_loading, end_loading, end_with_parent, use_one_heap

begin_loading()

from starlette.types import ASGIApp  # noqa: E402

from ficha.app import from_environment  # noqa: E402


def load() -> ASGIApp:
    starter = parent_process()
    if starter is not None and starter.pid is not None:
        end_with_parent(starter.pid)
    use_one_heap()
    app = from_environment()
    end_loading()
    return app
