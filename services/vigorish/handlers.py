"""Handlers of the vigorish ledger: assess vigorish on settlements; collect, waive and return it on pit events."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, cast

from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish.domain.assessing import assess, assessment
from services.vigorish.domain.settling import SETTLED, of_pit_event
from services.vigorish.queries import assessed_lines
from services.vigorish.tables import journal, pit_events, properties, submissions
from shared.contracts.envelope import Event
from shared.contracts.pit import (
    CHANGES,
    CollectedVigorish,
    PitChange,
    PitChangeApproval,
    PitReader,
    ReturnedVigorish,
    VigorishOfRound,
    WaivedVigorish,
    goes_with,
)
from shared.contracts.pit_changes import DeskChange, PitChangeApproved, approved_change
from shared.contracts.property_snapshot import PropertyLookup, place_at
from shared.contracts.settlement_views import PostedRound, ReversedRound
from shared.contracts.settlements import RoundKey, SettledRound
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import INVENTORY, PIT_EVENTS, SETTLEMENTS
from shared.contracts.versions import fields_of
from shared.contracts.vigorish import (
    AssessedLine,
    Rounding,
    VigorishAssessed,
    VigorishSettled,
    VigorishTakenBack,
)
from shared.journal.entry import reversal
from shared.journal.recording import FactWithPostings
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.submission import select as selected
from shared.runtime.ingest.handler import FactHandler
from shared.runtime.ingest.pit_events import PitEventsKnown, known_events, require_unchanged
from shared.runtime.ingest.property_copies import Places, Properties
from shared.runtime.ingest.submission_copies import ApprovedSubmissions, RulesSubmissions


class ApprovedProperties(Properties):
    """A handler that stores approved properties: their tables, gaming days and rates of vigorish."""

    copies = (properties,)


class Submissions(RulesSubmissions):
    """A handler that stores approved submissions, which determine the rounding of vigorish."""

    copies = (submissions,)


def rounding_of(approved: SubmissionApproved) -> Rounding:
    """Return the rounding of vigorish under a submission; without the option, fractions of a cent are dropped."""
    options = selected(catalogue(approved.regulation), approved.submission).options
    return cast("Rounding", options.get("vigorish_rounding") or "none")


@dataclass(slots=True)
class Assessed:
    """The working state of a batch of settlements: assessed lines by round revision, properties, and rounding rules."""

    lines: dict[RoundKey, tuple[AssessedLine, ...]]
    places: PropertyLookup
    roundings: ApprovedSubmissions[Rounding]


class Settlements(FactHandler[Assessed]):
    """A handler that records the vigorish assessed on settled rounds."""

    reader = Reader(SETTLEMENTS, PostedRound, ReversedRound)

    def __init__(self) -> None:
        self._places = Places(properties)
        self._roundings = ApprovedSubmissions(submissions, rounding_of)

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> Assessed:
        await self._places.refresh(connection)
        await self._roundings.refresh(connection)
        wanted = [RoundKey.of(event.data) for event in events if isinstance(event.data, ReversedRound)]
        return Assessed(await assessed_lines(connection, wanted), self._places.place, self._roundings)

    def handle(self, event: Event[Any], state: Assessed) -> Sequence[FactWithPostings]:
        match event.data:
            case PostedRound() as data if any(line.vigorish for line in data.lines):
                return (_assessed(data, state),)
            case ReversedRound() as data if any(total.vigorish_cents for total in data.totals):
                return (_taken_back(data, state),)
            case _:
                return ()


def _assessed(data: PostedRound, state: Assessed) -> FactWithPostings:
    place = place_at(state.places, data.property, data.closed_at)
    rounding = state.roundings.under(data.submission.hash)
    if rounding is None:
        raise Refused(
            f"rules submission {data.property}/{data.game} version {data.submission.version} is not known here "
            f"({data.submission.hash}): replay this record once it has been published"
        )
    found = state.lines[RoundKey.of(data)] = assess(data, rounding, place.law)
    fact = VigorishAssessed(
        **fields_of(data, SettledRound),
        revision=data.revision,
        closed_at=data.closed_at,
        dealer_id=data.dealer_id,
        submission=data.submission.hash,
        lines=found,
    )
    return FactWithPostings(fact=fact, postings=assessment(fact))


def _taken_back(data: ReversedRound, state: Assessed) -> FactWithPostings:
    found = state.lines.get(RoundKey.of(data))
    if found is None:
        raise Refused(
            f"revision {data.revision} of round {data.round_id} is taken back, but its vigorish was not recorded: "
            "mend the record that posted it, then replay this one"
        )
    fact = VigorishTakenBack(
        **fields_of(data, SettledRound), revision=data.revision, **dict(data.correction), lines=found
    )
    return FactWithPostings(fact=fact, postings=reversal(assessment(fact)))


@dataclass(slots=True)
class OfPit:
    """The working state of a batch of pit events: the properties, and the recorded pit events to be changed."""

    places: PropertyLookup
    events: PitEventsKnown[VigorishSettled]


class PitEvents(FactHandler[OfPit]):
    """A handler that records vigorish collected, waived and returned at tables."""

    reader = PitReader(PIT_EVENTS, CollectedVigorish, WaivedVigorish, ReturnedVigorish, *CHANGES, PitChangeApproval)
    keyed_by_source = True
    gather_seconds = 0.1

    def __init__(self) -> None:
        self._places = Places(properties)
        self._known: PitEventsKnown[VigorishSettled] = PitEventsKnown()

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> OfPit:
        await self._places.refresh(connection)
        read = [one for one in events if _is_read(one.data)]
        self._known = await known_events(connection, pit_events, journal, read)
        return OfPit(self._places.place, self._known)

    async def require_as_loaded(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> None:
        """Verify that no loaded pit event has since been changed by a correction or void from the desk's topic."""
        read = [one for one in events if _is_read(one.data)]
        await require_unchanged(connection, pit_events, self._known, read)

    @classmethod
    def goes_with(cls, event: Event[Any]) -> str | None:
        """Return the pit stream of a desk change's table; None for events of the pit itself."""
        return goes_with(event)

    def properties_in(self, state: OfPit) -> PropertyLookup:
        return state.places

    def stands_since(self, event: Event[Any], state: OfPit) -> datetime | None:
        """Return the time of the changed pit event, to which the change may be backdated."""
        standing = state.events.standing(event) if isinstance(event.data, PitChange) else None
        return None if standing is None else standing.at

    def handle(self, event: Event[Any], state: OfPit) -> Sequence[FactWithPostings]:
        return of_pit_event(event, state.places, state.events) if _is_read(event.data) else ()


class PitChanges(FactHandler[OfPit]):
    """A handler that applies corrections and voids of pit events that were approved at table inventory's desk.

    A change may arrive before the pit event that it changes; the change has the higher sequence.
    """

    reader = Reader(INVENTORY, PitChangeApproved)

    def __init__(self) -> None:
        self._places = Places(properties)
        self._known: PitEventsKnown[VigorishSettled] = PitEventsKnown()

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> OfPit:
        await self._places.refresh(connection)
        self._known = await known_events(connection, pit_events, journal, _changes(events))
        return OfPit(self._places.place, self._known)

    async def require_as_loaded(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> None:
        """Verify that no loaded pit event has since been changed by an event from the pit's topic."""
        await require_unchanged(connection, pit_events, self._known, _changes(events))

    def handle(self, event: Event[Any], state: OfPit) -> Sequence[FactWithPostings]:
        if not _is_change(event.data):
            return ()
        return of_pit_event(approved_change(event.data), state.places, state.events)


def _changes(events: Sequence[Event[Any]]) -> list[DeskChange]:
    return [approved_change(event.data) for event in events if _is_change(event.data)]


def _is_change(data: Any) -> bool:
    return isinstance(data, PitChangeApproved) and data.event in SETTLED


def _is_read(data: Any) -> bool:
    return isinstance(data, VigorishOfRound) or (isinstance(data, PitChange) and data.event in SETTLED)
