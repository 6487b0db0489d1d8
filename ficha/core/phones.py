"""Phone numbers in E.164, the form for dialling and sending."""


class NotDialable(ValueError):
    """The number cannot reach a person."""


def to_e164(cod_telefono: str, telefono: str) -> str:
    """Raises NotDialable. Lenient about numbering plans, which change; strict about what can never be a contact."""
    import phonenumbers  # noqa: PLC0415  Six megabytes of metadata that most requests never need.

    prefix = int(cod_telefono.removeprefix("+"))
    region = phonenumbers.region_code_for_country_code(prefix)
    if region == "ZZ" or phonenumbers.is_emergency_number(telefono, region):
        raise NotDialable
    # A leading zero belongs to the number in some countries and is a trunk prefix in others: the parser knows.
    try:
        number = phonenumbers.parse(telefono, region if region != "001" else None)
    except phonenumbers.NumberParseException:
        raise NotDialable from None
    if number.country_code != prefix or not phonenumbers.is_possible_number(number):
        raise NotDialable
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def written_e164(written: str, region: str) -> str:
    """Of a number in one piece, with its plus sign or as it is dialled in `region` (which may be empty). Raises
    NotDialable."""
    import phonenumbers  # noqa: PLC0415  As above.

    try:
        number = phonenumbers.parse(written, region or None)
    except phonenumbers.NumberParseException:
        raise NotDialable from None
    if not phonenumbers.is_valid_number(number):
        raise NotDialable
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
