"""What each process of `ficha serve` runs: the application, or one sentence that says why there is none."""

from starlette.types import ASGIApp

from ficha.server import load as load_application


def load() -> ASGIApp:
    try:
        return load_application()
    except Exception:
        # A key file that was exchanged, a database that went away since the command looked. Loaded for this case alone.
        from ficha.cli.faults import faults_as_sentences

        with faults_as_sentences():
            raise
