"""What is wrong with a document: faults of Pydantic and our own, each with the path to its field."""

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError
from pydantic_core import InitErrorDetails, PydanticCustomError

from ficha.core.errors import InvalidFields, Problem, Source

Path = tuple[str | int, ...]

# The kinds of fault whose `msg` is a Spanish sentence of ours, which http/errors.py passes on as it is.
OWN_FAULTS = frozenset(
    {
        "ausencia_con_datos",
        "codigo_incompleto",
        "codigo_mal_formado",
        "fecha_fuera_de_rango",
        "fecha_invalida",
        "fechas_al_reves",
        "id_desconocido",
        "id_repetido",
        "modelo_desconocido",
        "repetido",
        "telefono_incompleto",
        "telefono_invalido",
        "zona_desconocida",
    }
)


class InvalidDocument(InvalidFields):
    """`faults` are in Pydantic's form. http/errors.py adds the sentences and the beginning of the path."""

    def __init__(self, faults: Sequence[Mapping[str, Any]]) -> None:
        super().__init__([])
        self.faults = list(faults)

    @classmethod
    def of(cls, error: ValidationError) -> "InvalidDocument":
        """Without the values: an error may be logged, a health fact may not."""
        faults = error.errors(include_url=False, include_input=False)
        return cls([{**fault, "loc": _without_marks(fault["loc"])} for fault in faults])

    def under(self, *path: str | int) -> "InvalidDocument":
        """The same faults one level deeper, as in a patch of several models."""
        return InvalidDocument([{**fault, "loc": (*path, *fault["loc"])} for fault in self.faults])

    @property
    def problems(self) -> list[Problem]:
        return [
            Problem(
                fault["type"] if fault["type"] in OWN_FAULTS else "valor_invalido",
                fault["msg"] if fault["type"] in OWN_FAULTS else "El valor no es válido.",
                Source("pointer", pointer(fault["loc"])),
            )
            for fault in self.faults
        ]


def field_fault(kind: str, text: str) -> PydanticCustomError:
    """A fault of the field that is being validated."""
    assert kind in OWN_FAULTS, kind
    # As a value, because Pydantic formats braces in a template.
    return PydanticCustomError(kind, "{text}", {"text": text})


def fault_at(field: str, kind: str, text: str) -> ValidationError:
    """A fault of one field, for rules about several fields."""
    return ValidationError.from_exception_data(
        kind, [InitErrorDetails(type=field_fault(kind, text), loc=(field,), input=None)]
    )


def pointer(path: Path) -> str:
    """RFC 6901."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in path)


def _without_marks(path: Path) -> Path:
    """Pydantic adds `[key]` to the path when the name itself, not its value, is wrong."""
    return path[:-1] if path and path[-1] == "[key]" else path
