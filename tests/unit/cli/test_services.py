"""The services that are found by their manifests."""

from fnmatch import filter as matching

import pytest

from services.cli.codegen.contracts import openapi
from services.cli.services import NAMES, load, load_all, migrations, roles_of_services
from services.cli.stack.demo_users import PEOPLE, roles_of
from shared.contracts.topics import TOPICS
from shared.runtime.database_names import role_of
from shared.runtime.http.roles import COMMON
from shared.runtime.http.segregation_of_duties import DUTY_OF


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
    published = {topic: manifest.name for manifest in manifests for topic in manifest.published}
    assert published == {topic: topic.publisher for topic in published}
    assert [] == [topic.name for topic in TOPICS if topic.publisher in NAMES and topic not in published]


def test_the_people_of_a_stack_have_every_role_and_no_other() -> None:
    """Each pattern of a role names one that is declared, and each declared role is somebody's."""
    declared = roles_of_services(load_all())
    assert declared.keys() == {name for person in PEOPLE for name in roles_of(person, declared)}
    assert [] == [pattern for patterns in PEOPLE.values() for pattern in patterns if not matching(declared, pattern)]


def test_the_roles_of_the_routes_are_those_of_the_manifest() -> None:
    """No route takes a role that the manifest of its service does not name, and every role of a manifest is taken."""
    for manifest in load_all():
        operations = [one for path in openapi(manifest)["paths"].values() for one in path.values()]
        takes = [{role for each in one.get("security", ()) for role in each["bearer"]} for one in operations]
        taken = set().union(*(roles for roles in takes if roles != set(DUTY_OF)))  # what takes any role names none
        assert {role.name for role in manifest.roles} == taken - {role.name for role in COMMON}, manifest.name
