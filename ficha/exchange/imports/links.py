"""A Health Link of somebody else, as the documents that it leads to."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from ficha.core.errors import FichaError
from ficha.exchange.health_links.reading import read_health_link
from ficha.exchange.imports.cards import CardSigners, IssuerKeysAway
from ficha.exchange.imports.content import SignatureState
from ficha.exchange.imports.files import Documents, read_document, within_bounds
from ficha.exchange.imports.link_faults import HealthLinkEmpty
from ficha.exchange.imports.link_fetching import LinkCaller, fetch_link
from ficha.exchange.imports.proposals import NotTaken
from ficha.fmd.fhir_reading import WhyNot


def read_link(text: str, passcode: str, caller: LinkCaller, now: datetime, signers: CardSigners) -> Documents:
    """All of its files that can be read. The others are told with the first, because a link may open only once; where
    there is none, raises why the first was refused, or why the link brought nothing."""
    link = read_health_link(text, now)
    found = fetch_link(link, passcode, caller)
    documents: Documents = []
    refusals: list[FichaError] = []
    left = [NotTaken(kind, why) for kind, why in found.left_out]
    for file in found.files:
        try:
            documents += read_document(file.content, caller.language, now, signers)
        except FichaError as refusal:
            refusals.append(refusal)
            left.append(NotTaken(file.kind, WhyNot.FILE_REFUSED))
            if isinstance(refusal, IssuerKeysAway):  # Whoever does not answer once is not waited for again.
                signers = signers._replace(fetch=_nobody_answers)
        within_bounds(documents)
    if not documents:
        raise refusals[0] if refusals else HealthLinkEmpty
    # What is signed comes first: the rest may say more of the same, and then it must not count as signed.
    documents.sort(key=lambda one: one[1].state is SignatureState.UNSIGNED)
    first, signature = documents[0]
    documents[0] = replace(first, not_taken=[*first.not_taken, *left]), signature
    return [(replace(document, host=link.host), signature) for document, signature in documents]


def _nobody_answers(_url: str) -> Mapping[str, Any]:
    raise IssuerKeysAway
