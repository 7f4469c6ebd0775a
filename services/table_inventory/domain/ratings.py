"""A rating as its steps make it: the time that was played, the money, the theoretical win. Pure and exact.

Steps may come late and in any order: a rating follows from all that is recorded of it, in the order of the moments.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final, NamedTuple

from shared.contracts.ratings import (
    OF_STEP,
    RatedDecisions,
    RatedEdge,
    RatedSpan,
    RatingProblem,
    RatingRecorded,
    RatingStated,
    RatingValues,
    StepKind,
)

_HOUR: Final = 3600


class RecordedStep(NamedTuple):
    """A recorded step, and the place of its entry in the journal."""

    shard: int
    seq: int
    fact: RatingRecorded


@dataclass(frozen=True)
class Step:
    """A step as it counts, amendments included: `values` without those that amendments replaced."""

    event: StepKind
    at: datetime
    table: str
    values: RatingValues
    place: tuple[int, int]

    @property
    def order(self) -> tuple[datetime, int, tuple[int, int]]:
        """Return its place among the steps: an opening is before, a closing behind what happened at the same moment."""
        return self.at, {"rating.opened": 0, "rating.closed": 2}.get(self.event, 1), self.place


@dataclass
class Rating:
    """A rating so far: none of its times before it was opened, none open ended.

    `spans` are the times that were played; one that goes on began at `since`. `problems` are steps that contradict each
    other: such a step changes nothing.
    """

    property: str
    rating: str
    patron: str | None = None
    table: str | None = None
    seat: int | None = None
    opened_at: datetime | None = None
    closed_at: datetime | None = None
    since: datetime | None = None
    average_bet_cents: int | None = None
    buy_in_cents: int = 0
    chips_in_cents: int = 0
    chips_out_cents: int = 0
    spans: list[RatedSpan] = field(default_factory=list)
    problems: list[RatingProblem] = field(default_factory=list)

    def is_paused(self) -> bool:
        """Return whether it was opened, and is paused."""
        return self.opened_at is not None and self.closed_at is None and self.since is None

    def apply(self, step: Step) -> None:
        """Apply the next step in the order of the moments; one that contradicts those before is a problem."""
        problem = self._problem(step)
        if problem is not None:
            self.problems.append(problem)
            return
        values = step.values
        match step.event:
            case "rating.opened":
                self.patron, self.opened_at, self.since = values.patron, step.at, step.at
                self.table, self.seat = values.table or step.table, values.seat
                self.chips_in_cents = values.chips_in_cents or 0
            case "rating.moved":
                self._cut(step.at)
                self.table, self.seat = values.table or step.table, values.seat
            case "rating.paused":
                self._cut(step.at)
                self.since = None
            case "rating.resumed":
                self.since = step.at
            case "rating.closed":
                self._cut(step.at)
                self.closed_at, self.since = step.at, None
                self.chips_out_cents = values.chips_out_cents or 0
        if values.average_bet_cents is not None:
            self._bet(step.at, values.average_bet_cents)
        self.buy_in_cents += values.buy_in_cents or 0

    def _problem(self, step: Step) -> RatingProblem | None:
        if step.event == "rating.opened":
            return "opened_twice" if self.opened_at is not None else None
        if self.opened_at is None or self.closed_at is not None:
            return "outside"
        if step.event == "rating.paused" and self.is_paused():
            return "paused_twice"
        if step.event == "rating.resumed" and not self.is_paused():
            return "not_paused"
        return None

    def _bet(self, at: datetime, cents: int) -> None:
        if self.average_bet_cents is None:  # the first one holds of what was played before it
            self.spans = [span.model_copy(update={"average_bet_cents": cents}) for span in self.spans]
        elif cents != self.average_bet_cents:
            self._cut(at)
        self.average_bet_cents = cents

    def _cut(self, at: datetime) -> None:
        """End the span that goes on."""
        if self.since is None:
            return
        assert self.table is not None, "whoever plays is at a table"
        if at > self.since:
            said = {"table": self.table, "seat": self.seat, "average_bet_cents": self.average_bet_cents}
            self.spans.append(RatedSpan(begins=self.since, ends=at, **said))
        self.since = at


def rating_of(recorded: Sequence[RecordedStep]) -> Rating:
    """Return a rating as all recorded steps make it, of which there is at least one."""
    first = recorded[0].fact
    rating = Rating(first.property, first.rating)
    steps, amends_nothing = effective_steps(recorded)
    for step in sorted(steps, key=lambda one: one.order):
        rating.apply(step)
    if amends_nothing:
        rating.problems.append("amends_nothing")
    if rating.opened_at is None:
        rating.problems.append("not_opened")
    return rating


def effective_steps(recorded: Iterable[RecordedStep]) -> tuple[list[Step], bool]:
    """Return the steps that happened, as amended, and whether an amendment names a step that is not recorded.

    Of several amendments of a step the latest one counts.
    """
    steps: dict[str, Step] = {}
    known: set[str] = set()
    amendments: dict[str, RecordedStep] = {}
    for one in recorded:
        fact = one.fact
        if fact.amends is None:
            known.add(fact.step)
            values = fact.values or RatingValues()
            steps[fact.step] = Step(fact.event, fact.at, fact.table, values, (one.shard, one.seq))
        else:
            last = amendments.get(fact.amends)
            if last is None or (last.fact.at, last.shard, last.seq) < (fact.at, one.shard, one.seq):
                amendments[fact.amends] = one
    for name, amendment in amendments.items():
        if name not in steps:
            continue
        instead = amendment.fact.values
        if instead is None:
            del steps[name]
            continue
        step = steps[name]
        changed = instead.model_dump(exclude_none=True, include=set(OF_STEP[step.event]))
        steps[name] = replace(step, at=instead.at or step.at, values=step.values.model_copy(update=changed))
    return list(steps.values()), not amendments.keys() <= known


class Basis(NamedTuple):
    """What the theoretical win of a span is computed from; None for what is not known."""

    game: str | None = None
    decisions: RatedDecisions | None = None
    edge: RatedEdge | None = None


def decisions_of(span: RatedSpan, an_hour: int, source: str) -> RatedDecisions:
    """Return the decisions of a span by what is stated an hour."""
    number = an_hour * span.seconds / _HOUR
    return RatedDecisions(basis="stated", number=str(number), an_hour=an_hour, source=source)


def theoretical_win(span: RatedSpan) -> Fraction | None:
    """Return average bet x decisions x house edge of a span, exact cents; None if one of them is not known.

    >>> from datetime import UTC, datetime, timedelta
    >>> ten = datetime(2026, 11, 20, 10, tzinfo=UTC)
    >>> span = RatedSpan(table="BJ-01", begins=ten, ends=ten + timedelta(minutes=90), average_bet_cents=5000)
    >>> edge = RatedEdge(basis="stated", house_edge="3/400", source="own study")
    >>> theoretical_win(span.model_copy(update={"decisions": decisions_of(span, 60, "own study"), "edge": edge}))
    Fraction(3375, 1)
    """
    if span.average_bet_cents is None or span.decisions is None or span.edge is None:
        return None
    return span.average_bet_cents * Fraction(span.decisions.number) * Fraction(span.edge.house_edge)


def _lacks(span: RatedSpan) -> Iterable[RatingProblem]:
    if span.average_bet_cents is None:
        yield "no_bet"
    if span.game is None:
        yield "no_table"
        return
    if span.decisions is None:
        yield "no_decisions"
    if span.edge is None:
        yield "no_edge"


def statement(rating: Rating, bases: Mapping[int, Basis], gaming_day: date | None) -> Mapping[str, Any]:
    """Return what is to be stated of a rating: the fields of `RatingStated` except its revision.

    `bases` are those of its spans, by number, and the gaming day is that of the opening. Without a closing nothing is
    stated but what is wrong. The theoretical win is empty if any span lacks a part of it.
    """
    said: dict[str, Any] = {"property": rating.property, "rating": rating.rating, "patron": rating.patron}
    if gaming_day is None or rating.opened_at is None or rating.closed_at is None:
        return said | {"problems": tuple(dict.fromkeys(rating.problems))}
    spans: list[RatedSpan] = []
    total: Fraction | None = Fraction(0)
    problems = list(rating.problems)
    for number, span in enumerate(rating.spans):
        counted = span.model_copy(update=bases[number]._asdict())
        won = theoretical_win(counted)
        total = None if total is None or won is None else total + won
        spans.append(counted.model_copy(update={"theoretical_win_cents": None if won is None else str(won)}))
        problems += _lacks(counted)
    seconds = sum((span.seconds for span in spans), Fraction(0))
    bets = [(span.seconds, span.average_bet_cents) for span in spans if span.average_bet_cents is not None]
    played = sum((took for took, _ in bets), Fraction(0))
    return said | {
        "gaming_day": gaming_day,
        "table": rating.table,
        "opened_at": rating.opened_at,
        "closed_at": rating.closed_at,
        "seconds": round(seconds),
        "buy_in_cents": rating.buy_in_cents,
        "chips_in_cents": rating.chips_in_cents,
        "chips_out_cents": rating.chips_out_cents,
        "average_bet_cents": round(sum(took * cents for took, cents in bets) / played) if played else None,
        "theoretical_win_cents": None if total is None else round(total),
        "spans": tuple(spans),
        "problems": tuple(dict.fromkeys(problems)),
    }


def stated_as(said: Mapping[str, Any], last: RatingStated | None) -> Sequence[RatingStated]:
    """Return the statements that are due, none if the last one says the same.

    A rating that was never closed is not stated; one that was and is not any more is stated as open, on its former day.
    So is one that moved to another gaming day, before it is stated there: each day by itself has what counts of it.
    """
    if last is None and said.get("closed_at") is None:
        return ()
    if last is not None and last.closed_at is not None and said.get("gaming_day", last.gaming_day) != last.gaming_day:
        back = {name: getattr(last, name) for name in ("property", "rating", "gaming_day", "patron")}
        gone = RatingStated(**back, revision=last.revision + 1)
        return gone, RatingStated(**said, revision=gone.revision + 1)
    revision = 1 if last is None else last.revision + 1
    day = {} if last is None else {"gaming_day": last.gaming_day}
    fact = RatingStated(**day | dict(said), revision=revision)
    if last is not None and fact == last.model_copy(update={"revision": revision}):
        return ()
    return (fact,)
