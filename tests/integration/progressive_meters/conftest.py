"""The progressive meters on a real database."""

from collections.abc import Iterator

import pytest

from tests.support import Databases
from tests.support.services import settled_database
from tests.unit.progressive_meters.office import Office, an_office
from tests.unit.progressive_meters.settlements import rules


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database of the meters."""
    url = settled_database(databases, "progressive-meters")
    yield url
    databases.drop(url)


@pytest.fixture
def office(url: str) -> Iterator[Office]:
    """The service, which knows the rules submission."""
    with an_office(url) as office:
        office.learn(rules())
        yield office
