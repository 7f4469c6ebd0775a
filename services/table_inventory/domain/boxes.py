"""Drop boxes and their count. Figures stay sealed until the count is concluded: no counter sees another's figures."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from hashlib import sha256
from typing import Literal

from pydantic import AwareDatetime, BaseModel

from shared.contracts.chips import value_of
from shared.contracts.counts import BoxFigures, BoxTurn, CountConcluded, CountedBox, CountOpened
from shared.contracts.envelope import as_json, canonical
from shared.contracts.properties import Sales
from shared.contracts.win import Missing

BoxKey = tuple[str, int]
"""The key of a drop box: (table, sequence of the exchange that removed it)."""

Turns = Mapping[BoxKey, Sequence[BoxTurn]]
"""The turns in which people counted each drop box, in order, by drop box."""


class Box(BaseModel, frozen=True):
    """A drop box of a gaming day and shift, with the recorded drop and, once counted, the contents in cents.

    `placed_box` is the box that replaced it on the table. `written_off`: the box cannot be counted.
    `placed_written_off`: `placed_box` never came back.
    """

    table: str
    exchange: int
    box: str
    gaming_day: date
    shift: str
    removed_at: AwareDatetime
    transported_at: AwareDatetime | None
    placed_box: str | None = None
    written_off: bool = False
    placed_written_off: bool = False
    recorded_currency_cents: int
    recorded_checks_cents: int
    count: int | None = None
    currency_cents: int | None = None
    counter_checks_cents: int | None = None
    coupons_cents: int | None = None
    rake_cents: int | None = None
    figures: BoxFigures | None = None

    @property
    def key(self) -> BoxKey:
        """Return the key of the box."""
        return (self.table, self.exchange)

    @property
    def is_done(self) -> bool:
        """Return whether the box is counted or written off."""
        return self.currency_cents is not None or self.written_off

    def missing_count(self) -> Missing:
        """Return the item that reports the missing count of the box."""
        return Missing(what="count", name=self.box, since=self.removed_at)

    @property
    def differences(self) -> Mapping[str, int]:
        """Return counted less recorded cents, by instrument; empty before the count."""
        if self.currency_cents is None or self.counter_checks_cents is None:
            return {}
        return {
            "currency": self.currency_cents - self.recorded_currency_cents,
            "counter_check": self.counter_checks_cents - self.recorded_checks_cents,
        }

    def unrecorded(self, sales: Sales) -> Mapping[str, int]:
        """Return the cents by which the contents exceed the recorded sales, by instrument; only positive amounts.

        At a table that reports each of its `sales`, the result is empty, because a surplus is a variance there. A
        shortfall is a variance at every table.
        """
        if sales == "each":
            return {}
        return {instrument: cents for instrument, cents in self.differences.items() if cents > 0}

    def coupon_cents(self, coupon: str) -> int:
        """Return the stated value of the counted coupons of one kind, in cents."""
        coupons = () if self.figures is None else self.figures.coupons
        return sum(item.cents * item.count for item in coupons if item.coupon == coupon)

    def counted(self, figures: BoxFigures, turns: Sequence[BoxTurn], *, non_banking: bool) -> CountedBox:
        """Return the counted box as recorded in a fact. Only the box of a `non_banking` table has rake."""
        place = {name: getattr(self, name) for name in ("table", "exchange", "box", "gaming_day", "shift")}
        return CountedBox(
            **place,
            figures=figures,
            currency_cents=sum(pieces.cents * pieces.count for pieces in figures.currency),
            counter_checks_cents=sum(check.cents for check in figures.counter_checks),
            coupons_cents=sum(item.cents * item.count for item in figures.coupons),
            rake_cents=value_of(figures.rake) if non_banking else None,
            turns=tuple(turns),
        )


def awaited(boxes: Iterable[Box], turns: Mapping[BoxKey, Sequence["BoxTurn"]]) -> list[Box]:
    """Return the boxes that a count must include: uncounted boxes, and written-off boxes that anyone has counted."""
    return [box for box in boxes if not box.is_done or turns.get(box.key)]


class BoxFound(BaseModel):
    """A removal of a drop box from a table."""

    table: str
    exchange: int
    box: str
    shift: str
    gaming_day: date
    removed_at: datetime


class BoxProgress(BaseModel):
    """The progress of counting a box, without its figures."""

    table: str
    exchange: int
    box: str
    shift: str
    turns: int
    counted_by: list[str]
    agreed: bool

    @classmethod
    def of(cls, box: Box | CountedBox, turns: Sequence[BoxTurn], counters: int) -> "BoxProgress":
        """Return the progress of a box for which `counters` people must find the same figures."""
        place = {name: getattr(box, name) for name in ("table", "exchange", "box", "shift")}
        people = [turn.counted_by for turn in turns]
        return cls(**place, turns=len(turns), counted_by=people, agreed=agreed(turns, counters) is not None)


class CountDocument(CountOpened):
    """A count of drop boxes for display: its progress and, once it is concluded, its figures (`concluded`)."""

    status: Literal["open", "concluded"] = "open"
    boxes: tuple[BoxProgress, ...]
    concluded: CountConcluded | None = None


def commitment_of(figures: BoxFigures, salt: str) -> str:
    """Return the commitment to sealed figures: their SHA-256 with the salt, in hexadecimal."""
    return sha256(canonical({"figures": as_json(figures), "salt": salt})).hexdigest()


def agreed(turns: Sequence[BoxTurn], counters: int) -> BoxFigures | None:
    """Return the figures that at least `counters` people found, or None."""
    found = [in_order(turn.figures) for turn in turns]
    return next((figures for figures in found if found.count(figures) >= counters), None)


def in_order(figures: BoxFigures) -> BoxFigures:
    """Return figures in a canonical order."""
    return BoxFigures(
        currency=tuple(sorted(figures.currency, key=lambda pieces: pieces.cents)),
        counter_checks=tuple(sorted(figures.counter_checks, key=lambda check: check.serial)),
        coupons=tuple(sorted(figures.coupons, key=lambda item: (item.coupon, item.cents))),
        rake=tuple(sorted(figures.rake, key=lambda pieces: (pieces.kind, pieces.cents))),
    )
