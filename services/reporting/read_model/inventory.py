"""Measures of the table-inventory ledger: the win as stated, and related figures. Pure.

The legal figures of win come only from the statements that table inventory makes about a table in a shift of a gaming
day, because the service that computes the win also decides to which day, shift and window an event belongs.
`handed_over_cents` is part of the closer of one shift and of the opener of the next shift, but of neither opener nor
closer of the whole day.

A non-banking table has a rake instead of a win. `rake_boxes` counts its boxes, and `rake_checks_cents` is the sum of
counter checks in them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from typing import Final, NamedTuple, Self

from services.reporting.read_model.measures import Amount, adds
from shared.contracts import inventory, pit
from shared.contracts.win import Missing, WinStated

_OF_WIN: Final = {
    name: name
    for name in (
        *("opener_cents", "closer_cents", "handed_over_cents", "fills_cents", "credits_cents", "prepaid_cents"),
        *("coupons_paid_cents", "vigorish_waived_cents", "currency_cents", "counter_checks_cents", "coupons_cents"),
        *("drop_cents", "win_cents", "adjusted_cents", "boxes", "boxes_counted"),
        *("counted_win_cents", "unrecorded_currency_cents", "unrecorded_checks_cents"),
    )
}
_OF_RAKE: Final = {
    "rake_cents": "rake_cents",
    "adjusted_cents": "rake_cents",
    "counter_checks_cents": "rake_checks_cents",
    "openings": "rake_openings",
    "boxes": "rake_boxes",
    "boxes_counted": "rake_boxes_counted",
}
"""The measure of each figure stated about a non-banking table, keyed by figure; the rake includes adjustments."""


class Lack(NamedTuple):
    """A missing item of a table's day, such as a box; the measures `missing` and `rake_missing` are 0 once found."""

    what: str
    since: datetime

    @classmethod
    def of(cls, missing: Missing) -> Self:
        """Return a missing item as table inventory states it, named with its box or slip."""
        return cls(f"{missing.what} {missing.name}".strip(), missing.since.astimezone(UTC))

    @classmethod
    def of_item(cls, item: str) -> Self:
        """Return the missing item encoded in the item of an amount."""
        what, _, since = item.rpartition("@")
        return cls(what, datetime.fromisoformat(since))

    @property
    def item(self) -> str:
        """Return the `item` of an amount: the missing item's name, `@`, and the time since when it has been missing."""
        return f"{self.what}@{self.since.isoformat()}"


@adds(WinStated)
def stated(fact: WinStated) -> Iterator[Amount]:
    """Yield the changes that a statement of win makes to the figures and missing items of a table in a shift."""
    here = partial(Amount, table=fact.table, shift=fact.shift)
    measures: Mapping[str, str] = _OF_RAKE if fact.non_banking else _OF_WIN
    for figure, measure in measures.items():
        yield here(measure, getattr(fact.changes, figure))
    for sign, lacks in ((1, fact.lost), (-1, fact.found)):
        for one in lacks:
            yield here("rake_missing" if fact.non_banking else "missing", sign, item=Lack.of(one).item)


@adds(inventory.PitRecorded)
def pit_event(fact: inventory.PitRecorded) -> Iterator[Amount]:
    """Yield the sales to players, tips and time collections of a pit event, none of which are figures of the win."""
    data, moved_cents = fact.data, 0 if fact.moved is None else fact.moved.cents
    here = partial(Amount, table=fact.table)
    match data:
        case pit.SoldChips(instrument="currency"):
            yield here("sold_for_currency_cents", -moved_cents)
            if data.patron is not None:
                yield here("patron_bought_cents", -moved_cents, item=data.patron)
            for one in data.on_behalf_of or ():
                yield here("others_in_cents", -moved_cents, item=one)
        case pit.IssuedCounterCheck():
            yield here("checks_issued_cents", -moved_cents)
            yield here("check_left_cents", -moved_cents, item=data.serial)
        case pit.CollectedTips():
            yield here("tips_cents", data.cents)
        case pit.CollectedTime():
            yield here("time_collected_cents", data.seats * data.cents_per_seat)
            yield here("time_seat_minutes", data.seats * data.minutes)


@adds(inventory.PitVoided)
def voided(fact: inventory.PitVoided) -> Iterator[Amount]:
    """Yield the amounts of a voided pit event, with the opposite sign."""
    said = {name: getattr(fact, name) for name in inventory.OfPitEvent.model_fields}
    if fact.moved is not None:
        said["moved"] = fact.moved.model_copy(update={"cents": -fact.moved.cents})
    for amount in pit_event(inventory.PitRecorded.model_construct(**said)):
        yield replace(amount, value=-amount.value)
