"""A service after its story, and people of every role who ask it."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace

from services.cli.services import load_all
from shared.runtime.http import ROLES
from shared.runtime.http.access import ALL_PROPERTIES
from shared.runtime.http.segregation_of_duties import conflict_among
from tests.faults.in_process import database, read, records_of
from tests.faults.subject import Subject
from tests.support import Databases
from tests.support.desk import Desk, desk_of
from tests.support.outbox import Outbox
from tests.support.sealing import seals_of
from tests.support.worker import MOMENT

AS_EVERYBODY = " as everybody"
"""After the name of a role, or of a person: who works for every property."""
NOBODY = "nobody"
"""Who has no role."""


@contextmanager
def told(
    subject: Subject,
    databases: Databases,
    works_for: Sequence[str] = (ALL_PROPERTIES,),
    others: Mapping[str, Sequence[str]] | None = None,
    *,
    commands: bool = True,
) -> Iterator[Desk]:
    """Give a service after its story, which it has sealed; for each role there are two people, who have no other.

    One works for these properties, the other for every one. So do the people of `crews()`, who have many roles, and
    `NOBODY`. Of each there are `others`: what stands after their names, and for which properties they work. Whoever has
    one role has one that opens the door of a confidential service, too. Without `commands`, the story has none.
    """
    sealed = replace(subject, seals=seals_of(subject.manifest.name))
    url = database(sealed, databases, commands=commands)
    read(sealed, url, records_of({**subject.references, **subject.records}))
    door = [one.name for one in subject.manifest.roles[:1]] if subject.manifest.confidential else []
    crew = {role: [role, *door] for role in ROLES} | crews() | outsiders()
    people, properties = as_each(crew, {"": works_for, **(others or {})})
    with desk_of(
        subject.manifest, url, people=people, clock=lambda: MOMENT, outbox=Outbox(), properties=properties
    ) as found:
        yield found
    databases.drop(url)


def as_each(
    crew: Mapping[str, Sequence[str]], kinds: Mapping[str, Sequence[str]]
) -> tuple[dict[str, Sequence[str]], dict[str, Sequence[str]]]:
    """Return the roles of people and for which properties they work: of each kind, and who works for every one.

    A kind is what stands after the names of its people.
    """
    all_kinds = {**kinds, AS_EVERYBODY: (ALL_PROPERTIES,)}
    people = {one + kind: roles for one, roles in {**crew, NOBODY: []}.items() for kind in all_kinds}
    return people, {one + kind: its for one in (*crew, NOBODY) for kind, its in all_kinds.items()}


def outsiders() -> dict[str, list[str]]:
    """A few people who have together all roles but those of confidential services."""
    withheld = {role.name for one in load_all() if one.confidential for role in one.roles}
    others = crews(sorted(ROLES.keys() - withheld))
    return {name.replace("crew", "outsider"): roles for name, roles in others.items()}


def crews(of: Sequence[str] | None = None) -> dict[str, list[str]]:
    """A few people who have all roles together, or those `of` a list; none has two that exclude each other."""
    found: list[list[str]] = []
    for role in sorted(ROLES) if of is None else of:
        fitting = (one for one in found if conflict_among(frozenset((*one, role))) is None)
        crew = next(fitting, None)
        if crew is None:
            found.append([role])
        else:
            crew.append(role)
    return {f"crew {number}": roles for number, roles in enumerate(found, 1)}
