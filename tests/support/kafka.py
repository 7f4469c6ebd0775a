"""Apache Kafka is required where `CI` is set, and elsewhere skipped where its packages cannot be had."""

from collections.abc import Mapping
from typing import NoReturn

import pytest

from shared.local import EmbeddedPackageMissingError


def give_up(error: EmbeddedPackageMissingError, environment: Mapping[str, str]) -> NoReturn:
    """Skip the test that needs Apache Kafka, with what is missing; where `CI` is set it is required, so fail."""
    given = environment.get("KAFKA_BOOTSTRAP_SERVERS")
    reason = f"needs an Apache Kafka that it may restart: {error}"
    if given:
        reason += f"; KAFKA_BOOTSTRAP_SERVERS={given} is not ours to restart"
    if environment.get("CI"):
        pytest.fail(f"{reason}; with CI set it is required, not skipped")
    pytest.skip(reason)
