"""A service after its story, and people of every role who ask it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from shared.runtime.web import ROLES
from shared.runtime.web.access import ALL_PROPERTIES
from tests.faults.in_process import database, read, records_of
from tests.faults.subject import Subject
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.sealing import seals_of
from tests.support.worker import MOMENT

AS_EVERYBODY = " as everybody"
"""After the name of a role: who has it and works for every property."""


@contextmanager
def told(subject: Subject, databases: Databases, works_for: Sequence[str] = (ALL_PROPERTIES,)) -> Iterator[Desk]:
    """Give a service after its story, which it has sealed; for each role there are two people, who have no other.

    One works for these properties, the other for every one.
    """
    sealed = replace(subject, seals=seals_of(subject.manifest.name))
    url = database(sealed, databases)
    read(sealed, url, records_of({**subject.references, **subject.records}))
    people = {name: [role] for role in ROLES for name in (role, role + AS_EVERYBODY)}
    properties = dict.fromkeys(ROLES, works_for)
    with desk_of(
        subject.manifest, url, people=people, clock=lambda: MOMENT, outbox=Outbox(), properties=properties
    ) as found:
        yield found
    databases.drop(url)
