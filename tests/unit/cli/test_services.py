"""The one list of services."""

import pytest

from services.cli.services import ServiceName, load, migrations
from shared.runtime.settings import HTTP_PORTS


def test_the_list_is_that_of_the_settings() -> None:
    """Each service has a port, and each port a service."""
    assert sorted(ServiceName) == sorted(HTTP_PORTS)


@pytest.mark.parametrize("name", list(ServiceName))
def test_each_service_can_be_loaded_and_has_migrations(name: ServiceName) -> None:
    """A name leads to the service of that name and to its migrations."""
    assert name == load(name).name
    assert sorted(migrations(name).glob("*.py"))
