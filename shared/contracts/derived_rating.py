"""A rating derived from its recorded steps: the patron, and each span of play with its seat and bet. Pure.

Steps may arrive late and in any order, so a rating is derived from all recorded steps in the order of their moments.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Final, NamedTuple

from shared.contracts.people import same_person
from shared.contracts.ratings import (
    OF_STEP,
    RatedSpan,
    RatingProblem,
    RatingRecorded,
    RatingValues,
    SeatTie,
    StepKind,
)


class RecordedStep(NamedTuple):
    """A recorded step, and the position of its entry in the journal."""

    shard: int
    seq: int
    fact: RatingRecorded


@dataclass(frozen=True)
class Step:
    """A step with its amendments applied.

    `device_key` is the key with which a device of the table signed patron, table, seat and moment; None if a person
    entered any of these. `is_patron_signed` is whether a device signed the patron, even if a person entered other
    values.
    """

    name: str
    event: StepKind
    at: datetime
    table: str
    values: RatingValues
    place: tuple[int, int]
    device_key: str | None = None
    is_patron_signed: bool = False

    @property
    def order(self) -> tuple[datetime, int, tuple[int, int]]:
        """Return the sort key of the step: at the same moment, an opening comes first and a closing last."""
        return self.at, {"rating.opened": 0, "rating.closed": 2}.get(self.event, 1), self.place


class Contradiction(NamedTuple):
    """The name of a step that contradicts the other steps of its rating, and the reason."""

    step: str
    problem: RatingProblem


@dataclass
class Rating:
    """A rating after the steps applied so far.

    `spans` are the completed spans of play; the current span began at `since`. `contradictions` are steps that have no
    effect because they contradict other steps. `tie` ties the current seat to the patron, also during a pause.
    """

    property: str
    rating: str
    patron: str | None = None
    table: str | None = None
    seat: int | None = None
    tie: SeatTie | None = None
    opened_at: datetime | None = None
    closed_at: datetime | None = None
    since: datetime | None = None
    average_bet_cents: int | None = None
    buy_in_cents: int = 0
    chips_in_cents: int = 0
    chips_out_cents: int = 0
    is_patron_signed: bool = False
    spans: list[RatedSpan] = field(default_factory=list)
    contradictions: list[Contradiction] = field(default_factory=list)

    def is_paused(self) -> bool:
        """Return whether the rating is open and paused."""
        return self.opened_at is not None and self.closed_at is None and self.since is None

    def apply(self, step: Step) -> None:
        """Apply the next step in order of moments. A step that contradicts earlier ones only adds a contradiction."""
        problem = self._problem(step)
        if problem is not None:
            self.contradictions.append(Contradiction(step.name, problem))
            return
        values = step.values
        match step.event:
            case "rating.opened":
                self.patron, self.opened_at, self.since = values.patron, step.at, step.at
                self.table, self.seat = values.table or step.table, values.seat
                self.chips_in_cents = values.chips_in_cents or 0
                self.is_patron_signed = step.is_patron_signed
                self._tie(step)
            case "rating.moved":
                self._cut(step.at)
                self.table, self.seat = values.table or step.table, values.seat
                self._tie(step)
            case "rating.paused":
                self._cut(step.at)
                self.since = None
            case "rating.resumed":
                self.since = step.at
                if self.tie is not None:
                    self._tie(step)
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

    def _tie(self, step: Step) -> None:
        """Tie the seat to the patron if devices signed both the step and the patron; otherwise remove the tie."""
        key = step.device_key if self.is_patron_signed and self.seat is not None else None
        is_here = self.table == (step.values.table or step.table)
        self.tie = SeatTie(device_key=key, since=step.at) if key is not None and is_here else None

    def _bet(self, at: datetime, cents: int) -> None:
        if self.average_bet_cents is None:  # the first average bet also applies to the spans before it
            self.spans = [span.model_copy(update={"average_bet_cents": cents}) for span in self.spans]
        elif cents != self.average_bet_cents:
            self._cut(at)
        self.average_bet_cents = cents

    def _cut(self, at: datetime) -> None:
        """End the current span, and begin the next one."""
        if self.since is None:
            return
        assert self.table is not None, "whoever plays is at a table"
        if at > self.since:
            said = {"table": self.table, "seat": self.seat, "average_bet_cents": self.average_bet_cents}
            self.spans.append(RatedSpan(begins=self.since, ends=at, tie=self.tie, **said))
        self.since = at


def rating_of(recorded: Sequence[RecordedStep]) -> Rating:
    """Return the rating derived from all of its recorded steps, at least one."""
    first = recorded[0].fact
    rating = Rating(first.property, first.rating)
    steps, useless = effective_steps(recorded)
    for step in steps:
        rating.apply(step)
    rating.contradictions += useless
    return rating


def effective_steps(recorded: Iterable[RecordedStep]) -> tuple[list[Step], list[Contradiction]]:
    """Return the amended steps in order, without voided ones, and a contradiction for each ineffective amendment.

    If a step was amended several times, the latest valid amendment counts.
    """
    said: dict[str, RecordedStep] = {}
    amendments: list[RecordedStep] = []
    for one in recorded:
        if one.fact.amends is None:
            said[one.fact.step] = one
        else:
            amendments.append(one)
    counting: dict[str, RecordedStep] = {}
    useless: list[Contradiction] = []
    for one in sorted(amendments, key=_moment):
        amended = one.fact.amends
        problem = _why_useless(one.fact, None if amended is None else said.get(amended), counting.get(amended or ""))
        if problem is not None or amended is None:
            useless.append(Contradiction(one.fact.step, problem or "amends_nothing"))
        else:
            counting[amended] = one
    steps = [_as_amended(one, counting.get(name)) for name, one in said.items()]
    return sorted((step for step in steps if step is not None), key=lambda step: step.order), useless


def _moment(recorded: RecordedStep) -> tuple[datetime, int, int]:
    return recorded.fact.at, recorded.shard, recorded.seq


def _why_useless(
    amendment: RatingRecorded, amended: RecordedStep | None, before: RecordedStep | None
) -> RatingProblem | None:
    """Return the reason why an amendment has no effect, or None. `before` is the amendment in effect so far.

    An amendment from another system cannot replace one that a different person entered in table inventory.
    """
    if amended is None:
        return "amends_nothing"
    if before is None or not is_of_desk(before.fact) or is_of_desk(amendment):
        return None
    return None if same_person(before.fact.by, amendment.by) else "overruled"


def is_of_desk(step: RatingRecorded) -> bool:
    """Return whether a person entered a step in table inventory, instead of another system reporting it."""
    return step.step.startswith("desk/")


def _as_amended(recorded: RecordedStep, amendment: RecordedStep | None) -> Step | None:
    """Return a step after an amendment, or as recorded; None if the amendment voids it."""
    fact = recorded.fact
    place, key = (recorded.shard, recorded.seq), fact.device_key
    step = Step(fact.step, fact.event, fact.at, fact.table, fact.values or RatingValues(), place, key, key is not None)
    if amendment is None:
        return step
    instead = amendment.fact.values
    if instead is None:
        return None
    changed = instead.model_dump(exclude_none=True, include=set(OF_STEP[step.event]))
    values = step.values.model_copy(update=changed)
    step = replace(step, at=instead.at or step.at, values=values)
    said = instead.model_dump(exclude_none=True).keys()
    if key is None or not said & _TIES:
        return step
    is_of_table = amendment.fact.table == (values.table or step.table)
    key = amendment.fact.device_key if is_of_table else None
    return replace(step, device_key=key, is_patron_signed=key is not None or "patron" not in said)


_TIES: Final = frozenset({"patron", "table", "seat", "at"})
"""The values that tie a seat to a patron. An amendment of one removes the tie unless the table's device signed it."""
