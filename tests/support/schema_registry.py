"""A schema registry on this machine: Apicurio's, with its Confluent interface and nothing kept."""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from shared.local.ports import LOOPBACK, free_port
from tests.support.answers import get
from tests.support.maven import SCHEMA_REGISTRY, fetched, java
from tests.support.polling import eventually


@contextmanager
def schema_registry(directory: Path) -> Iterator[str]:
    """The URL of a registry that has no subject; it ends with the block."""
    subprocess.run(["tar", "-xf", fetched(SCHEMA_REGISTRY), "-C", directory], check=True)
    port, management = free_port(), free_port()
    url = f"http://{LOOPBACK}:{port}/apis/ccompat/v7"
    said = directory / "said"
    with said.open("w") as output:
        process = subprocess.Popen(
            [java(), "-Xmx512m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-jar", "quarkus-run.jar"],
            cwd=directory,
            env={
                **os.environ,
                "QUARKUS_HTTP_HOST": LOOPBACK,
                "QUARKUS_HTTP_PORT": str(port),
                "QUARKUS_MANAGEMENT_HOST": LOOPBACK,
                "QUARKUS_MANAGEMENT_PORT": str(management),
            },
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:
        eventually(
            lambda: process.poll() is not None or get(f"{url}/subjects").is_success,
            because="the registry answers",
            seconds=120,
            retry_on=httpx.HTTPError,
        )
        assert process.poll() is None, said.read_text()[-4000:]
        yield url
    finally:
        process.kill()
        process.wait(30)
