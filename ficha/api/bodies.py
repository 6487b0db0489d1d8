"""The class of every request body, field types that several areas share, and faults that only a rule can see."""

from collections.abc import Iterable
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, StringConstraints
from pydantic_core import InitErrorDetails, PydanticCustomError, ValidationError

from ficha.core.errors import InvalidFields, Problem, Source
from ficha.core.ids import CODE_ALPHABET, CODE_LENGTH
from ficha.core.phones import NotDialable, to_e164

ProductCode = Annotated[str, StringConstraints(pattern=f"^[{CODE_ALPHABET}{CODE_ALPHABET.lower()}]{{{CODE_LENGTH}}}$")]
ProductTag = Annotated[str, StringConstraints(min_length=1, max_length=64)]
CodTelefono = Annotated[str, StringConstraints(pattern=r"^\+[1-9][0-9]{0,3}$")]
Telefono = Annotated[str, StringConstraints(pattern=r"^[0-9]{4,15}$")]
FmdCode = Annotated[int, Field(ge=1, le=2**63 - 1)]
Latitude = Annotated[float, Field(ge=-90, le=90, allow_inf_nan=False)]
# A JSON pointer into the body, and a sentence for people.
BodyFault = tuple[str, str]
Longitude = Annotated[float, Field(ge=-180, le=180, allow_inf_nan=False)]


class Body(BaseModel):
    """A request body: a field we do not know is an error, so that a typing mistake loses nothing silently.

    Not a DeferredModel: FastAPI's field around a body would be built later too, and warn of its own `alias` then.
    """

    model_config = ConfigDict(extra="forbid", strict=True, hide_input_in_errors=True)

    def fault_at(self, field: str, code: str, sentence: str) -> ValidationError:
        """For a check of several fields to raise, beside the one that is to be mended."""
        fault = InitErrorDetails(type=PydanticCustomError(code, sentence), loc=(field,), input=None)
        return ValidationError.from_exception_data(type(self).__name__, [fault])

    def dialled(self, cod_telefono: str, telefono: str) -> str:
        """The number of the field `telefono` in E.164; its fault if nobody has it."""
        try:
            return to_e164(cod_telefono, telefono)
        except NotDialable:
            sentence = "Ese número no existe en ese país. Revíselo."
            raise self.fault_at("telefono", "telefono_invalido", sentence) from None


def raise_if_faults(faults: Iterable[BodyFault]) -> None:
    """Raises InvalidFields if there are any."""
    problems = [Problem("valor_invalido", sentence, Source("pointer", pointer)) for pointer, sentence in faults]
    if problems:
        raise InvalidFields(problems)
