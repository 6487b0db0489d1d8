"""The programs that the proof needs of the machine, and what it says where they are missing."""

import os
import shutil
from pathlib import Path

PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
# As Debian calls the package that brings each.
PACKAGES = {
    "patroni": "patroni",
    "etcd": "etcd-server",
    "haproxy": "haproxy",
    "iptables": "iptables",
    "ip": "iproute2",
    "runuser": "util-linux",
}


def program(name: str) -> str:
    found = shutil.which(name, path=PATH)
    if found is None:
        raise FileNotFoundError(name)
    return found


def bin_dir() -> Path:
    """Of the newest PostgreSQL that the system brings."""
    folders = sorted(Path("/usr/lib/postgresql").glob("*/bin"), key=lambda folder: int(folder.parent.name))
    if not folders:
        raise FileNotFoundError("postgres")
    return folders[-1]


def why_not() -> str | None:
    """A sentence for who cannot run it here, or None."""
    if os.getuid() != 0:
        return "The proof makes networks and runs PostgreSQL as its own user, for which it must be root."
    missing = [package for name, package in PACKAGES.items() if shutil.which(name, path=PATH) is None]
    if not list(Path("/usr/lib/postgresql").glob("*/bin/postgres")):
        missing.append("postgresql-15")
    if missing:
        return f"The proof needs programs that are not installed here: apt-get install {' '.join(missing)}"
    return None
