"""Whose Health Cards are believed: a file in the shape of VCI's directory of issuers, and always ourselves."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from operator import itemgetter
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ficha.core.settings import Settings

# The viewer's page carries all of them, so that nobody learns which one it looked up.
MOST_ISSUERS = 2000
MOST_BYTES = 1_000_000
OWN_NAME = "Ficha"
# As the standard writes them: an address to which /.well-known/jwks.json is added.
ISSUER = re.compile(r"https://[A-Za-z0-9.:\[\]-]+(/[A-Za-z0-9._~%!$&'()*+,;=:@-]+)*")


class TrustedIssuersFaulty(Exception):
    """FICHA_TRUSTED_ISSUERS_FILE cannot be used as it is: the file, and why."""


def _issuer_address(text: str) -> str:
    if not ISSUER.fullmatch(text):
        raise ValueError("iss must be an https address without a slash at its end")
    return text


def _readable(text: str) -> str:
    if not text.strip() or not text.isprintable():
        raise ValueError("a name must be one line that can be read")
    return text


class TrustedIssuer(BaseModel):
    """`iss` is what stands in its cards, letter by letter; nothing follows from its website."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    iss: Annotated[str, Field(max_length=255), AfterValidator(_issuer_address)]
    name: Annotated[str, Field(max_length=120), AfterValidator(_readable)]
    website: Annotated[str, Field(max_length=255)] = ""


class IssuerFile(BaseModel):
    """What else directories say of themselves is not read."""

    model_config = ConfigDict(frozen=True, defer_build=True)

    participating_issuers: Annotated[list[TrustedIssuer], Field(max_length=MOST_ISSUERS)]


class TrustedIssuers:
    """The directory. It vouches for a name, not for a card: the signature is another question."""

    def __init__(self, own: TrustedIssuer, others: Iterable[TrustedIssuer] = ()) -> None:
        self.own = own
        self._by_iss: Mapping[str, TrustedIssuer] = {one.iss: one for one in others} | {own.iss: own}

    def __len__(self) -> int:
        return len(self._by_iss)

    def find(self, iss: str) -> TrustedIssuer | None:
        """By exactly this address. None for whom nobody here vouches."""
        return self._by_iss.get(iss)

    @cached_property
    def names(self) -> dict[str, str]:
        """The name of each by its `iss`."""
        return {one.iss: one.name for one in self._by_iss.values()}


def trusted_issuers(settings: Settings) -> TrustedIssuers:
    """Raises TrustedIssuersFaulty."""
    own = TrustedIssuer(iss=settings.card_issuer, name=OWN_NAME)
    file = settings.trusted_issuers_file
    return TrustedIssuers(own, read_issuer_file(file) if file else ())


def read_issuer_file(file: Path) -> list[TrustedIssuer]:
    """Raises TrustedIssuersFaulty, which names the first thing that is wrong."""
    try:
        if file.stat().st_size > MOST_BYTES:
            raise TrustedIssuersFaulty(f"{file}: more than {MOST_BYTES} bytes")
        read: Any = json.loads(file.read_bytes())
        found = IssuerFile.model_validate(read).participating_issuers
    except OSError as error:
        raise TrustedIssuersFaulty(f"{file}: {error.strerror}") from None
    except ValidationError as refusal:
        first = refusal.errors(include_url=False, include_input=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise TrustedIssuersFaulty(f"{file}: {where or 'the file'}: {first['msg']}") from None
    except (ValueError, RecursionError):
        raise TrustedIssuersFaulty(f"{file}: not JSON") from None
    iss, times = max(Counter(one.iss for one in found).items(), key=itemgetter(1), default=("", 0))
    if times > 1:
        raise TrustedIssuersFaulty(f"{file}: {iss} is in it twice")
    return found
