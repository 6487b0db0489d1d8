"""Names that look like settings and are none: a typing error would leave what it was meant for at its default."""

import os
import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from pathlib import Path

from ficha.core.settings import PREFIX, Settings

# Read by deploy/compose.yaml, the Makefile and the tests.
OF_OTHERS = frozenset({"FICHA_IMAGE", "FICHA_STORM", "FICHA_CONFORMANCE", "FICHA_VALIDATORS", "FICHA_DEV_TOOLS_BUILT"})
# A setting of 1.0.0: whoever upgrades has it still, and it does no harm.
GONE = frozenset({"FICHA_TRIAL_DAYS"})
# Kubernetes tells pods of every Service whose name begins with "ficha" so, where their own manifest does not say no.
OF_KUBERNETES = re.compile(r"FICHA_(\w+_)?(SERVICE_(HOST|PORT)|PORT_\d+_(TCP|UDP|SCTP))(_\w+)?")
KUBERNETES_ADDRESS = ("tcp://", "udp://", "sctp://")


def unknown_settings(environment: Mapping[str, str] | None = None) -> list[str]:
    """A sentence for each such name in the environment and in `.env`."""
    given = {**_in_file(), **(os.environ if environment is None else environment)}
    known = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    found = {name.upper() for name, value in given.items() if not value.startswith(KUBERNETES_ADDRESS)}
    names = {name for name in found if name.startswith(PREFIX) and not OF_KUBERNETES.fullmatch(name)}
    return [_sentence(name, known) for name in sorted(names - known - OF_OTHERS - GONE)]


def _in_file() -> dict[str, str]:
    file = Path(str(Settings.model_config["env_file"]))
    if not file.is_file():
        return {}
    from dotenv import dotenv_values

    return {name: value or "" for name, value in dotenv_values(file).items()}


def _sentence(name: str, known: Iterable[str]) -> str:
    nearest = get_close_matches(name, sorted(known), n=1, cutoff=0.8)
    meant = f"did you mean {nearest[0]}?" if nearest else "docs/settings.md has them all."
    return f"{name} is no setting: {meant}"
