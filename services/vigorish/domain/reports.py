"""The vigorish report as a document: sums by table, seat, dealer, shift and class, and what does not agree. Pure."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from hashlib import sha256
from typing import Any, Literal

from pydantic import BaseModel, Field

from shared.contracts.envelope import canonical
from shared.contracts.exact import exact_text, share
from shared.contracts.reports import DayReportHeader
from shared.contracts.vigorish import AssessedLine

UNKNOWN = "unknown"
"""Stands for a dealer, shift, game or class that no event has named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Owed:
    """What a seat owes of a round, as a player or as the bank, cents.

    `base_cents` is the amount won on which it was assessed, `exact` rate times base, `lines` how many there are;
    `disagreeing` of them were settled to something else than rate and rounding make.
    """

    table: str
    round_id: str
    seat: int
    bank: bool
    game: str
    owed_by: str
    dealer: str
    shift: str
    closed_at: datetime | None
    settled_at: datetime | None
    assessed_cents: int
    collected_cents: int
    waived_cents: int
    returned_cents: int
    lines: int
    disagreeing: int
    stake_cents: int
    base_cents: int
    exact: Fraction

    @property
    def outstanding_cents(self) -> int:
        """Return what is still owed; below zero where more was collected and waived than assessed."""
        return self.assessed_cents - self.collected_cents - self.waived_cents + self.returned_cents


class Figures(BaseModel):
    """Vigorish in cents.

    assessed = collected + waived - returned + outstanding - over_collected. `rounding_cents` is what was
    assessed above rate times base, exactly; `late` counts what was collected or waived after its round had closed.
    """

    lines: int
    stake_cents: int
    base_cents: int
    assessed_cents: int
    rounding_cents: str
    collected_cents: int
    waived_cents: int
    returned_cents: int
    outstanding_cents: int
    over_collected_cents: int
    late: int


class TableRow(Figures):
    """A game at a table, apart for who owes: players, players whom a bank paid, banks, co-banks."""

    table: str
    game: str
    owed_by: str


class SeatRow(Figures):
    """A seat of a table."""

    table: str
    seat: int


class DealerRow(Figures):
    """A dealer."""

    dealer: str


class ShiftRow(Figures):
    """A shift at a table."""

    table: str
    shift: str


class ClassRow(Figures):
    """All players, all players whom a bank paid, all banks, all co-banks."""

    owed_by: str


class VigorishReport(DayReportHeader):
    """The vigorish of a property on a gaming day. `rows_sha256` is taken over `tables` as canonical JSON."""

    title: str = "Vigorish by table, seat, dealer and shift"
    exceptions: int
    tables: list[TableRow]
    seats: list[SeatRow]
    dealers: list[DealerRow]
    shifts: list[ShiftRow]
    classes: list[ClassRow]
    total: Figures
    rows_sha256: str


ExceptionKind = Literal["outstanding", "over_collected", "over_returned", "late", "not_assessed", "disagrees"]


ExceptionKey = tuple[str, str, int, bool, str]
"""(table, round, seat, bank, kind)"""


class ExceptionItem(BaseModel):
    """Vigorish that is not as it must be.

    `outstanding`: not collected or waived at the end of its round. `over_collected`: more than was assessed, and not
    given back. `over_returned`: more given back than was collected. `not_assessed`: of a round that is not known.
    `late`: settled after the end of its round. `disagrees`: settled to something else than rate and rounding make.
    """

    kind: ExceptionKind
    table: str
    game: str
    round_id: str
    seat: int
    bank: bool
    owed_by: str
    dealer: str
    shift: str
    closed_at: datetime | None = None
    settled_at: datetime | None = None
    assessed_cents: int
    collected_cents: int
    waived_cents: int
    returned_cents: int
    outstanding_cents: int

    @property
    def key(self) -> ExceptionKey:
        """Return its place in the list."""
        return (self.table, self.round_id, self.seat, self.bank, self.kind)


class ExceptionList(DayReportHeader):
    """What is not as it must be, by table and round."""

    title: str = "Vigorish: exceptions"
    items: list[ExceptionItem]
    next: str | None = Field(default=None, description="the cursor of the items that follow; none on the last page")


class LineItem(BaseModel):
    """A settlement line that assessed vigorish. It stands unless its round was taken back."""

    table: str
    game: str
    gaming_day: date
    round_id: str
    revision: int
    closed_at: datetime
    dealer: str | None = None
    standing: bool
    assessed: AssessedLine
    shard: int
    seq: int


def report(rows: Sequence[Owed], **header: Any) -> VigorishReport:
    """Return the report of what is owed, with the header of a report."""
    tables = [
        TableRow(table=table, game=game, owed_by=owed_by, **figures)
        for (table, game, owed_by), figures in _by(rows, lambda row: (row.table, row.game, row.owed_by))
    ]
    return VigorishReport(
        **header,
        exceptions=len(exceptions(rows)),
        tables=tables,
        seats=[
            SeatRow(table=table, seat=seat, **figures)
            for (table, seat), figures in _by(rows, lambda row: (row.table, row.seat))
        ],
        dealers=[DealerRow(dealer=dealer, **figures) for (dealer,), figures in _by(rows, lambda row: (row.dealer,))],
        shifts=[
            ShiftRow(table=table, shift=shift, **figures)
            for (table, shift), figures in _by(rows, lambda row: (row.table, row.shift))
        ],
        classes=[ClassRow(owed_by=owed_by, **figures) for (owed_by,), figures in _by(rows, lambda row: (row.owed_by,))],
        total=Figures(**_figures(rows)),
        rows_sha256=sha256(canonical([row.model_dump(mode="json") for row in tables])).hexdigest(),
    )


def exceptions(rows: Iterable[Owed]) -> list[ExceptionItem]:
    """Return what is not as it must be; one seat of a round may be there for several reasons."""
    return [
        ExceptionItem(
            kind=kind,
            table=row.table,
            game=row.game,
            round_id=row.round_id,
            seat=row.seat,
            bank=row.bank,
            owed_by=row.owed_by,
            dealer=row.dealer,
            shift=row.shift,
            closed_at=row.closed_at,
            settled_at=row.settled_at,
            assessed_cents=row.assessed_cents,
            collected_cents=row.collected_cents,
            waived_cents=row.waived_cents,
            returned_cents=row.returned_cents,
            outstanding_cents=row.outstanding_cents,
        )
        for row in rows
        for kind in _kinds(row)
    ]


def _kinds(row: Owed) -> Iterable[ExceptionKind]:
    if row.outstanding_cents and row.closed_at is None:
        yield "not_assessed"
    elif row.outstanding_cents > 0:
        yield "outstanding"
    elif row.outstanding_cents < 0:
        yield "over_collected"
    if row.returned_cents > row.collected_cents:
        yield "over_returned"
    if _is_late(row):
        yield "late"
    if row.disagreeing:
        yield "disagrees"


def _is_late(row: Owed) -> bool:
    return row.closed_at is not None and row.settled_at is not None and row.settled_at > row.closed_at


def _by(rows: Sequence[Owed], key: Callable[[Owed], tuple[Any, ...]]) -> list[tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return the figures by a key, in its order."""
    groups: dict[tuple[Any, ...], list[Owed]] = {}
    for row in rows:
        groups.setdefault(key(row), []).append(row)
    return [(name, _figures(groups[name])) for name in sorted(groups)]


def _figures(rows: Sequence[Owed]) -> dict[str, Any]:
    assessed = sum(row.assessed_cents for row in rows)
    rounding = assessed - sum((row.exact for row in rows), Fraction(0))
    return {
        "lines": sum(row.lines for row in rows),
        "stake_cents": sum(row.stake_cents for row in rows),
        "base_cents": sum(row.base_cents for row in rows),
        "assessed_cents": assessed,
        "rounding_cents": exact_text(share(1, rounding)),
        "collected_cents": sum(row.collected_cents for row in rows),
        "waived_cents": sum(row.waived_cents for row in rows),
        "returned_cents": sum(row.returned_cents for row in rows),
        "outstanding_cents": sum(max(row.outstanding_cents, 0) for row in rows),
        "over_collected_cents": sum(max(-row.outstanding_cents, 0) for row in rows),
        "late": sum(_is_late(row) for row in rows),
    }
