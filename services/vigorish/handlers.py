"""What the vigorish ledger reads: settlements, which assess, and pit events, which collect, waive and return."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, cast

from sqlalchemy.ext.asyncio import AsyncConnection

from services.vigorish.domain.assessing import assess, assessment, settled
from services.vigorish.domain.views import PostedRound, ReversedRound
from services.vigorish.queries import assessed_lines
from services.vigorish.tables import properties, submissions
from shared.contracts.envelope import Event
from shared.contracts.pit import (
    CollectedVigorish,
    PitReader,
    ReturnedVigorish,
    VigorishOfRound,
    WaivedVigorish,
)
from shared.contracts.places import PlaceAt, in_pit, place_at
from shared.contracts.reading import Reader
from shared.contracts.settlements import RoundKey, SettledRound
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.topics import PIT_EVENTS, SETTLEMENTS
from shared.contracts.versions import fields_of
from shared.contracts.vigorish import (
    AssessedLine,
    Rounding,
    VigorishAssessed,
    VigorishCollection,
    VigorishReturn,
    VigorishSettled,
    VigorishTakenBack,
    VigorishWaiver,
)
from shared.journal.entry import reversal
from shared.journal.recording import Recording
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.submission import select as selected
from shared.runtime.consume.handler import Handler
from shared.runtime.consume.properties import Places, Properties
from shared.runtime.consume.submissions import ApprovedSubmissions, RulesSubmissions


class ApprovedProperties(Properties):
    """Keep the approved properties: their tables, gaming days and rates of vigorish."""

    copies = (properties,)


class Submissions(RulesSubmissions):
    """Keep the approved submissions: they say how vigorish is rounded."""

    copies = (submissions,)


def rounding_of(approved: SubmissionApproved) -> Rounding:
    """Return how vigorish is rounded under a submission: without the option it is not rounded up."""
    options = selected(catalogue(approved.regulation), approved.submission).options
    return cast("Rounding", options.get("vigorish_rounding") or "none")


@dataclass(slots=True)
class Assessed:
    """What revisions of rounds assessed, the properties, and how submissions round."""

    lines: dict[RoundKey, tuple[AssessedLine, ...]]
    places: PlaceAt
    roundings: ApprovedSubmissions[Rounding]


class Settlements(Handler[Assessed]):
    """Record what settled rounds assess."""

    reader = Reader(SETTLEMENTS, PostedRound, ReversedRound)
    gather_seconds = 0.03

    def __init__(self) -> None:
        self._places = Places(properties)
        self._roundings = ApprovedSubmissions(submissions, rounding_of)

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> Assessed:
        await self._places.refresh(connection)
        await self._roundings.refresh(connection)
        wanted = [RoundKey.of(event.data) for event in events if isinstance(event.data, ReversedRound)]
        return Assessed(await assessed_lines(connection, wanted), self._places.place, self._roundings)

    def handle(self, event: Event[Any], state: Assessed) -> Sequence[Recording]:
        match event.data:
            case PostedRound() as data if any(line.vigorish for line in data.lines):
                return (_assessed(data, state),)
            case ReversedRound() as data if any(total.vigorish_cents for total in data.totals):
                return (_taken_back(data, state),)
            case _:
                return ()


def _assessed(data: PostedRound, state: Assessed) -> Recording:
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
    return Recording(fact=fact, postings=assessment(fact))


def _taken_back(data: ReversedRound, state: Assessed) -> Recording:
    found = state.lines.get(RoundKey.of(data))
    if found is None:
        raise Refused(
            f"revision {data.revision} of round {data.round_id} is taken back, but its vigorish was not recorded: "
            "mend the record that posted it, then replay this one"
        )
    fact = VigorishTakenBack(
        **fields_of(data, SettledRound), revision=data.revision, **dict(data.correction), lines=found
    )
    return Recording(fact=fact, postings=reversal(assessment(fact)))


class PitEvents(Handler[PlaceAt]):
    """Record what tables collect, waive and return."""

    reader = PitReader(PIT_EVENTS, CollectedVigorish, WaivedVigorish, ReturnedVigorish)
    keyed_by_source = True

    def __init__(self) -> None:
        self._places = Places(properties)

    async def load(self, connection: AsyncConnection, events: Sequence[Event[Any]]) -> PlaceAt:
        del events
        await self._places.refresh(connection)
        return self._places.place

    def properties_in(self, state: PlaceAt) -> PlaceAt:
        return state

    def handle(self, event: Event[Any], state: PlaceAt) -> Sequence[Recording]:
        match event.data:
            case VigorishOfRound() as data:
                return (_settled(data, event, state),)
            case _:
                return ()


def _settled(data: VigorishOfRound, event: Event[Any], places: PlaceAt) -> Recording:
    """Return what a table did about vigorish, under the gaming day of its moment where it claims another."""
    _, day = in_pit(places, data, event.time)
    fact_of, leg = _SETTLED[type(data)]
    said = dict(data) | {"gaming_day": day, "claimed_day": None if data.gaming_day == day else data.gaming_day}
    fact = fact_of(**said, event=event.id, at=event.time)
    return Recording(fact=fact, postings=settled(fact, leg))


_SETTLED: Final[Mapping[type[VigorishOfRound], tuple[type[VigorishSettled], str]]] = {
    CollectedVigorish: (VigorishCollection, "collected"),
    WaivedVigorish: (VigorishWaiver, "waived"),
    ReturnedVigorish: (VigorishReturn, "returned"),
}
"""The fact that follows from an event, and the account that it moves."""
