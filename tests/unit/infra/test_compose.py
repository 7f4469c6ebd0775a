"""The Compose file and the image: checked by the tools that can read them, and for what no tool knows."""

import os
import re
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.cli.operations.keys import WRAPPING_KEYS
from services.cli.services import NAMES, load_all
from shared.runtime.extras import EXTRAS


@pytest.fixture(scope="module")
def compose(repository: Path) -> dict[str, Any]:
    """The Compose file, with its merge keys resolved."""
    parsed: dict[str, Any] = yaml.safe_load((repository / "docker-compose.yml").read_text())
    return parsed


@pytest.fixture
def filled_in(repository: Path, tmp_path: Path) -> Path:
    """An environment file made from .env.example, with every empty value filled in."""
    path = tmp_path / "filled.env"
    path.write_text(re.sub(r"^([A-Z_]+)=$", r"\1=filled-in", (repository / ".env.example").read_text(), flags=re.M))
    return path


Config = Callable[[Path], subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def config(repository: Path, tool: Callable[[str, str], str]) -> Config:
    """Have Compose read the file with an environment file: Docker's plugin, or else the command of its own."""
    docker = shutil.which("docker")
    plugin = docker is not None and subprocess.run([docker, "compose", "version"], capture_output=True).returncode == 0
    command = [str(docker), "compose"] if plugin else [tool("docker-compose", "docker-compose")]

    def read(environment_file: Path) -> subprocess.CompletedProcess[str]:
        arguments = [*command, "--env-file", str(environment_file), "-f", "docker-compose.yml", "config", "--quiet"]
        return subprocess.run(arguments, cwd=repository, capture_output=True, text=True, env={"PATH": os.defpath})

    return read


def test_compose_accepts_the_file(config: Config, filled_in: Path) -> None:
    """With .env filled in, Compose itself finds nothing wrong."""
    done = config(filled_in)

    assert done.returncode == 0, done.stderr


def test_no_password_has_a_default(config: Config, filled_in: Path, repository: Path) -> None:
    """Compose refuses to start while a password is missing, and says where to set it."""
    filled = filled_in.read_text()
    missing = re.findall(r"^([A-Z_]+_PASSWORD)=", filled, flags=re.M)
    assert len(NAMES) + 2 == len(missing)
    for name, if_missing in re.findall(
        r"(?<!\$)\$\{([A-Z_]+_PASSWORD)([^}]*)", (repository / "docker-compose.yml").read_text()
    ):
        assert if_missing == ":?set it in .env", name
    filled_in.write_text(filled.replace(f"\n{missing[-1]}=filled-in\n", f"\n{missing[-1]}=\n"))
    done = config(filled_in)
    assert done.returncode != 0
    assert "set it in .env" in done.stderr


def test_example_environment_names_exactly_what_the_file_reads(repository: Path) -> None:
    """Nobody has to search the Compose file for a variable; versions of images have defaults of their own."""
    text = (repository / "docker-compose.yml").read_text()
    read = {
        name
        for name in re.findall(r"(?<!\$)\$\{([A-Z_]+)", text)
        if name != "PITLEDGER_VERSION" and not name.endswith("_IMAGE")
    }
    example = re.findall(r"^([A-Z_]+)=", (repository / ".env.example").read_text(), flags=re.M)

    assert read == set(example)


def test_every_service_waits_for_what_it_needs(compose: dict[str, Any]) -> None:
    """Roles come after migrations; services come after roles and topics, and after broker and database are healthy."""
    healthy, completed = {"condition": "service_healthy"}, {"condition": "service_completed_successfully"}
    expected = {
        "migrate": {"postgres": healthy},
        "roles": {"migrate": completed},
        "topics": {"kafka": healthy},
        **{name: {"kafka": healthy, "postgres": healthy, "roles": completed, "topics": completed} for name in NAMES},
    }

    assert expected == {name: compose["services"][name]["depends_on"] for name in expected}


def test_no_container_takes_the_machine_from_the_others(compose: dict[str, Any]) -> None:
    """Each has its share of the memory, and a log that is rotated."""
    for name, service in compose["services"].items():
        assert re.fullmatch(r"[0-9]+[mg]", service["mem_limit"]), name
        assert {"max-size", "max-file"} == set(service["logging"]["options"]), name


def user_of(url: str) -> str:
    """Who logs in by this URL, whose password Compose may still have to fill in."""
    found = re.search(r"//(\w+):", url)
    assert found, url
    return found[1]


def test_services_log_in_as_their_own_role(compose: dict[str, Any]) -> None:
    """Only the migration has the owner's login."""
    logins = {
        name: user_of(service["environment"]["DATABASE_URL"])
        for name, service in compose["services"].items()
        if "DATABASE_URL" in service.get("environment", {})
    }

    assert {"migrate": "pitledger", **{name: name.replace("-", "_") for name in NAMES}} == logins


def test_each_service_has_its_own_key_and_no_other(compose: dict[str, Any]) -> None:
    """And the public halves of all."""
    for name in NAMES:
        secrets = compose["services"][name]["secrets"]
        file = WRAPPING_KEYS.get(name)
        patrons = [] if file is None else [{"source": file.removesuffix(".txt"), "target": "patron_keys"}]
        assert ["verifiers", {"source": f"{name}-key", "target": "signing_key"}, *patrons] == secrets
        assert compose["secrets"][f"{name}-key"]["file"].endswith(f"/{name}.pem")


def test_each_service_has_the_image_with_what_it_needs(compose: dict[str, Any]) -> None:
    """Its own extra and no other; what runs before the services needs none."""
    for name, service in compose["services"].items():
        if "build" not in service:
            continue
        args, [image, _] = service["build"]["args"], service["image"].split(":", 1)
        assert args.get("EXTRA") == (name if name in EXTRAS else None), name
        assert image == (f"pitledger-{name}" if name in EXTRAS else "pitledger"), name


def test_each_service_listens_on_its_own_port(compose: dict[str, Any]) -> None:
    """The port of the manifest, inside and outside of the container."""
    for manifest in load_all():
        service = compose["services"][manifest.name]
        assert str(manifest.port) == service["environment"]["PITLEDGER_HTTP_PORT"]
        assert [f"127.0.0.1:{manifest.port}:{manifest.port}"] == service["ports"]


def test_ports_are_published_on_loopback_only(compose: dict[str, Any]) -> None:
    """Nothing of the stack can be reached from another machine."""
    published = [port for service in compose["services"].values() for port in service.get("ports", ())]

    assert len(published) >= len(NAMES)
    assert not [port for port in published if not port.startswith("127.0.0.1:")]


def test_broker_makes_no_topics_by_itself_and_keeps_its_data(compose: dict[str, Any]) -> None:
    """Topics come from `pitledger topics apply`; their data is on a named volume."""
    kafka = compose["services"]["kafka"]

    assert kafka["environment"]["KAFKA_AUTO_CREATE_TOPICS_ENABLE"] == "false"
    assert f"kafka:{kafka['environment']['KAFKA_LOG_DIRS']}" in kafka["volumes"]


def test_checkpoints_have_a_volume_of_their_own(compose: dict[str, Any]) -> None:
    """What proves the database is not kept with the database."""
    mounting = {
        name
        for name, service in compose["services"].items()
        if any(str(volume).startswith("checkpoints:") for volume in service.get("volumes", ()))
    }

    assert mounting == set(NAMES)
    assert "checkpoints" in compose["volumes"]


def test_every_mounted_file_exists(repository: Path, compose: dict[str, Any]) -> None:
    """Docker would make an empty directory of a path that is not there."""
    mounted = [
        volume.partition(":")[0]
        for service in compose["services"].values()
        for volume in service.get("volumes", ())
        if isinstance(volume, str) and volume.startswith("./")
    ]

    assert mounted
    assert not [path for path in mounted if not (repository / path).exists()]


def test_image_holds_neither_root_nor_the_embedded_stack(repository: Path) -> None:
    """The image installs pinned versions and the one extra that is asked for, and runs as a user without rights."""
    text = (repository / "Dockerfile").read_text()
    last_stage = text.rpartition("\nFROM ")[2]
    copied = [name for line in re.findall(r"^COPY (?!--)(.+)$", text, flags=re.M) for name in line.split()[:-1]]

    assert 'pip install -c constraints.txt "$(echo dist/*.whl)${EXTRA:+[$EXTRA]}"' in text
    assert re.search(r"^ARG EXTRA=$", text, flags=re.M), "none unless it is asked for"
    assert "USER 10001:10001" in last_stage
    assert "HEALTHCHECK" in last_stage
    assert 'ENTRYPOINT ["pitledger"]' in last_stage
    assert not [name for name in copied if not (repository / name).exists()]


def test_build_context_admits_what_the_image_copies(repository: Path) -> None:
    """.dockerignore shuts out everything but the paths that the Dockerfile copies."""
    copied = re.findall(r"^COPY (?!--)(.+)$", (repository / "Dockerfile").read_text(), flags=re.M)
    ignore = (repository / ".dockerignore").read_text().splitlines()
    admitted = {line.removeprefix("!").rstrip("/") for line in ignore if line.startswith("!")}

    assert "*" in ignore
    assert admitted == {name for line in copied for name in line.split()[:-1]}
