"""Why a backup or a restore is refused: a sentence for the operator."""

from collections.abc import Callable

# What is under way, how much of it is done, and how much there is.
Progress = Callable[[str, int, int], None]


class BackupRefused(Exception):
    """Nothing was changed. Its text says what to do."""


class BadArchive(BackupRefused):
    """The archive is not one of ours, or not as we wrote it."""
