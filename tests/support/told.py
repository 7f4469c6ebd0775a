"""A service after its story, and people of every role who ask it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from shared.runtime.web import ROLES
from shared.runtime.web.access import ALL_PROPERTIES
from shared.runtime.web.duties import conflict_among
from tests.faults.in_process import database, read, records_of
from tests.faults.subject import Subject
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.sealing import seals_of
from tests.support.worker import MOMENT

AS_EVERYBODY = " as everybody"
"""After the name of a role, or of a person: who works for every property."""


@contextmanager
def told(subject: Subject, databases: Databases, works_for: Sequence[str] = (ALL_PROPERTIES,)) -> Iterator[Desk]:
    """Give a service after its story, which it has sealed; for each role there are two people, who have no other.

    One works for these properties, the other for every one. So do the people of `crews()`, who have many roles.
    """
    sealed = replace(subject, seals=seals_of(subject.manifest.name))
    url = database(sealed, databases)
    read(sealed, url, records_of({**subject.references, **subject.records}))
    crew = {role: [role] for role in ROLES} | crews()
    people = {name: roles for one, roles in crew.items() for name in (one, one + AS_EVERYBODY)}
    properties = dict.fromkeys(crew, works_for)
    with desk_of(
        subject.manifest, url, people=people, clock=lambda: MOMENT, outbox=Outbox(), properties=properties
    ) as found:
        yield found
    databases.drop(url)


def crews() -> dict[str, list[str]]:
    """A few people who have all roles together, and none two that one person must never have."""
    found: list[list[str]] = []
    for role in sorted(ROLES):
        fitting = (one for one in found if conflict_among(frozenset((*one, role))) is None)
        crew = next(fitting, None)
        if crew is None:
            found.append([role])
        else:
            crew.append(role)
    return {f"crew {number}": roles for number, roles in enumerate(found, 1)}
