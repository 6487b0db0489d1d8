"""Starting a sandbox beside the service, as a process that ends with it."""

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

from ficha.sandbox.whatsapp.config import SandboxConfig

if TYPE_CHECKING:
    from ficha.core.settings import Settings


def start_beside(settings: "Settings") -> subprocess.Popen[str]:
    """It is told its configuration by pipe, secrets included, and so needs neither settings nor environment.
    When the port is taken it says so and ends with 2: somebody's sandbox is there already."""
    words = ["-m", "ficha.sandbox", "--with-parent", str(os.getpid()), "--stdin"]
    child = subprocess.Popen([sys.executable, *words], stdin=subprocess.PIPE, text=True)  # noqa: S603  Our own words.
    assert child.stdin is not None
    child.stdin.write(json.dumps(SandboxConfig.of(settings).plain()) + "\n")
    child.stdin.close()
    return child
