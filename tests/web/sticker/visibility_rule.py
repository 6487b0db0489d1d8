"""The rule about who sees what, written a second time from the table of the models and not from the code.

A mistake in one shows against the other. R: whoever scans the sticker. B: after breaking the glass, and whoever was
granted access. P: the owner.
"""

from typing import NamedTuple

DOORS = {
    "R": "personal alergiasa alergiasm medicacion salud cardiologico cuerpo emergencia consideracion representante",
    "B": "vacuna estudiante personalsermed poliza",
    "P": "consentimiento preferencia modulo",
}
MODEL_DOORS = {model: door for door, models in DOORS.items() for model in models.split()}
FIELD_DOORS = {
    **{f"personal/{name}": "B" for name in ("documento_numero", "direccion", "cod_telefono", "telefono", "correo")},
    "representante/documento": "B",
    # Wishes about treatment are shown, with their legal status.
    **{f"consentimiento/{name}": "R" for name in ("voluntad_anticipada", "rechaza_transfusion", "donante_organos")},
}


class PlaceOfFact(NamedTuple):
    """A field of a model and, in a list, the index of a fact."""

    model: str
    field: str
    fact: int | None = None


# The decisions of the owner: a door for a model, or for a single fact.
Consent = dict[str | PlaceOfFact, str]


def door_of(place: PlaceOfFact, consent: Consent) -> str:
    """The owner's decision about the fact, else about the model, else the table. A field with a stricter door of its
    own keeps it when the owner opens the model."""
    if place.fact is not None and place in consent:
        return consent[place]
    own = FIELD_DOORS.get(f"{place.model}/{place.field}")
    chosen = consent.get(place.model)
    if own and chosen:
        return max(own, chosen, key="RBP".index)
    return own or chosen or MODEL_DOORS[place.model]


def may_read(door: str, place: PlaceOfFact, consent: Consent) -> bool:
    return "RBP".index(door_of(place, consent)) <= "RBP".index(door)
