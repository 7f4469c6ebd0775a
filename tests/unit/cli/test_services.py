"""The services that are found by their manifests."""

from fnmatch import filter as matching

import pytest

from services.cli.people import PEOPLE, roles_of
from services.cli.services import NAMES, load, load_all, migrations
from shared.contracts.topics import TOPICS
from shared.runtime.database import role_of
from shared.runtime.web.roles import ROLES


@pytest.mark.parametrize("name", NAMES)
def test_each_service_is_what_its_folder_says(name: str) -> None:
    """Name, schema and migrations go by the folder of the service."""
    manifest = load(name)
    assert (name, role_of(name)) == (manifest.name, manifest.schema)
    assert sorted(migrations(name).rglob("*.sql"))


def test_no_two_services_share_a_port_a_schema_or_a_topic() -> None:
    """What a service has, it has for itself; the topics that services publish are theirs by declaration too."""
    manifests = load_all()
    assert len(manifests) == len({manifest.port for manifest in manifests})
    assert len(manifests) == len({manifest.schema for manifest in manifests})
    published = {manifest.publishes: manifest.name for manifest in manifests if manifest.publishes is not None}
    assert published == {topic: topic.publisher for topic in published}
    assert [] == [topic.name for topic in TOPICS if topic.publisher in NAMES and topic not in published]


def test_the_people_of_a_stack_have_every_role_and_no_other() -> None:
    """Each pattern of a role names one that is declared, and each declared role is somebody's."""
    load_all()
    held = {name for person in PEOPLE for name in roles_of(person, ROLES) if not name.startswith("tests.")}
    declared = {name: role for name, role in ROLES.items() if not name.startswith("tests.")}  # services of other tests
    assert declared.keys() == held
    assert [] == [pattern for patterns in PEOPLE.values() for pattern in patterns if not matching(declared, pattern)]
