"""The vigorish report as a document: sums by table, seat, dealer, shift and class, and what does not agree. Pure."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final, Literal, TypeVar

from pydantic import BaseModel, Field

from shared.contracts.exact import exact_text, share
from shared.contracts.reports import DayReportHeader, rows_sha256
from shared.contracts.versions import fields_of
from shared.contracts.vigorish import AssessedLine

UNKNOWN = "unknown"
"""Stands for a dealer, shift, game or class that no event has named."""


class SeatOfRound(BaseModel):
    """A seat in a round, as a player or as the bank: who owed and dealt, and what became of it, cents."""

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


class Owed(SeatOfRound):
    """What a seat owes of a round, with how it was assessed, cents.

    `base_cents` is the amount won on which it was assessed, `exact_cents` rate times base, `lines` how many there are;
    `disagreeing` of them were settled to something else than rate and rounding make. `claimed_day` is the gaming day
    that an event about it claimed, where that was not the one of its moment.
    """

    lines: int
    disagreeing: int
    stake_cents: int
    base_cents: int
    exact_cents: Fraction
    claimed_day: date | None = None

    @property
    def outstanding_cents(self) -> int:
        """Return what is still owed; below zero where more was collected and waived than assessed."""
        return self.assessed_cents - self.collected_cents - self.waived_cents + self.returned_cents

    @property
    def is_late(self) -> bool:
        """Return whether something was collected or waived after the round had closed."""
        return self.closed_at is not None and self.settled_at is not None and self.settled_at > self.closed_at


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


FiguresT = TypeVar("FiguresT", bound=Figures)


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


ExceptionKind = Literal[
    "outstanding", "over_collected", "over_returned", "late", "not_assessed", "disagrees", "other_gaming_day"
]


ExceptionKey = tuple[str, str, int, bool, str]
"""(table, round, seat, bank, kind)"""


class ExceptionItem(SeatOfRound):
    """Vigorish that is not as it must be.

    `outstanding`: not collected or waived at the end of its round. `over_collected`: more than was assessed, and not
    given back. `over_returned`: more given back than was collected. `not_assessed`: of a round that is not known.
    `late`: settled after the end of its round. `disagrees`: settled to something else than rate and rounding make.
    `other_gaming_day`: reported of another gaming day than that of its moment.
    """

    kind: ExceptionKind
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
    tables = _by(rows, TableRow)
    return VigorishReport(
        **header,
        exceptions=len(exceptions(rows)),
        tables=tables,
        seats=_by(rows, SeatRow),
        dealers=_by(rows, DealerRow),
        shifts=_by(rows, ShiftRow),
        classes=_by(rows, ClassRow),
        total=Figures(**_figures(rows)),
        rows_sha256=rows_sha256(tables),
    )


def exceptions(rows: Iterable[Owed]) -> list[ExceptionItem]:
    """Return what is not as it must be; one seat of a round may be there for several reasons."""
    return [
        ExceptionItem(kind=kind, outstanding_cents=row.outstanding_cents, **fields_of(row, SeatOfRound))
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
    if row.is_late:
        yield "late"
    if row.disagreeing:
        yield "disagrees"
    if row.claimed_day is not None:
        yield "other_gaming_day"


def _by(rows: Sequence[Owed], kind: type[FiguresT]) -> list[FiguresT]:
    """Return the figures by what a kind of row has besides them, in its order."""
    names = [name for name in kind.model_fields if name not in Figures.model_fields]
    groups: dict[tuple[Any, ...], list[Owed]] = {}
    for row in rows:
        groups.setdefault(tuple(getattr(row, name) for name in names), []).append(row)
    return [kind(**dict(zip(names, key, strict=True)), **_figures(groups[key])) for key in sorted(groups)]


def _figures(rows: Sequence[Owed]) -> dict[str, Any]:
    sums = {name: sum(getattr(row, name) for row in rows) for name in _SUMS}
    rounding = sums["assessed_cents"] - sum((row.exact_cents for row in rows), Fraction(0))
    return sums | {
        "rounding_cents": exact_text(share(1, rounding)),
        "outstanding_cents": sum(max(row.outstanding_cents, 0) for row in rows),
        "over_collected_cents": sum(max(-row.outstanding_cents, 0) for row in rows),
        "late": sum(row.is_late for row in rows),
    }


_SUMS: Final = tuple(name for name in Figures.model_fields if name in Owed.model_fields)
"""The figures that are sums of what seats have under the same names."""
