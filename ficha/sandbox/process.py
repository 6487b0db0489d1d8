"""Starts a sandbox as a process of its own, which ends with the service."""

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from ficha.sandbox.config import SandboxConfig

if TYPE_CHECKING:
    from ficha.core.settings import Settings


def start_sandbox_process(settings: "Settings", *, is_demo: bool = False) -> subprocess.Popen[str]:
    """The configuration, secrets included, is written to its stdin, so that it needs neither settings nor environment.
    When the port is taken it prints so and ends with 2: another sandbox runs there already."""
    options = ["-m", "ficha.sandbox", "--with-parent", str(os.getpid()), "--stdin"]
    child = subprocess.Popen([sys.executable, *options], stdin=subprocess.PIPE, text=True)  # noqa: S603  Our own words.
    assert child.stdin is not None
    child.stdin.write(json.dumps(SandboxConfig.of(settings, is_demo=is_demo).as_json()) + "\n")
    child.stdin.close()
    return child
