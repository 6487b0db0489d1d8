"""nginx with the configuration that docs/running.md ships, in front of a server of a test."""

import os
import re
import shutil
import socket
import subprocess
from pathlib import Path

import pytest

from tests.ports import ReservedPort
from tests.waiting import eventually

SHIPPED = Path(__file__).parents[2] / "docs" / "proxy" / "nginx.conf"
PROGRAM = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/local/bin:/usr/bin")


class Proxy:
    """`connections`: how many it may have in all, in place of the shipped number."""

    def __init__(self, folder: Path, upstream: int, connections: int | None = None) -> None:
        if PROGRAM is None:
            pytest.skip("nginx is not installed: apt-get install nginx-light")
        folder.mkdir()
        folder.chmod(0o755)
        self._port = ReservedPort()
        self.port = self._port.number
        shutil.copy(SHIPPED.with_name("no-service.html"), folder)
        file = folder / "nginx.conf"
        file.write_text(self._configuration(folder, upstream, connections))
        more = f"daemon off; pid {folder}/pid; error_log {folder}/errors;"
        if os.getuid() == 0:  # The files of a test are its own user's.
            more += " user root;"
        self._process = subprocess.Popen([PROGRAM, "-p", str(folder), "-c", str(file), "-g", more])
        eventually(self._answers)

    def __enter__(self) -> "Proxy":
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(30)
        self._port.release()

    def _configuration(self, folder: Path, upstream: int, connections: int | None) -> str:
        text = SHIPPED.read_text()
        head, _, redirects = text.rpartition("    server {\n        listen 80;")
        assert redirects
        text = head + "}\n"
        text = re.sub(r" +listen \[::\].*\n| +ssl_.*\n", "", text)
        places = "".join(f"    {kind}_temp_path {folder}/{kind};\n" for kind in ("client_body", "proxy"))
        for shipped, changed in (
            ("listen 443 ssl", f"listen 127.0.0.1:{self.port} backlog=4096"),
            ("server 127.0.0.1:8000", f"server 127.0.0.1:{upstream}"),
            ("http {\n", "http {\n" + places),
            ("root /etc/ficha", f"root {folder}"),
            ("worker_connections 16384", f"worker_connections {connections or 16384}"),
        ):
            assert text.count(shipped) == 1, shipped
            text = text.replace(shipped, changed)
        return text

    def _answers(self) -> bool:
        assert self._process.poll() is None, "nginx ended"
        with socket.socket() as one:
            return one.connect_ex(("127.0.0.1", self.port)) == 0
