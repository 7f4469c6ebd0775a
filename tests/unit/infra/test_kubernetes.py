"""The Kubernetes base: every pod is watched, limited and without rights, and every reference leads somewhere."""

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.runtime.settings import HTTP_PORTS

Manifest = dict[str, Any]


@pytest.fixture(scope="module")
def manifests(repository: Path) -> list[Manifest]:
    """Every document of every file that the kustomization names."""
    base = repository / "infra/kubernetes"
    resources = yaml.safe_load((base / "kustomization.yaml").read_text())["resources"]
    return [document for name in resources for document in yaml.safe_load_all((base / name).read_text())]


def _of_kind(manifests: list[Manifest], kind: str) -> dict[str, Manifest]:
    return {manifest["metadata"]["name"]: manifest for manifest in manifests if manifest["kind"] == kind}


def _pods(manifests: list[Manifest]) -> Iterator[tuple[str, Manifest]]:
    for manifest in manifests:
        if manifest["kind"] in {"Deployment", "Job"}:
            yield manifest["metadata"]["name"], manifest["spec"]["template"]


def test_kustomization_names_every_file(repository: Path) -> None:
    """No manifest is left lying beside the base."""
    base = repository / "infra/kubernetes"
    files = {path.name for path in base.iterdir()} - {"kustomization.yaml"}

    assert files == set(yaml.safe_load((base / "kustomization.yaml").read_text())["resources"])


def test_kubectl_builds_the_base(repository: Path, manifests: list[Manifest]) -> None:
    """Kustomize itself puts the base together, where kubectl is installed."""
    try:
        done = subprocess.run(
            ["kubectl", "kustomize", "infra/kubernetes"], cwd=repository, capture_output=True, text=True
        )
    except FileNotFoundError:
        pytest.skip("'kubectl' is not installed")

    assert done.returncode == 0, done.stderr
    assert len(manifests) == len(list(yaml.safe_load_all(done.stdout)))


def test_one_deployment_and_one_service_for_each_service(manifests: list[Manifest]) -> None:
    """Deployment, Service, command, container port and setting agree on name and port."""
    deployments, services = _of_kind(manifests, "Deployment"), _of_kind(manifests, "Service")

    assert set(HTTP_PORTS) == set(deployments) == set(services)
    for name, port in HTTP_PORTS.items():
        template = deployments[name]["spec"]["template"]
        (container,) = template["spec"]["containers"]
        assert ["run", name] == container["args"]
        assert [port] == [item["containerPort"] for item in container["ports"]]
        assert [port] == [item["port"] for item in services[name]["spec"]["ports"]]
        assert {"name": "PITLEDGER_HTTP_PORT", "value": str(port)} in container["env"]
        assert services[name]["spec"]["selector"].items() <= template["metadata"]["labels"].items()
        assert deployments[name]["spec"]["selector"]["matchLabels"].items() <= template["metadata"]["labels"].items()


def test_probes_ask_life_and_readiness_apart(manifests: list[Manifest]) -> None:
    """A service that waits for its database is unready, not restarted."""
    expected = {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    for deployment in _of_kind(manifests, "Deployment").values():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        assert expected == {key: probe["httpGet"]["path"] for key, probe in container.items() if key.endswith("Probe")}


def test_no_pod_has_rights_it_does_not_need(manifests: list[Manifest]) -> None:
    """Every pod runs without root, capabilities, a writable root file system or a token of the cluster."""
    pods = list(_pods(manifests))

    assert len(pods) == len(HTTP_PORTS) + 2
    for name, template in pods:
        pod = template["spec"]
        assert pod["securityContext"]["runAsNonRoot"] is True, name
        assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}, name
        assert pod["automountServiceAccountToken"] is False, name
        for container in pod["containers"]:
            assert container["securityContext"] == {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            }, name
            assert {"cpu", "memory"} == set(container["resources"]["requests"]), name
            assert "memory" in container["resources"]["limits"], name


def test_references_lead_somewhere(manifests: list[Manifest]) -> None:
    """Config maps, claims and accounts exist in the base; secrets are the two that config.yaml describes."""
    config_maps, claims = _of_kind(manifests, "ConfigMap"), _of_kind(manifests, "PersistentVolumeClaim")
    accounts = _of_kind(manifests, "ServiceAccount")
    secrets: set[str] = set()
    for _, template in _pods(manifests):
        pod = template["spec"]
        assert pod["serviceAccountName"] in accounts
        mounts = {mount["name"] for container in pod["containers"] for mount in container.get("volumeMounts", ())}
        assert mounts == {volume["name"] for volume in pod.get("volumes", ())}
        for volume in pod.get("volumes", ()):
            if "persistentVolumeClaim" in volume:
                assert volume["persistentVolumeClaim"]["claimName"] in claims
            if "secret" in volume:
                secrets.add(volume["secret"]["secretName"])
        for container in pod["containers"]:
            for source in container.get("envFrom", ()):
                assert source["configMapRef"]["name"] in config_maps
            for variable in container["env"]:
                origin = variable.get("valueFrom", {})
                if "secretKeyRef" in origin:
                    secrets.add(origin["secretKeyRef"]["name"])
                if "configMapKeyRef" in origin:
                    reference = origin["configMapKeyRef"]
                    assert reference["key"] in config_maps[reference["name"]]["data"]

    assert {"pitledger-database", "pitledger-keys"} == secrets
    assert not _of_kind(manifests, "Secret")
