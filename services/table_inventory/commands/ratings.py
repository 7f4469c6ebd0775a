"""Commands about ratings: open, move, pause, resume and close them; average bets, buy-ins and amendments."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Annotated, Final, NamedTuple

from pydantic import Field
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.rating_documents import RatingDocument
from services.table_inventory.domain.rating_steps import require_place_in_order, said_of, step_to_amend
from services.table_inventory.queries.ratings import RatingKey, find_steps
from services.table_inventory.tables import properties, rating_steps
from shared.contracts.derived_rating import Contradiction, RecordedStep, is_of_desk, rating_of
from shared.contracts.envelope import Name, Patron
from shared.contracts.moments import NOW, Happened
from shared.contracts.pit import Seat
from shared.contracts.property_snapshot import PropertySnapshot, happened
from shared.contracts.ratings import TAKE_A_SEAT, CentsOrNone, RatingProblem, RatingRecorded, StepAmendment, StepKind
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.rounds import Cents
from shared.contracts.topics import RATINGS
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Command, Commands, Now
from shared.runtime.ingest.property_copies import Places, known_places
from shared.runtime.rows import last_number

COMMANDS: Final = Commands(shards=RATINGS.name)


class OpenRating(Happened, Command):
    """Open a rating of a patron, by reference, at a table.

    The rating is named with the pit's next number: `pit-1`, `pit-2`. A patron rated at two tables at once appears as an
    exception.
    """

    property: Name
    table: Name
    patron: Patron
    seat: Seat | None = None
    average_bet_cents: Cents | None = None
    buy_in_cents: Annotated[CentsOrNone, Field(description="chips bought at the table, cents")] = 0
    chips_in_cents: Annotated[CentsOrNone, Field(description="chips brought along, cents")] = 0


class RatingStep(Happened, Command):
    """A step of an open rating."""

    property: Name
    rating: Name


class MoveRating(RatingStep):
    """Move a rating to another table, or to another seat."""

    table: Name
    seat: Seat | None = None


class PauseRating(RatingStep):
    """Pause a rating.

    The time until it is resumed is not rated.
    """


class ResumeRating(RatingStep):
    """Resume a paused rating."""


class StateAverageBet(RatingStep):
    """Record a patron's average bet from now on.

    The first average bet also applies to the time before it.
    """

    average_bet_cents: Cents


class RateBuyIn(RatingStep):
    """Record that a rated patron bought more chips."""

    buy_in_cents: Cents


class CloseRating(RatingStep):
    """Close a rating.

    The theoretical win is then derived from all steps of the rating and recorded.
    """

    chips_out_cents: Annotated[CentsOrNone, Field(description="chips taken along, cents")] = 0


class AmendRating(StepAmendment, Command):
    """Amend a step of a rating that you entered.

    The values in `instead` replace those of the step. Without `instead`, the step is voided. An amended moment must
    stay between the previous and the next step.
    """

    property: Name
    rating: Name


class OverruleRating(AmendRating):
    """Amend a step of a rating that somebody else entered.

    Afterwards, that person cannot amend the step again.
    """


_EVENTS: Final[dict[type[RatingStep], StepKind]] = {
    MoveRating: "rating.moved",
    PauseRating: "rating.paused",
    ResumeRating: "rating.resumed",
    StateAverageBet: "rating.bet",
    RateBuyIn: "rating.bought_in",
    CloseRating: "rating.closed",
}

_LATEST: Final = 2**31 - 1
"""Placeholder shard number of a step that is not recorded yet; it sorts after recorded steps of the same moment."""

_WHY: Final[dict[RatingProblem, str]] = {
    "outside": "it is closed, or was not open yet at that moment",
    "paused_twice": "it is paused already",
    "not_paused": "it is not paused",
}


class Rated(NamedTuple):
    """The properties, and the recorded steps of a rating."""

    places: Places
    steps: Sequence[RecordedStep]


class Opening(NamedTuple):
    """The properties, and the number of the last rating that the pit opened."""

    places: Places
    last: int


async def _opening(connection: AsyncConnection, command: OpenRating) -> Opening:
    last = await last_number(connection, rating_steps, "opening", property=command.property)
    return Opening(await known_places(connection, properties), last)


async def _rated(connection: AsyncConnection, command: RatingStep | AmendRating) -> Rated:
    steps = await find_steps(connection, RatingKey(command.property, command.rating))
    return Rated(await known_places(connection, properties), steps)


@COMMANDS.handles(OpenRating, load=_opening)
def open_rating(command: OpenRating, state: Opening, now: Now) -> Accepted:
    """Open a rating under the next number of the pit."""
    place, at = happened(state.places.place, command.property, command, now.at)
    name, when = f"pit-{state.last + 1}", {"at": at, "gaming_day": place.gaming_day(at)}
    _require_table(place, command.table, when["gaming_day"], command.seat)
    fact = RatingRecorded(
        property=command.property,
        table=command.table,
        rating=name,
        event="rating.opened",
        step="desk/1",
        by=now.by,
        **when,
        **said_of(command),
        **command.late(now.at),
    )
    return replace(_accepted((), fact, now), location=f"/ratings/{fact.property}/{fact.rating}")


def step(command: RatingStep, state: Rated, now: Now) -> Accepted:
    """Record a step of a rating, unless it contradicts the earlier steps.

    The table has to be in use only for steps that begin play there.
    """
    place, at = happened(state.places.place, command.property, command, now.at)
    table = getattr(command, "table", None) or rating_of(state.steps).table or state.steps[-1].fact.table
    day = place.gaming_day(at)
    if _EVENTS[type(command)] in TAKE_A_SEAT:
        _require_table(place, table, day, getattr(command, "seat", None))
    fact = RatingRecorded(
        property=command.property,
        table=table,
        rating=command.rating,
        event=_EVENTS[type(command)],
        step=_next_step(state.steps),
        at=at,
        gaming_day=day,
        by=now.by,
        **said_of(command),
        **command.late(now.at),
    )
    new = _new_contradiction(state.steps, fact)
    if new is not None:
        raise Rejected(Reason.CONTRADICTS, f"rating {command.rating}: {_WHY.get(new.problem, new.problem)}")
    return _accepted(state.steps, fact, now)


for _model in _EVENTS:
    COMMANDS.handles(_model, load=_rated)(step)


@COMMANDS.handles(AmendRating, load=_rated)
def amend(command: AmendRating, state: Rated, now: Now) -> Accepted:
    """Amend a rating step (start, change or end) that the same person entered."""
    return _amend(command, state, now, own=True)


@COMMANDS.handles(OverruleRating, load=_rated)
def overrule(command: OverruleRating, state: Rated, now: Now) -> Accepted:
    """Amend a rating step, regardless of who entered it."""
    return _amend(command, state, now, own=False)


def _amend(command: AmendRating, state: Rated, now: Now, *, own: bool) -> Accepted:
    amended = step_to_amend(state.steps, command, now.by, own=own)
    place, at = happened(state.places.place, command.property, NOW, now.at)
    instead = command.instead
    if instead is not None and instead.at is not None:
        if instead.at > at:
            raise Rejected(Reason.TOO_EARLY, f"'at' {place.clock_text(instead.at)} has not come yet")
        require_place_in_order(state.steps, amended, instead.at, place)
    if instead is not None and (instead.table is not None or instead.seat is not None):
        _require_table(place, instead.table or amended.table, amended.gaming_day, instead.seat)
    fact = RatingRecorded(
        property=command.property,
        table=amended.table,
        rating=command.rating,
        event="rating.amended",
        step=_next_step(state.steps),
        at=at,
        gaming_day=place.gaming_day(at),
        by=now.by,
        **said_of(command),
    )
    new = _new_contradiction(state.steps, fact)
    if new is not None:
        detail = f"step {new.step} would not go with that: {_WHY.get(new.problem, new.problem)}"
        raise Rejected(Reason.CONTRADICTS, f"rating {command.rating}: {detail}; amend or void that step first")
    return _accepted(state.steps, fact, now)


def _new_contradiction(steps: Sequence[RecordedStep], fact: RatingRecorded) -> Contradiction | None:
    """Return a contradiction between steps that recording `fact` would introduce, or None."""
    before = rating_of(steps).contradictions
    after = rating_of((*steps, RecordedStep(_LATEST, 0, fact))).contradictions
    return next((one for one in after if one not in before), None)


def _next_step(steps: Sequence[RecordedStep]) -> str:
    return f"desk/{1 + sum(is_of_desk(one.fact) for one in steps)}"


def _require_table(place: PropertySnapshot, table: str, day: date, seat: int | None) -> None:
    """Raise Rejected unless a table is in use on a gaming day and has the given seat, if any."""
    why = place.why_no_table(table, day)
    if why is not None:
        raise Rejected(Reason.NOT_FOUND, why)
    if seat is not None and (why := place.why_no_seat(table, day, seat)) is not None:
        raise Rejected(Reason.NOT_ALLOWED, why)


def _accepted(steps: Sequence[RecordedStep], fact: RatingRecorded, now: Now) -> Accepted:
    """Accept a step; the response is the rating after the step."""
    answer = RatingDocument.of((*steps, RecordedStep(_LATEST, now.seq, fact)))
    return Accepted(recording=FactWithPostings(fact=fact, occurred_at=fact.at), answer=answer)
