"""Reporting on a real database."""

from collections.abc import Iterator

import pytest

from tests.support import Databases
from tests.support.pit_day import Pit
from tests.support.reporting import Books, books_of
from tests.support.services import settled_database


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of the service."""
    url = settled_database(databases, "reporting")
    yield url
    databases.drop(url)


@pytest.fixture
def books(url: str) -> Iterator[Books]:
    """The service, which has read nothing yet."""
    with books_of(url) as books:
        yield books


@pytest.fixture
def pit(books: Books) -> Pit:
    """The service, which has read of a small pit's property alone."""
    return Pit(books)
