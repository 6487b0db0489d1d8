"""Every Health Link that we make is opened by readers that are not ours, and one that has ended by none."""

from typing import Any

import pytest

from ficha.exchange.health_cards.reading import read_card
from tests.api.fmd.test_fmd import fmd, patch
from tests.exchange.health_cards.test_outside_readers import OpenService, everything, revoke_a_card, service
from tests.exchange.health_links.links import Link, listed, share
from tests.exchange.outside_readers import (
    WRONG_OF_MANIFESTS,
    dev_tools_complaints,
    kill_the_clipboard_opens,
    wrong_complaints,
)
from tests.exchange.samples import RECORDS, SMALL

__all__ = ["service"]
pytestmark = pytest.mark.slow

PASSCODE = "274915"


def told_link(link: Link) -> str:
    text: str = link.told["link"]
    return text


def kinds(found: dict[str, Any]) -> list[str]:
    return [one["type"] for one in found["resources"]]


def test_kill_the_clipboard_opens_a_link_until_it_is_ended(service: OpenService) -> None:
    ana = service.world.register(nombre="Ana Pérez")
    patch(ana, "", SMALL)
    card = read_card(ana.get(fmd(ana, "/health-card")).content)
    link = share(service.world, ana)
    found = kill_the_clipboard_opens(told_link(link), service.server)
    assert found["label"] == "Para la cardióloga" and kinds(found) == ["document"]
    assert found["cards"] == [card.bundle]
    assert listed(ana, link)["opened_by"][0]["recipient"] == "Dra. Rosa Silva"
    assert ana.delete(fmd(ana, f"/links/{link.id}")).status_code == 200
    assert kill_the_clipboard_opens(told_link(link), service.server)["refused"] == "SHLManifestNotFoundError"


def test_kill_the_clipboard_needs_the_passcode(service: OpenService) -> None:
    ana = service.world.register(nombre="Ana Pérez")
    patch(ana, "", SMALL)
    link = share(service.world, ana, passcode=PASSCODE)
    wrong = kill_the_clipboard_opens(told_link(link), service.server, "000000")
    assert wrong["refused"] == "SHLInvalidPasscodeError" and listed(ana, link)["attempts_left"] == 9
    assert kinds(kill_the_clipboard_opens(told_link(link), service.server, PASSCODE)) == ["document"]


def test_kill_the_clipboard_opens_a_direct_link(service: OpenService) -> None:
    ana = service.world.register(nombre="Ana Pérez")
    patch(ana, "", SMALL)
    found = kill_the_clipboard_opens(told_link(share(service.world, ana, direct=True)), service.server)
    assert kinds(found) == ["document"] and "enicil" in str(found["resources"])


@everything
@pytest.mark.parametrize("name", RECORDS)
def test_kill_the_clipboard_reads_any_record_by_its_addresses(service: OpenService, name: str) -> None:
    """Each file at an address of its own, and each within the manifest: they say the same."""
    ana = service.world.register(nombre="Ana Pérez")
    if RECORDS[name]:
        patch(ana, "", RECORDS[name])
    link = told_link(share(service.world, ana, long_term=True))
    within, located = (kill_the_clipboard_opens(link, service.server, longest=most) for most in (None, 200))
    assert within["located"] == 0 and located["located"] == len(located["resources"]) > 0
    assert kinds(located) == kinds(within)


@everything
def test_dev_tools_has_nothing_against_a_link_with_a_passcode(service: OpenService) -> None:
    """But where it is wrong itself, which is told word by word. It finds a property that nobody knows."""
    ana = service.world.register(nombre="Ana Pérez")
    patch(ana, "", SMALL)
    revoke_a_card(ana)
    card = read_card(ana.get(fmd(ana, "/health-card")).content)
    link = told_link(share(service.world, ana, passcode=PASSCODE))
    wrong = sorted([*WRONG_OF_MANIFESTS, *wrong_complaints(card.bundle)])
    assert sorted(dev_tools_complaints("shlink", link, service.server, "--passcode", PASSCODE)) == wrong
    [refused] = dev_tools_complaints("shlink", link, service.server, "--passcode", "000000")
    assert "401 invalid passcode : remainingAttempts: 9" in refused
    service.spoilt[b'"contentType":'] = b'"colour":"red","contentType":'
    spoilt = dev_tools_complaints("shlink", link, service.server, "--passcode", PASSCODE)
    assert not set(WRONG_OF_MANIFESTS) & set(spoilt)
    assert sum("Unexpected properties on manifest file : colour," in one for one in spoilt) == 2
