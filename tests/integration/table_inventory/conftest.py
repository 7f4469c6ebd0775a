"""The table-inventory ledger on a real database."""

from collections.abc import Iterator

import pytest

from tests.support import Databases
from tests.support.pit import InventoryDesk, inventory_desk
from tests.support.services import settled_database


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schema of the service."""
    url = settled_database(databases, "table-inventory")
    yield url
    databases.drop(url)


@pytest.fixture
def desk(url: str) -> Iterator[InventoryDesk]:
    """A ledger with an empty journal."""
    with inventory_desk(url) as found:
        yield found
