"""Every command that a document tells somebody to type is typed by a test, or held against what would read it, or
stands in NOT_TYPED with the reason. A new one that is in none of these is noticed."""

import importlib.util
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer

import bench.__main__
import proof.__main__
from bench.entries import ENTRIES
from ficha import __version__
from ficha.core.key_sources import keys_in_text
from ficha.core.settings import Settings, refuse_laptop_values
from tests.cli.test_manual import COMMANDS
from tests.project.documents import HERE, SERVING, commands, environments

TYPED = commands()
WHEEL = f"ficha-{__version__}-py3-none-any.whl"
NOT_TYPED = {
    # Tests or people did, elsewhere: docs/deploy.md has a table of what was tried.
    "tests/project/test_wheel.py installs the wheel and the lock": {
        *(f"pip install {WHEEL}", f"pip install '{WHEEL}[pictures]'", "pip install", "pip install --require-hashes"),
        *("python3 -m venv /opt/ficha", "/opt/ficha/bin/pip install --require-hashes -r requirements/run.lock"),
        f"/opt/ficha/bin/pip install --no-deps {WHEEL}",
    },
    "by hand, as docs/deploy.md says": {
        *(
            "kubectl kustomize",
            "pipx run",
            f"pipx run --spec ./{WHEEL} ficha serve --demo",
            f"uvx --from ./{WHEEL} ficha serve --demo",
            "pip install 'ficha[traces]'",
            "mmdebstrap --variant=minbase",
        ),
        f"buildah build --format docker -f deploy/Containerfile -t ficha:{__version__} .",
        f"podman run --rm ficha:{__version__} settings",
        f"podman run --read-only --tmpfs /tmp -v ficha-1:/data -p 8000:8000 ficha:{__version__} serve --demo",
    },
    "no systemd here; tests/deploy/test_files.py lets systemd-analyze judge the units": {
        "useradd --system --home-dir /var/lib/ficha ficha",
        "install -d -m 0750 -g ficha /etc/ficha",
        "install -m 0640 -g ficha deploy/ficha.env.example /etc/ficha/ficha.env",
        "install -d -m 0700 -o ficha /var/backups/ficha",
        "install -m 0644 deploy/systemd/* /etc/systemd/system/",
        *(
            "systemctl daemon-reload",
            "systemctl restart ficha-migrate",
            "systemctl start ficha-backup",
            "systemctl status",
            "systemd-analyze verify",
        ),
        "systemctl enable --now ficha-serve ficha-worker@1 ficha-backup.timer",
        "systemctl enable --now ficha-worker@1 ficha-worker@2",
        "systemd-run --pty --uid=ficha -p EnvironmentFile=/etc/ficha/ficha.env -p StateDirectory=ficha -p UMask=0077 "
        "-E FICHA_DATA_DIR=/var/lib/ficha /opt/ficha/bin/ficha keys create",
    },
    "no compose here; its file is held against the specification": {
        *("cd deploy", "cp ficha.env.example ficha.env", "chmod 600 ficha.env", "cat fullchain.pem key.pem"),
        *("docker compose up -d", "docker compose build"),
        *("docker compose run --rm migrate", "docker compose up -d --no-deps server1"),
        # tests/deploy/test_proxy.py says the same to the proxy itself.
        "docker compose exec proxy bash -c 'exec 3<>/dev/tcp/127.0.0.1/9999; "
        'echo "set server ficha/server1 state drain" >&3; cat <&3\'',
    },
    "no cluster here; kubernetes-validate judges the manifests": {
        *("kubectl apply -k", "kubectl apply -k deploy/kubernetes"),
        "kubectl apply -f deploy/kubernetes/namespace.yaml -n ficha",
        "kubectl -n ficha create secret generic ficha --from-env-file=ficha.env",
        "kubectl -n ficha delete job ficha-migrate --ignore-not-found",
        "kubectl -n ficha wait --for=condition=complete --timeout=1h job/ficha-migrate",
        "kubectl -n ficha wait --for=condition=complete job/ficha-migrate",
    },
    "tests/core/test_postgresql_roles.py runs the file": {
        *("createuser ficha_owner", "createdb --owner ficha_owner ficha", "psql -d ficha -f docs/postgresql/roles.sql"),
    },
    "tests/openapi has both generators": {
        *("npx openapi-typescript openapi.json -o ficha.d.ts", "pip install openapi-python-client"),
        "openapi-python-client generate --path openapi.json --meta none --output-path ficha_client",
    },
    "tests/deploy/test_prometheus.py": {
        "promtool test rules deploy/prometheus/ficha.rules.test.yml",
        "promtool test rules ficha.rules.test.yml",
    },
    "needs several machines, or changes this one": {
        *("scp -p", "scp -p /var/lib/ficha/keys.json b:/var/lib/ficha/keys.json", "mkdir -p /etc/ficha"),
        "apt-get install patroni etcd-server postgresql-15",
    },
    "proof/recovery.py does it, with folders of its own": {"pg_basebackup -D /backups/2026-11-18 -c fast -Xs"},
}


def test_what_no_test_types_stands_in_the_list() -> None:
    read_elsewhere = ("ficha", "make", "python", "printf", "echo", "openssl")
    others = {one for one in TYPED if one.split()[0] not in read_elsewhere}
    assert others ^ {one for found in NOT_TYPED.values() for one in found} == set()
    assert [
        name
        for name in re.findall(r"\b(?:tests|proof|docs)/[\w/]+\.\w+", " ".join(NOT_TYPED))
        if not (HERE / name).exists()
    ] == []


@pytest.mark.parametrize("command", [one for one in TYPED if one.split()[1:2] and one.split()[1] in SERVING])
def test_what_serves_is_understood(command: str) -> None:
    _, name, *words = shlex.split(command)
    COMMANDS[name].make_context(name, words)


@pytest.mark.parametrize("command", [one for one in TYPED if one.startswith(("make ", "python "))])
def test_what_builds_measures_and_proves_is_understood(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    program, *words = shlex.split(command)
    if program == "make":
        target, arguments = words[0], "".join(words[1:]).removeprefix("ARGS=").split()
        assert re.search(f"^{target}:", (HERE / "Makefile").read_text(), re.MULTILINE)
    else:
        target, arguments = words[1], words[2:]
        assert importlib.util.find_spec(target) is not None
    if target == "bench":
        _understood_by_bench(arguments)
    if target == "proof":
        with pytest.raises(SystemExit), pytest.MonkeyPatch.context() as patch:
            patch.setattr(sys, "argv", ["proof", "--help"])
            proof.__main__.main()
        told = capsys.readouterr().out
        assert [word for word in arguments if word.startswith("--") and f"{word} " not in told] == []


def _understood_by_bench(arguments: list[str]) -> None:
    made: Any = bench.__main__.COMMANDS.get(arguments[0]) if arguments else None
    one = typer.Typer()
    one.command()(made or bench.__main__.main)
    given = typer.main.get_command(one).make_context(
        "bench", [w.replace("N", "7") if w == "N" else w for w in arguments[bool(made) :]]
    )
    names = given.params.get("names") or []
    assert set(names) <= {*ENTRIES, *bench.__main__.ALONE, "webhooks"}


@pytest.mark.parametrize("command", [one for one in TYPED if one.startswith(("printf ", "echo ", "openssl "))])
def test_a_shell_prints_what_is_wanted(command: str) -> None:
    said = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=True).stdout.strip()
    if ":" in command:
        assert len(keys_in_text(said, "the page")) == 1
    else:
        assert re.fullmatch("[0-9a-f]{48}", said)


@pytest.mark.parametrize("assigned", environments(), ids=" ".join)
def test_settings_are_taken_as_they_are_written(
    assigned: dict[str, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("FICHA_")]:
        monkeypatch.delenv(name)
    for name, value in assigned.items():
        monkeypatch.setenv(name, value.replace("…", "7" * 32))
    assert {name.removeprefix("FICHA_").lower() for name in assigned} <= Settings().model_fields_set
    refuse_laptop_values(Settings())
