"""The clave: hashed with Argon2id, and checked in the same time whether or not there is an account."""

import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from ficha.core.process import use_all_cores

# OWASP's minimum: 19 MiB, two passes, one lane; about 40 ms on a small core.
_hasher = PasswordHasher(time_cost=2, memory_cost=19_456, parallelism=1)


def _step_back() -> None:
    """A hundred logins may wait, the page of an emergency may not. On Linux a thread has a priority of its own. And it
    hashes outside of Python's lock, beside the threads of the requests."""
    use_all_cores()
    if sys.platform == "linux":
        os.nice(10)


# Two threads of its own: each thread that ever hashed keeps its 19 MiB, and logins must leave cores for the rest.
_hashers = ThreadPoolExecutor(2, thread_name_prefix="argon2", initializer=_step_back)


@cache
def _dummy_hash() -> str:
    """Checked when there is no account, so that the answer takes as long as for a wrong clave."""
    return _hasher.hash("nobody has this clave")


def hash_clave(clave: str) -> str:
    return _hashers.submit(_hasher.hash, clave).result()


def clave_matches(clave_hash: str | None, clave: str) -> bool:
    """False for a wrong clave and for no account, after the same work."""
    dummy = _dummy_hash()  # In either case: the first call of a process has to compute it.
    try:
        _hashers.submit(_hasher.verify, clave_hash or dummy, clave).result()
    except (VerificationError, InvalidHashError):
        return False
    return clave_hash is not None


def is_outdated(clave_hash: str) -> bool:
    return _hasher.check_needs_rehash(clave_hash)
