"""The class of every request body, and field types that several areas share."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from ficha.core.ids import CODE_ALPHABET, CODE_LENGTH

ProductCode = Annotated[str, StringConstraints(pattern=f"^[{CODE_ALPHABET}{CODE_ALPHABET.lower()}]{{{CODE_LENGTH}}}$")]
ProductTag = Annotated[str, StringConstraints(min_length=1, max_length=64)]
FmdCode = Annotated[int, Field(ge=1, le=2**63 - 1)]
Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]


class Body(BaseModel):
    """A request body: a field we do not know is an error, so that a typing mistake loses nothing silently.

    Not a DeferredModel: FastAPI's field around a body would be built later too, and warn of its own `alias` then.
    """

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)
