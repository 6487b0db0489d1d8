"""Models are built when they are first used: by one thread or by many, and every one of them can be."""

import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

import ficha.app  # noqa: F401  Every model is known.
from ficha.core.deferred_model import DeferredModel

THREADS = 8


def models(base: type[DeferredModel] = DeferredModel) -> Iterator[type[DeferredModel]]:
    for model in base.__subclasses__():
        yield model
        yield from models(model)


def test_every_model_can_be_built() -> None:
    """An annotation that means nothing would otherwise be found by the first caller."""
    ours = [model for model in models() if model.__module__.startswith("ficha.")]
    assert len(ours) > 80
    for model in ours:
        model.model_rebuild()
        assert model.__pydantic_complete__, model


@pytest.mark.slow
def test_a_start_builds_no_model_but_the_envelopes() -> None:
    code = """if True:
        import json
        import ficha.app
        from tests.core.test_deferred_model import models
        print(json.dumps([model.__name__ for model in models() if model.__pydantic_complete__]))
        """
    built = json.loads(subprocess.run([sys.executable, "-c", code], capture_output=True, check=True).stdout)
    assert sorted(built) == ["Answer", "Listing", "Resource"]


def test_threads_that_use_a_model_first_at_the_same_moment_all_get_it_whole() -> None:
    def use(barrier: Barrier, model: type[DeferredModel]) -> object:
        barrier.wait()
        return model.model_validate({"inner": {"number": "7"}}).model_dump()

    with ThreadPoolExecutor(THREADS) as threads:
        for _round in range(20):

            class Inner(DeferredModel):
                number: int

            class Outer(DeferredModel):
                inner: Inner

            barrier = Barrier(THREADS)
            found = list(threads.map(use, [barrier] * THREADS, [Outer] * THREADS))
            assert found == [{"inner": {"number": 7}}] * THREADS
