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
from services.table_inventory.domain.windows import Purpose
from services.table_inventory.handlers import PitEvents
from shared.contracts.counts import BoxFigures, CheckInBox, CouponsInBox, CurrencyPieces
from shared.contracts.money import LEGAL_TENDER
from shared.contracts.properties import Sales
from shared.jurisdictions.model import Instruments
from tests.support.felt import Felt, clock
from tests.support.pit import PROPERTY, Table, at
from tests.support.properties import place
from tests.support.rounds import encoded

DAY = date(2026, 11, 20)
CENTS = st.integers(0, 10**9)
PLACE = place(PROPERTY)
PROVISIONS = Provisions.of(PLACE, DAY)
DROP = st.lists(st.sampled_from(list(Instruments.model_fields)), unique=True).map(tuple)
"""The instruments that a law counts as drop."""


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


_KINDS = ("fills", "credits", "currency", "prepaid", "counter_checks", "coupons_paid", "vigorish_waived", "rounds")


@st.composite
def days(draw: st.DrawFn) -> Felt:
    """A day of a table: an opener, counts, a closer, perhaps all of it again, and a box each shift."""
    felt, shift, open_ = Felt(), "day", False
    for number in range(draw(st.integers(2, 8))):
        moment = clock("08:00") + number * timedelta(hours=1)
        purpose: Purpose = draw(st.sampled_from(["closer", "shift", "spot"])) if open_ else "opener"
        begins = None
        if purpose == "shift":
            begins = (DAY, draw(st.sampled_from(["day", "swing"])))
        felt.count(purpose, moment, draw(CENTS), shift=shift, begins=begins)
        shift = shift if begins is None else begins[1]
        open_ = purpose != "closer"
        for kind in draw(st.lists(st.sampled_from(_KINDS), max_size=3, unique=True)) if open_ else ():
            felt.move(moment + timedelta(minutes=draw(st.integers(1, 59))), **{kind: draw(CENTS)})
    felt.count("closer", clock("16:30"), draw(CENTS), shift=shift)
    for shift in ("day", "swing"):
        names = ("currency_cents", "counter_checks_cents", "coupons_cents")
        counted: dict[str, Any] = {name: draw(CENTS) for name in names}
        felt.box(clock("16:30"), f"A-{shift}", shift=shift, **counted)
    return felt


@given(days(), DROP, st.sampled_from([None, "each", "over", "none"]))
def test_the_two_measures_differ_by_the_variances_alone(felt: Felt, drop: tuple[str, ...], sales: Sales | None) -> None:
    """win = rounds + counted + inventory variance + drop variance + drop, less what was taken for chips.

    Whatever is drop, and whichever sales a counted table reports; one of both kinds of table has each difference.
    """
    provisions = replace(PROVISIONS, drop=drop, counted={} if sales is None else {"BJ-01": sales})
    for win in (felt.win(provisions=provisions), *felt.shifts(provisions=provisions).values()):
        assert win.win_cents is not None, win.lacks
        assert win.drop_variance_cents is not None
        assert 0 == (win.counted_win_cents if sales is None else win.inventory_variance_cents)
        explained = win.rounds_win_cents + win.inventory_variance_cents + win.drop_variance_cents
        explained += win.counted_win_cents
        taken = win.currency_cents + win.counter_checks_cents + win.prepaid_cents
        assert win.win_cents == explained + win.drop_cents - taken


@given(days(), DROP)
def test_the_shifts_of_a_day_add_up_to_the_day(felt: Felt, drop: tuple[str, ...]) -> None:
    """Whatever the order of the shifts: no cent is of two shifts or of none."""
    provisions = replace(PROVISIONS, drop=drop)
    whole, shifts = felt.win(provisions=provisions), felt.shifts(provisions=provisions).values()
    names = ("fills_cents", "credits_cents", "drop_cents", "rounds_win_cents", "inventory_variance_cents", "win_cents")
    for name in names:
        assert getattr(whole, name) == sum(getattr(shift, name) for shift in shifts)
    in_shifts = sum((one.closer_cents or 0) - one.opener_cents for one in shifts)
    assert (whole.closer_cents or 0) - whole.opener_cents == in_shifts


@given(
    st.lists(st.tuples(st.sampled_from(sorted(LEGAL_TENDER)), st.integers(1, 100)), max_size=5),
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
