"""Properties of the books: the win by § 601a.9 and the win of the rounds differ by the variances and nothing else."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.boxes import Box
from services.table_inventory.domain.pit import Known, record_pit
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.win import wins
from services.table_inventory.domain.windows import Count, Moves, Purpose, Window
from services.table_inventory.handlers import PitEvents
from shared.contracts.counts import BoxFigures, CheckInBox, CouponsInBox, CurrencyPieces
from shared.jurisdictions.model import Instruments
from tests.support.pit import PROPERTY, Table, at
from tests.support.properties import place
from tests.support.rounds import encoded

DAY = date(2026, 11, 20)
CENTS = st.integers(0, 10**9)
SIGNED = st.integers(-(10**9), 10**9)
PLACE = place(PROPERTY)
PROVISIONS = Provisions.of(PLACE, DAY)
DROP = st.lists(st.sampled_from(list(Instruments.model_fields)), unique=True).map(tuple)
"""The instruments that a law counts as drop."""


@st.composite
def moves(draw: st.DrawFn) -> Moves:
    """What moved in a window."""
    fills, credits_, currency, prepaid, checks, coupons, waived = (draw(CENTS) for _ in range(7))
    rounds = draw(SIGNED)
    return Moves(
        cents=fills - credits_ - currency - prepaid - checks - coupons - waived + rounds,
        fills_cents=fills,
        credits_cents=credits_,
        currency_cents=currency,
        prepaid_cents=prepaid,
        counter_checks_cents=checks,
        rounds=1,
        rounds_cents=rounds,
        coupons_paid_cents=coupons,
        vigorish_waived_cents=waived,
    )


def box_of(number: int, shift: str, **counted: int) -> Box:
    """A drop box of the table for a shift, in which nothing was recorded as dropped."""
    return Box(
        table="BJ-01",
        exchange=number,
        box="A1",
        gaming_day=DAY,
        shift=shift,
        removed_at=at(1),
        transported_at=at(1),
        recorded_currency_cents=0,
        recorded_checks_cents=0,
        **counted,
    )


@st.composite
def days(draw: st.DrawFn) -> tuple[list[Window], list[Box]]:
    """A day of a table: an opener, counts, a closer, perhaps all of it again, and a box each shift."""
    windows: list[Window] = []
    before: Count | None = None
    for number in range(draw(st.integers(2, 8))):
        purpose: Purpose = "opener"
        if before is not None and before.purpose != "closer":
            purpose = draw(st.sampled_from(["closer", "shift", "spot"]))
        count = Count(
            table="BJ-01",
            sequence=number + 1,
            at=at(number),
            gaming_day=DAY,
            shift=draw(st.sampled_from(["day", "swing"])),
            purpose=purpose,
            cents=draw(CENTS),
            contents={},
        )
        windows.append(Window(start=before, end=count, moves=draw(moves())))
        before = count
    boxes = []
    for number, shift in enumerate(("day", "swing")):
        counted = {name: draw(CENTS) for name in ("currency_cents", "counter_checks_cents", "coupons_cents")}
        boxes.append(box_of(number, shift, **counted))
    return windows, boxes


@given(days(), st.booleans(), DROP)
def test_the_two_measures_differ_by_the_variances_alone(
    day: tuple[list[Window], list[Box]], by_shift: bool, drop: tuple[str, ...]
) -> None:
    """win = rounds + inventory variance + drop variance + drop, less what was taken for chips, whatever is drop."""
    windows, boxes = day
    for win in wins(replace(PROVISIONS, drop=drop), windows, boxes, [], by_shift=by_shift):
        if win.win_cents is None or not win.opened:
            continue
        assert win.drop_variance_cents is not None
        explained = win.rounds_win_cents + win.inventory_variance_cents + win.drop_variance_cents
        taken = win.currency_cents + win.counter_checks_cents + win.prepaid_cents
        assert win.win_cents == explained + win.drop_cents - taken


@given(days(), DROP)
def test_the_shifts_of_a_day_add_up_to_the_day(day: tuple[list[Window], list[Box]], drop: tuple[str, ...]) -> None:
    """Whatever the order of the shifts: no cent is of two shifts or of none."""
    windows, boxes = day
    provisions = replace(PROVISIONS, drop=drop)
    [whole] = wins(provisions, windows, boxes, [], by_shift=False)
    shifts = wins(provisions, windows, boxes, [], by_shift=True)
    for name in ("fills_cents", "credits_cents", "drop_cents", "rounds_win_cents", "inventory_variance_cents"):
        assert getattr(whole, name) == sum(getattr(shift, name) for shift in shifts)
    if whole.closer_cents is not None:
        in_shifts = sum((one.closer_cents or 0) - one.opener_cents for one in shifts)
        assert whole.closer_cents - whole.opener_cents == in_shifts


@given(
    st.lists(st.tuples(st.integers(1, 10**6), st.integers(1, 100)), max_size=5),
    st.lists(st.integers(1, 10**6), max_size=3),
    st.integers(0, 10**9),
)
def test_a_counted_box_balances_and_coupons_are_never_drop(
    currency: list[tuple[int, int]], checks: list[int], sold: int
) -> None:
    """What was counted is drop; what was recorded less what was counted stays in the box account; coupons are memo."""
    table = TableAccounts(PROPERTY, "BJ-01")
    figures = BoxFigures(
        currency=tuple(CurrencyPieces(cents=cents, count=count) for cents, count in currency),
        counter_checks=tuple(CheckInBox(serial=f"CC-{n}", cents=cents) for n, cents in enumerate(checks)),
        coupons=(CouponsInBox(coupon="match_play", cents=2500, count=3),),
    )
    counted = box_of(1, "day").counted(figures, (), non_banking=False)
    postings = table.sold("currency", sold) + table.counted_box(counted)
    assert 0 == sum(posting.cents for posting in postings)
    drop = sum(posting.cents for posting in postings if posting.account.leg == "drop")
    assert sum(cents * count for cents, count in currency) + sum(checks) == drop
    box = sum(posting.cents for posting in postings if posting.account.leg == "box")
    assert sold - drop == box


@given(st.lists(st.sampled_from(["sold", "tips", "coupon", "waived"]), max_size=30), st.data())
def test_the_inventory_account_is_the_sum_of_the_movements(kinds: list[str], data: st.DataObject) -> None:
    """Whatever happens at a table, postings balance and the inventory moves by what the entries say."""
    table, known = Table("BJ-01"), Known(lambda *_: PLACE)
    inventory = moved = 0
    for number, kind in enumerate(kinds):
        cents = data.draw(st.integers(1, 10**6))
        happens: dict[str, dict[str, Any]] = {
            "sold": {"kind": "chips.sold", "instrument": "currency", "dealer": "d"},
            "tips": {"kind": "tips.collected", "collected_by": "a", "observed_by": "b"},
            "coupon": {"kind": "coupon.dropped", "coupon": "match_play", "paid_cents": cents, "dealer": "d"},
            "waived": {"kind": "vigorish.waived", "round_id": "r", "seat": 1, "by": "f", "reason": "w"},
        }
        event = table.event(moment=at(0) + timedelta(minutes=number), cents=cents, **happens[kind])
        recording = record_pit(PitEvents.reader.decode(encoded(event)), known)
        assert 0 == sum(posting.cents for posting in recording.postings)
        inventory += sum(posting.cents for posting in recording.postings if posting.account.leg == "inventory")
        moved -= 0 if kind == "tips" else cents
    assert moved == inventory
