"""The wagering accounts on a real database."""

from collections.abc import Iterator

import pytest

from tests.support import Databases
from tests.support.accounts import House, a_house
from tests.support.services import settled_database


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of the service."""
    url = settled_database(databases, "wagering-accounts")
    yield url
    databases.drop(url)


@pytest.fixture
def house(url: str) -> Iterator[House]:
    """The service, whose books are in order at the end of every test."""
    with a_house(url) as house:
        yield house
        house.check()
