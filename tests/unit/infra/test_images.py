"""The images of other projects: named by a variable each, and pinned by digest."""

import re
from pathlib import Path

from shared.runtime.extras import EXTRAS

_PINNED = re.compile(r"[a-z./-]+:[A-Za-z0-9.-]*[0-9][A-Za-z0-9.-]*@sha256:[0-9a-f]{64}")


def test_compose_and_dockerfile_pin_every_image(repository: Path) -> None:
    """Each variable stands for one tag of one version with its digest, wherever it is used; nothing else is used."""
    compose = (repository / "docker-compose.yml").read_text()
    dockerfile = (repository / "Dockerfile").read_text()
    used = {
        *re.findall(r"\$\{([A-Z]+_IMAGE):-([^}]+)\}", compose),
        *re.findall(r"^ARG ([A-Z]+_IMAGE)=(.+)$", dockerfile, flags=re.M),
    }
    names = {"PYTHON_IMAGE", "KAFKA_IMAGE", "POSTGRES_IMAGE", "PROMETHEUS_IMAGE", "ALERTMANAGER_IMAGE", "GRAFANA_IMAGE"}
    assert (names, len(names)) == ({name for name, _ in used}, len(used))
    assert [] == [image for _, image in used if not _PINNED.fullmatch(image)]
    others = [line for line in re.findall(r"^ +image: (.+)$", compose, flags=re.M) if "_IMAGE:-" not in line]
    ours = {"pitledger", *(f"pitledger-{name}" for name in EXTRAS)}
    assert {f"{name}:${{PITLEDGER_VERSION:-0.1.0}}" for name in ours} == set(others)
    assert {"${PYTHON_IMAGE}"} == set(re.findall(r"^FROM (\S+)", dockerfile, flags=re.M))
