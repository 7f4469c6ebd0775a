"""What the table-inventory ledger adds to measures: the figures of the win, and what stands beside them. Pure.

Counts stand in the shift that they end or begin, boxes and adjustments in theirs. A count while the table stays open
is the closer of one shift and the opener of the next; `handed_over_cents` has it where both are in one gaming day, so
that the opener of the day is `opener_cents` less `handed_over_cents`, and so is its closer.

A non-banking table has a rake and no win: its boxes are `rake_boxes`, and none of its figures is one of the win.
`rake_checks_cents` is what counter checks in them come to.
"""

from collections.abc import Iterator
from functools import partial
from typing import Final

from services.reporting.books.measures import Amount, adds
from shared.contracts import counts, inventory, pit
from shared.contracts.chips import value_of

_COUPONS: Final = {"match_play": "match_play_cents", "direct_bet": "direct_bet_cents"}
"""The coupons that law may count as drop; all others are a memorandum."""


@adds(inventory.PitRecorded)
def pit_event(fact: inventory.PitRecorded) -> Iterator[Amount]:
    """Say what an event of the pit adds; of movements it is what the inventory gave or took, as a positive number."""
    data, moved_cents = fact.data, 0 if fact.moved is None else fact.moved.cents
    here = partial(Amount, table=fact.table, shift=fact.shift)
    match data:
        case pit.SoldChips(instrument="currency"):
            yield here("sold_for_currency_cents", -moved_cents)
            if data.patron is not None:
                yield here("patron_bought_cents", -moved_cents, item=data.patron)
        case pit.IssuedCounterCheck():
            yield here("checks_issued_cents", -moved_cents)
            yield here("checks_issued", 1)
            yield here("check_left_cents", -moved_cents, item=data.serial)
        case pit.CollectedTips():
            yield here("tips_cents", data.cents)
        case pit.OpenedTable() if fact.non_banking:
            yield here("rake_openings", 1)
        case pit.ExchangedBox():
            yield here("rake_boxes" if fact.non_banking else "boxes", 1)
        case _ if not fact.non_banking:
            yield from _of_win(fact, moved_cents)


def _of_win(fact: inventory.PitRecorded, moved_cents: int) -> Iterator[Amount]:
    """Say what an event adds to the figures of the win that are not of what players bought."""
    data, here = fact.data, partial(Amount, table=fact.table, shift=fact.shift)
    match data:
        case pit.OpenedTable():
            yield here("opener_cents", value_of(data.contents))
            yield here("openings", 1)
        case pit.ClosedTable():
            yield here("closer_cents", value_of(data.contents))
            yield here("closings", 1)
        case pit.CountedOpenTable(begins=pit.NextShift() as begun):
            cents = value_of(data.contents)
            yield here("closer_cents", cents)
            yield here("closings", 1)
            next_one = partial(Amount, table=fact.table, shift=begun.shift, gaming_day=begun.gaming_day)
            yield next_one("opener_cents", cents)
            yield next_one("openings", 1)
            if begun.gaming_day == fact.gaming_day:
                yield here("handed_over_cents", cents)
        case pit.CarriedTable():
            yield here("opener_cents", value_of(data.contents))
            yield here("closer_cents", value_of(data.contents))
            yield here("carried", 1)
        case pit.ReceivedFill():
            yield here("fills_cents", moved_cents)
        case pit.CarriedCredit():
            yield here("credits_cents", -moved_cents)
        case pit.SoldChips():
            yield here("prepaid_cents", -moved_cents)
        case pit.DroppedCoupon():
            yield here("coupons_paid_cents", -moved_cents, item=data.coupon)
        case pit.WaivedVigorish():
            yield here("vigorish_waived_cents", -moved_cents)


@adds(inventory.ManualSlipEntered)
def manual_slip(fact: inventory.ManualSlipEntered) -> Iterator[Amount]:
    """Say what a paper slip that was entered afterwards adds."""
    if not fact.non_banking:
        yield Amount(f"{fact.slip}s_cents", value_of(fact.contents), fact.table, fact.shift)


@adds(inventory.SlipVoided)
def voided_slip(fact: inventory.SlipVoided) -> Iterator[Amount]:
    """Say what a void takes back: chips of a credit on their way return to the table."""
    if fact.slip == "credit" and not fact.non_banking:
        yield Amount("credits_cents", -value_of(fact.returned), fact.table)


@adds(counts.CountConcluded)
def count(fact: counts.CountConcluded) -> Iterator[Amount]:
    """Say what was in each box, under the gaming day and shift of the box."""
    for box in fact.boxes:
        here = partial(Amount, table=box.table, shift=box.shift, gaming_day=box.gaming_day)
        if box.rake_cents is not None:
            yield here("rake_boxes_counted", 1)
            yield here("rake_cents", box.rake_cents)
            yield here("rake_checks_cents", box.counter_checks_cents)
            continue
        yield here("boxes_counted", 1)
        yield here("currency_cents", box.currency_cents)
        yield here("counter_checks_cents", box.counter_checks_cents)
        yield here("coupons_cents", box.coupons_cents)
        for coupons in box.figures.coupons:
            if coupons.coupon in _COUPONS:
                yield here(_COUPONS[coupons.coupon], coupons.cents * coupons.count)


@adds(inventory.AdjustmentApproved)
def adjustment(fact: inventory.AdjustmentApproved) -> Iterator[Amount]:
    """Say by how much a figure of the win, or a rake, was adjusted; the item is the figure of the win."""
    if fact.figure == "rake":
        yield Amount("rake_cents", fact.cents, fact.table, fact.shift)
        return
    yield Amount("adjusted_cents", fact.cents, fact.table, fact.shift, fact.figure)


@adds(inventory.VarianceResolved)
def resolved(fact: inventory.VarianceResolved) -> Iterator[Amount]:
    """Say what a variance came to when it was resolved; the item is its kind."""
    yield Amount("variance_resolved_cents", fact.cents, fact.table, item=fact.variance)
