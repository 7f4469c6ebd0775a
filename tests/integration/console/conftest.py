"""A console over HTTP with a real provider."""

from collections.abc import Iterator

import pytest

from tests.support.console import Stage, console_stage


@pytest.fixture
def stage() -> Iterator[Stage]:
    """A console with nobody logged in."""
    with console_stage() as stage:
        yield stage
