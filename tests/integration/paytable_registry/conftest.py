"""The paytable registry on a real database."""

from collections.abc import Iterator
from datetime import UTC, datetime

import pytest

from tests.support import Databases
from tests.support.registry import Registry, a_registry
from tests.support.services import settled_database

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the registry's schema."""
    url = settled_database(databases, "paytable-registry")
    yield url
    databases.drop(url)


@pytest.fixture
def registry(url: str) -> Iterator[Registry]:
    """The registry, at noon."""
    with a_registry(url, NOON) as registry:
        yield registry
