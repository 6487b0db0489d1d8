"""Pydantic models that are built when they are first used: ours, except request bodies."""

from pydantic import BaseModel, ConfigDict


class DeferredModel(BaseModel):
    """Pydantic builds the validator when it is first used, in a millisecond or two and under a lock of its own.

    Building all of them would be a twentieth of a start's work, for operations that a process may never be asked for.
    """

    model_config = ConfigDict(defer_build=True)
