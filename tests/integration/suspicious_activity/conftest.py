"""Suspicious activity reports on a real database."""

from collections.abc import Iterator

import pytest

from tests.support import Databases
from tests.support.services import settled_database


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of the service."""
    url = settled_database(databases, "suspicious-activity")
    yield url
    databases.drop(url)
