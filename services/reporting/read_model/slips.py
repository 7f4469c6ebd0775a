"""Fill and credit slips, each with the facts that record its steps. Amounts are cents."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any, Final, Literal

from sqlalchemy import text

from services.reporting.framework.figures import NOTHING, Figure
from services.reporting.read_model.derived import stands
from services.reporting.read_model.reading import Books, Listed
from shared.contracts import inventory, pit
from shared.contracts.chips import value_of
from shared.contracts.inventory import SlipKind

SlipStatus = Literal["requested", "prepared", "carried", "received", "void"]
Series = Literal["system", "paper"]
"""The issuer of a slip's number: the system, or the printer of the paper forms used while the system is down."""

STEPS: Final = (pit.CarriedFill, pit.ReceivedFill, pit.CarriedCredit)
"""The pit events of slips."""


@dataclass(frozen=True)
class Slip:
    """A fill or credit slip, with the fact that records each of its steps.

    A slip has no `number` until it is prepared. A paper slip is a single fact, because all of its steps have been taken
    when it is entered.
    """

    slip: SlipKind
    number: int | None = None
    requested: Listed | None = None
    prepared: Listed | None = None
    carried: Listed | None = None
    received: Listed | None = None
    voided: Listed | None = None
    paper: Listed | None = None

    @cached_property
    def steps(self) -> tuple[Listed, ...]:
        """Return the facts of the recorded steps, in order."""
        steps = (self.requested, self.prepared, self.carried, self.received, self.voided, self.paper)
        return tuple(step for step in steps if step is not None)

    @cached_property
    def begun(self) -> Any:
        """Return the fact that states the slip's table and contents; if there is none, the fact of the first step."""
        return (self.paper or self.prepared or self.requested or self.steps[0]).fact

    @property
    def series(self) -> Series:
        """Return the series to which the slip's number belongs."""
        return "system" if self.paper is None else "paper"

    @property
    def is_known(self) -> bool:
        """Return whether the contents are known: whether a request, a prepared slip or a paper slip was recorded."""
        return (self.paper or self.prepared or self.requested) is not None

    @property
    def is_over(self) -> bool:
        """Return whether the slip is received or void."""
        return self.status in ("received", "void")

    @cached_property
    def status(self) -> SlipStatus:
        """Return the status after the latest step: requested, prepared, carried, received or void."""
        if self.voided is not None or isinstance(self.begun, inventory.ManualSlipVoided):
            return "void"
        if self.received is not None or self.paper is not None:
            return "received"
        if self.carried is not None:
            return "carried"
        return "prepared" if self.prepared is not None else "requested"

    @cached_property
    def value(self) -> Figure:
        """Return the value of the slip's stated contents, in cents."""
        return _value(self.paper or self.prepared or self.requested, "contents")

    @cached_property
    def arrived(self) -> Figure | None:
        """Return the value received, in cents; None until the slip is received."""
        if self.status != "received":
            return None
        if self.received is None:
            return self.value
        if self.slip == "credit":
            return _value(self.received, "received_contents")
        return Figure(value_of(self.received.fact.data.contents), (self.received.entry,))

    def moved(self, first: date, last: date) -> Figure:
        """Return the value that a fill moved to the table, or a credit from it, on the given gaming days."""

        def of_days(step: Listed | None) -> bool:
            return step is not None and first <= step.fact.gaming_day <= last

        if self.paper is not None:
            return self.value if of_days(self.paper) else NOTHING
        if self.slip == "fill":
            return self.arrived or NOTHING if of_days(self.received) else NOTHING
        left = self.value if of_days(self.carried) else NOTHING
        return left - _value(self.voided, "returned") if of_days(self.voided) else left


def _value(listed: Listed | None, field: str) -> Figure:
    if listed is None:
        return NOTHING
    return Figure(value_of(getattr(listed.fact, field, ())), (listed.entry,))


def slips_from(facts: Iterable[Listed]) -> list[Slip]:
    """Return the slips, and the requests without a slip, to which facts belong; the facts may be in any order."""
    steps: defaultdict[tuple[SlipKind, int], dict[str, Listed]] = defaultdict(dict)
    requests: dict[int, Listed] = {}
    paper: list[Slip] = []
    for one in facts:
        match one.fact:
            case inventory.SlipPrepared(slip=slip, number=number):
                steps[slip, number]["prepared"] = one
            case inventory.SlipRequested(request=request):
                requests[request] = one
            case (
                inventory.ManualSlipEntered(slip=slip, number=number)
                | inventory.ManualSlipVoided(slip=slip, number=number)
            ):
                paper.append(Slip(slip, number, paper=one))
            case _:
                slip, number, step = _step(one)
                steps[slip, number][step] = one
    for found in steps.values():
        if "prepared" in found and (requested := requests.pop(found["prepared"].fact.request, None)):
            found["requested"] = requested
    slips = [Slip(slip, number, **found) for (slip, number), found in steps.items()]
    return [*slips, *(Slip(one.fact.slip, requested=one) for one in requests.values()), *paper]


def _step(listed: Listed) -> tuple[SlipKind, int, Literal["carried", "received", "voided"]]:
    match listed.fact:
        case inventory.CreditReceived(slip=slip, number=number):
            return slip, number, "received"
        case inventory.SlipVoided(slip=slip, number=number):
            return slip, number, "voided"
        case inventory.PitRecorded(data=pit.CarriedFill(number=number)):
            return "fill", number, "carried"
        case inventory.PitRecorded(data=pit.ReceivedFill(number=number)):
            return "fill", number, "received"
        case inventory.PitRecorded(data=pit.CarriedCredit(number=number)):
            return "credit", number, "carried"
    raise TypeError(f"{type(listed.fact).__name__} is no step of a slip")


_OF_DAYS: Final = text(
    """
    SELECT DISTINCT slip FROM reporting.facts
    WHERE property = :property AND slip IS NOT NULL AND gaming_day BETWEEN :first AND :last
      AND recorded_at <= :known_at AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table)
      AND {stands}""".replace("{stands}", stands())
)

# The steps of a slip may lie days apart. For each slip its request is read, and every slip prepared for that request.
_STEPS: Final = text(
    """
    WITH asked AS (SELECT unnest(CAST(:slips AS text[])) AS slip),
    requests AS (
        SELECT slip FROM asked
        UNION SELECT slip_request FROM reporting.facts JOIN asked USING (slip)
        WHERE property = :property AND slip_request IS NOT NULL AND recorded_at <= :known_at),
    wanted AS (
        SELECT slip FROM requests
        UNION SELECT f.slip FROM reporting.facts f JOIN requests r ON f.slip_request = r.slip
        WHERE f.property = :property AND f.recorded_at <= :known_at)
    SELECT service, shard, seq, kind, gaming_day, occurred_at, recorded_at, CAST(data AS text) AS data
    FROM reporting.facts JOIN wanted USING (slip)
    WHERE property = :property AND recorded_at <= :known_at
      AND (CAST(:table AS text) IS NULL OR table_name IS NULL OR table_name = :table) AND {stands}
    ORDER BY recorded_at, service, shard, seq""".replace("{stands}", stands())
)


async def slips_of(books: Books) -> list[Slip]:
    """Return the slips with a step on the queried gaming days, ordered by kind and number."""
    question = books.question
    rows = await books.read(_OF_DAYS, first=question.first, last=question.last, table=question.table)
    return await slips_named(books, [row.slip for row in rows])


async def slips_named(books: Books, slips: Sequence[str]) -> list[Slip]:
    """Return the fill and credit slips and requests with these names, each with all of its steps.

    `slips` are values of the column `slip` of the table `facts`. Omitted are slips without a step on the gaming days
    that `books.question` asks for.
    """
    first, last = books.question.first, books.question.last
    rows = await books.read(_STEPS, slips=slips, table=books.question.table)
    found = [
        slip
        for slip in slips_from(Listed.of(row) for row in rows)
        if any(first <= step.fact.gaming_day <= last for step in slip.steps)
    ]
    return sorted(found, key=lambda slip: (slip.slip, slip.series, slip.number or 0, slip.begun.gaming_day))
