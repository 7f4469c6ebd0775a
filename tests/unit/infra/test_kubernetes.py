"""The Kubernetes base: every pod is watched, limited and without rights, and every reference leads somewhere."""

import copy
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from kubernetes_validate.utils import ValidationError, validate

from services.cli.operations.keys import WRAPPING_KEYS
from services.cli.services import NAMES, load_all
from services.cli.spark.spark import app as spark
from shared.runtime.extras import EXTRAS

Document = dict[str, Any]


@pytest.fixture(scope="module")
def base(repository: Path) -> Path:
    """The directory of the base."""
    return repository / "infra/kubernetes"


@pytest.fixture(scope="module")
def documents(base: Path) -> list[Document]:
    """Every document of the base as it is written: what all services have is there once."""
    return [
        document
        for path in (*base.glob("*.yaml"), base / "service" / "service.yaml")
        if path.name != "kustomization.yaml"
        for document in yaml.safe_load_all(path.read_text())
    ]


@pytest.fixture(scope="module")
def built(repository: Path) -> list[Document]:
    """What Kustomize makes of the base, where kubectl is installed."""
    try:
        done = subprocess.run(
            ["kubectl", "kustomize", "infra/kubernetes"], cwd=repository, capture_output=True, text=True
        )
    except FileNotFoundError:
        pytest.skip("'kubectl' is not installed")
    assert done.returncode == 0, done.stderr
    return list(yaml.safe_load_all(done.stdout))


def _of_kind(documents: list[Document], kind: str) -> dict[str, Document]:
    return {document["metadata"]["name"]: document for document in documents if document["kind"] == kind}


def _pods(documents: list[Document]) -> Iterator[tuple[str, Document]]:
    for document in documents:
        if document["kind"] in {"Deployment", "Job"}:
            yield document["metadata"]["name"], document["spec"]["template"]


def test_kustomization_names_every_file(base: Path) -> None:
    """No file is left lying beside the base, and each service has its folder."""
    files = {path.name for path in base.glob("*.yaml")} - {"kustomization.yaml"}
    folders = {f"services/{path.name}" for path in (base / "services").iterdir()}

    assert files | folders == set(yaml.safe_load((base / "kustomization.yaml").read_text())["resources"])
    assert folders == {f"services/{name}" for name in NAMES}


@pytest.mark.parametrize("version", ["1.29", "1.32", "1.37"])
def test_the_api_of_kubernetes_takes_every_document(built: list[Document], version: str) -> None:
    """Strictly: a field that is misspelled or in the wrong place is refused, as the server would leave it out."""
    for document in built:
        validate(document, version, strict=True)
    misplaced = copy.deepcopy(_of_kind(built, "Deployment")["pitledger-console"])
    misplaced["spec"]["template"]["spec"]["containers"][0]["limits"] = {"memory": "1Gi"}
    with pytest.raises(ValidationError, match="'limits' was unexpected"):
        validate(misplaced, version, strict=True)


def _contradictions(documents: list[Document]) -> list[str]:
    """Say what workloads ask for that their claims, limits and budgets do not allow."""
    claims, found = _of_kind(documents, "PersistentVolumeClaim"), []
    for name, workload in _of_kind(documents, "Deployment").items():
        spec, pod = workload["spec"], workload["spec"]["template"]["spec"]
        claimed = [
            one["persistentVolumeClaim"]["claimName"] for one in pod["volumes"] if "persistentVolumeClaim" in one
        ]
        for claim in claimed:
            if "ReadWriteMany" in claims[claim]["spec"]["accessModes"]:
                continue
            if spec.get("replicas", 1) > 1:
                found.append(f"{name}: {spec['replicas']} replicas, and {claim} is of one node")
            if spec.get("strategy", {}).get("type") != "Recreate":
                found.append(f"{name}: the new pod comes before the old one has let go of {claim}")
        for container in pod["containers"]:
            asked, limits = container["resources"]["requests"], container["resources"]["limits"]
            if _bytes(asked["memory"]) > _bytes(limits["memory"]):
                found.append(f"{name}: asks for more memory than it may have")
            if [one["name"] for one in pod["volumes"] if "emptyDir" in one and "sizeLimit" not in one["emptyDir"]]:
                found.append(f"{name}: a directory that may fill the node")
    shared = [
        claim for claim in claims if sum(claim in str(one) for one in _of_kind(documents, "Deployment").values()) > 1
    ]
    return [*found, *(f"{claim}: of one node, and of several workloads" for claim in shared)]


def _bytes(quantity: str) -> int:
    units = {"Mi": 2**20, "Gi": 2**30}
    return int(quantity[:-2]) * units[quantity[-2:]]


def test_nothing_contradicts_its_claim_or_its_limits(built: list[Document]) -> None:
    """A claim of one node goes with one replica, which ends before it is replaced; to change one alone is noticed."""
    assert [] == _contradictions(built)
    for change, says in (
        ({"replicas": 2}, "2 replicas, and pitledger-checkpoints-reporting is of one node"),
        ({"strategy": {"type": "RollingUpdate"}}, "before the old one has let go"),
    ):
        changed = copy.deepcopy(built)
        _of_kind(changed, "Deployment")["pitledger-reporting"]["spec"] |= change
        [said] = _contradictions(changed)
        assert says in said
        claim = _of_kind(changed, "PersistentVolumeClaim")["pitledger-checkpoints-reporting"]
        claim["spec"]["accessModes"] = ["ReadWriteMany"]
        assert [] == _contradictions(changed)


def test_each_service_is_deployed_under_its_name_port_and_login(built: list[Document]) -> None:
    """Command, service, claim and login of each service are its own, and nothing else differs."""
    deployments, services = _of_kind(built, "Deployment"), _of_kind(built, "Service")
    claims = _of_kind(built, "PersistentVolumeClaim")

    assert {"pitledger-console"} | {f"pitledger-{name}" for name in NAMES} == set(deployments) == set(services)
    for manifest in load_all():
        name = f"pitledger-{manifest.name}"
        template = deployments[name]["spec"]["template"]
        (container,) = template["spec"]["containers"]
        assert ["run", manifest.name] == container["args"]
        assert container["image"].partition(":")[0] == (name if manifest.name in EXTRAS else "pitledger")
        assert [manifest.port] == [item["port"] for item in services[name]["spec"]["ports"]]
        assert f"{manifest.name}-url" == container["env"][0]["valueFrom"]["secretKeyRef"]["key"]
        [keys] = [volume["secret"]["items"] for volume in template["spec"]["volumes"] if "secret" in volume]
        patrons = [WRAPPING_KEYS[manifest.name]] if manifest.name in WRAPPING_KEYS else []
        assert [f"{manifest.name}.pem", "verifiers.txt", "revoked.yaml", *patrons] == [one["key"] for one in keys]
        label = {"app.kubernetes.io/name": manifest.name}
        assert label == services[name]["spec"]["selector"] == deployments[name]["spec"]["selector"]["matchLabels"]
        assert label.items() <= template["metadata"]["labels"].items()
        claimed = [volume.get("persistentVolumeClaim", {}).get("claimName") for volume in template["spec"]["volumes"]]
        assert [f"pitledger-checkpoints-{manifest.name}"] == [claim for claim in claimed if claim]
        assert f"pitledger-checkpoints-{manifest.name}" in claims


def test_probes_ask_life_and_readiness_apart(documents: list[Document]) -> None:
    """A service that waits for its database is unready, not restarted."""
    expected = {"startupProbe": "/healthz", "livenessProbe": "/healthz", "readinessProbe": "/readyz"}
    for deployment in _of_kind(documents, "Deployment").values():
        (container,) = deployment["spec"]["template"]["spec"]["containers"]
        assert expected == {key: probe["httpGet"]["path"] for key, probe in container.items() if key.endswith("Probe")}


def test_no_pod_has_rights_it_does_not_need(documents: list[Document]) -> None:
    """Every pod runs without root, capabilities, a writable root file system or a token of the cluster."""
    pods = list(_pods(documents))

    assert len(pods) == 4
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


@pytest.mark.parametrize("version", ["1.29", "1.37"])
def test_the_job_of_spark_reads_the_archive_and_has_no_rights(base: Path, version: str) -> None:
    """The archive is mounted read-only where its setting says, and the command line takes the arguments."""
    [job] = yaml.safe_load_all((base / "spark/job.yaml").read_text())
    validate(job, version, strict=True)
    pod = job["spec"]["template"]["spec"]
    (container,) = pod["containers"]
    mounts = {one["name"]: one for one in container["volumeMounts"]}
    [claim] = [one["persistentVolumeClaim"] for one in pod["volumes"] if "persistentVolumeClaim" in one]
    settings = {one["name"]: one["value"] for one in container["env"]}
    named = yaml.safe_load((base / "spark/kustomization.yaml").read_text())

    assert (True, 10001) == (pod["securityContext"]["runAsNonRoot"], pod["securityContext"]["runAsUser"])
    assert pod["automountServiceAccountToken"] is False
    assert {
        "allowPrivilegeEscalation": False,
        "readOnlyRootFilesystem": True,
        "capabilities": {"drop": ["ALL"]},
    } == container["securityContext"]
    assert (True, True) == (mounts["archive"]["readOnly"], claim["readOnly"])
    assert settings["PITLEDGER_ARCHIVE_STORE"] == mounts["archive"]["mountPath"]
    assert settings["SPARK_LOCAL_DIRS"] == mounts["scratch"]["mountPath"]
    assert (["job.yaml"], container["image"]) == (named["resources"], named["images"][0]["name"])
    assert (container["args"][0], f"pitledger-{container['args'][0]}") == ("spark", container["image"])
    commands = {one.callback.__name__ for one in spark.registered_commands if one.callback is not None}
    assert container["args"][1] in commands


def test_references_lead_somewhere(documents: list[Document]) -> None:
    """Config maps, claims and accounts exist in the base; secrets are the two that config.yaml describes."""
    config_maps, claims = _of_kind(documents, "ConfigMap"), _of_kind(documents, "PersistentVolumeClaim")
    accounts = _of_kind(documents, "ServiceAccount")
    secrets: set[str] = set()
    for _, template in _pods(documents):
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
    assert not _of_kind(documents, "Secret")
