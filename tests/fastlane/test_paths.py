"""What a path asks the lane for."""

from itertools import product

from hypothesis import given
from hypothesis import strategies as st

from ficha.fastlane.paths import Read, ReadTarget, sticker_in, target_of
from ficha.fmd.catalog import CATALOG

CODE, TAG = "K7M2QX", "QX7M2K5TNBP4RWZC6DHJ3VFYGA"
# Pieces that make a path of ours, put together in any way.
PIECES = st.lists(st.sampled_from(["k7m2qx", CODE, "/", "exists", "models", "salud", "É", "0", ""]), max_size=6)


def test_each_read_is_found_by_its_path() -> None:
    assert target_of(CODE) == (ReadTarget(Read.RECORD), CODE)
    assert target_of(f"{CODE.lower()}/exists") == (ReadTarget(Read.RECORD_EXISTS), CODE)
    assert target_of(f"{CODE}/models") == (ReadTarget(Read.MODELS), CODE)
    for model in CATALOG.names:
        assert target_of(f"{CODE}/{model}") == (ReadTarget(Read.MODEL, (model,)), CODE)
        assert target_of(f"{CODE}/{model}/exists") == (ReadTarget(Read.MODEL_EXISTS, (model,)), CODE)


@given(PIECES.map("".join))
def test_what_is_found_is_what_the_route_says(rest: str) -> None:
    found = target_of(rest)
    if found is not None:
        target, code = found
        route = target.read.removeprefix("/fmd/").format(code=code, model="".join(target.models))
        assert route == rest[:6].upper() + rest[6:] and code == CODE


def test_a_sticker_is_found_in_either_case() -> None:
    for prefix, code, tag in product(("/e/", "/E/"), (CODE, CODE.lower()), (TAG, TAG.lower())):
        assert sticker_in(f"{prefix}{code}/{tag}") == (CODE, TAG)
    for path in (f"/e/{CODE}", f"/e/{CODE}/", f"/e/{CODE}/{TAG}/", f"/e/{CODE}/{TAG[:-1]}", f"/e/{CODE[:-1]}/{TAG}"):
        assert sticker_in(path) is None
