"""Argon2id for next to nothing: the tests register thousands of people, and hash no clave that anybody could steal."""

from argon2 import PasswordHasher

from ficha.accounts import login

LIGHT = PasswordHasher(time_cost=1, memory_cost=8, parallelism=1)


def use_light_claves() -> None:
    """From now on, in this process and those that it forks."""
    login._hasher = LIGHT
