"""The people of a property as of a given time: each person's roles over time, and last action."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final

from sqlalchemy import text

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.people import ACTS, people_in, person_of
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.statements import LAST_ACTS
from shared.contracts.general_ledger import LedgerMappingApproved, LedgerMappingFiled, LedgerMappingReturned
from shared.contracts.properties import Member, PropertyApproved, PropertyFiled, PropertyReturned
from shared.contracts.submissions import (
    SubmissionApproved,
    SubmissionDrafted,
    SubmissionFiled,
    SubmissionReturned,
    SubmissionWithdrawn,
    WithdrawalApproved,
    WithdrawalRequested,
    WithdrawalReturned,
)

LOOK_BACK: Final = timedelta(days=400)
"""How far back the last use of a role is searched: a year plus the time that a review takes."""

DECIDED: Final = (
    *(PropertyFiled, PropertyApproved, PropertyReturned),
    *(LedgerMappingFiled, LedgerMappingApproved, LedgerMappingReturned),
)
SUBMITTED: Final = (
    *(SubmissionDrafted, SubmissionFiled, SubmissionApproved, SubmissionReturned),
    *(SubmissionWithdrawn, WithdrawalRequested, WithdrawalApproved, WithdrawalReturned),
)
"""Drafts, filings and decisions about rules submissions at the registry."""

DECIDING: Final = (
    *(PropertyApproved, PropertyReturned, SubmissionApproved, SubmissionReturned),
    *(LedgerMappingApproved, LedgerMappingReturned),
    *(WithdrawalApproved, WithdrawalReturned),
)
"""Decisions at the registry on another person's filing or request."""


@dataclass(frozen=True, slots=True)
class Held:
    """A person's role from `since` until `until` (None: still held), and the entries that granted and removed it."""

    person: str
    role: str
    since: datetime
    until: datetime | None
    version: int
    by: str
    entries: tuple[EntryRef, ...]


@dataclass(frozen=True, slots=True)
class LastAct:
    """A person's last action: the last gaming day on which an entry names the person, and the kind of fact."""

    gaming_day: date
    kind: str


async def versions_of(books: Books) -> list[Listed]:
    """Return the approved versions of the property, in the order in which they took effect."""
    listed = await books.documents(PropertyApproved)
    return sorted(listed, key=lambda one: (one.fact.effective_from, one.fact.version))


def roles_held(versions: Iterable[Listed]) -> list[Held]:
    """Return the periods in which people held roles, derived from a property's versions in order."""
    running: dict[tuple[str, str], Held] = {}
    over: list[Held] = []
    for listed in versions:
        document: PropertyApproved = listed.fact
        given = {(member.person, role) for member in document.people for role in member.roles}
        for key in sorted(running.keys() - given):
            one = running.pop(key)
            over.append(_ended(one, document.effective_from, listed.entry))
        for person, role in sorted(given - running.keys()):
            by = f"{document.filed_by}, {document.approved_by}"
            since = document.effective_from
            running[person, role] = Held(person, role, since, None, document.version, by, (listed.entry,))
    return sorted((*over, *running.values()), key=lambda one: (one.person, one.role, one.since))


def _ended(one: Held, until: datetime, entry: EntryRef) -> Held:
    return Held(one.person, one.role, one.since, until, one.version, one.by, (*one.entries, entry))


def members_at(versions: Sequence[Listed], moment: datetime) -> Mapping[str, Member]:
    """Return the people who work at the property at a moment, keyed by person."""
    begun = [one.fact for one in versions if one.fact.effective_from <= moment]
    return {member.person: member for member in begun[-1].people} if begun else {}


async def last_acts(books: Books) -> dict[str, LastAct]:
    """Return each person's last action within `LOOK_BACK` (a year and a review period) before the last queried day."""
    last = books.question.last
    first = last - LOOK_BACK
    late = await books.late_days(first, last)
    found: dict[str, LastAct] = {}
    for row in await books.read(text(LAST_ACTS), measure=ACTS, first=first, last=last, late=late):
        kind, person = person_of(row.item)
        _later(found, person, LastAct(row.gaming_day, kind))
    for one in await registry_acts(books):
        assert one.gaming_day is not None, "the property's clock says it"
        if one.gaming_day <= last:
            for person in registrars(one.fact):
                _later(found, person, LastAct(one.gaming_day, one.kind))
    return found


def _later(found: dict[str, LastAct], person: str, act: LastAct) -> None:
    before = found.get(person)
    if before is None or before.gaming_day < act.gaming_day:
        found[person] = act


async def registry_acts(books: Books) -> list[Listed]:
    """Return all filings of the property at the registry, and the decisions on them, each with its gaming day."""
    return books.dated([*await books.documents(*DECIDED), *await books.all_facts(*SUBMITTED)])


def registrars(fact: Any) -> list[str]:
    """Return the people who acted in a fact of the registry; for a decision, only the person who decided.

    The people listed as staff in a filed property document did not act.
    """
    match fact:
        case PropertyApproved() | SubmissionApproved() | LedgerMappingApproved():
            return [fact.approved_by]
        case PropertyReturned() | SubmissionReturned() | WithdrawalReturned() | LedgerMappingReturned():
            return [fact.returned_by]
        case SubmissionWithdrawn() | WithdrawalApproved():
            return [fact.withdrawn_by]
        case WithdrawalRequested():
            return [fact.requested_by]
        case SubmissionDrafted():
            return [fact.drafted_by]
        case PropertyFiled() | SubmissionFiled() | LedgerMappingFiled():
            return [fact.filed_by]
        case _:
            return list(dict.fromkeys(people_in(fact)))
