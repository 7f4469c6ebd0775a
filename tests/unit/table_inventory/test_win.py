"""Expected inventories, variances, the win, the provisions and the clocks: figures from figures."""

from datetime import date, datetime, timedelta

import pytest

from services.table_inventory.domain.boxes import agreed, commitment_of
from services.table_inventory.domain.equipment import Done, OpenTable, clocks
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.win import win_effect
from shared.contracts.counts import BoxFigures, BoxTurn, CheckInBox, CouponsInBox, CurrencyPieces
from shared.contracts.inventory import Figure
from shared.jurisdictions.model import Instruments
from tests.support.felt import Felt, clock
from tests.support.pit import at
from tests.support.properties import place, under_law

DAY = date(2026, 11, 20)
PLACE = place("riverbend")
PROVISIONS = Provisions.of(PLACE, DAY)
COUPONS = ("match_play", "direct_bet")


def felt_of_a_day(*, credits_cents: int = 0, prepaid_cents: int = 0, closer_cents: int = 100_000) -> Felt:
    """A table that opened with 1,000.00 and closed again."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    if credits_cents:
        felt.move(clock("11:00"), credits=credits_cents)
    if prepaid_cents:
        felt.move(clock("11:00"), prepaid=prepaid_cents)
    felt.count("closer", clock("20:00"), closer_cents)
    return felt


def test_a_table_that_opens_twice_on_a_day_adds_both_sessions() -> None:
    """What was filled while it was closed is of neither."""
    felt = Felt()
    felt.count("opener", clock("10:00"), 100_000)
    felt.move(clock("11:00"), rounds=-10_000)
    felt.count("closer", clock("12:00"), 90_000)
    felt.move(clock("13:00"), fills=60_000)
    felt.count("opener", clock("14:00"), 150_000)
    felt.move(clock("15:00"), rounds=10_000)
    felt.count("closer", clock("20:00"), 160_000)
    felt.box(clock("20:00"), "A1", currency_cents=0)
    win = felt.win()
    assert (250_000, 250_000, 0, 0, 0) == (
        win.opener_cents,
        win.closer_cents,
        win.fills_cents,
        win.win_cents,
        win.rounds_win_cents,
    )


@pytest.mark.parametrize("instrument", Instruments.model_fields)
@pytest.mark.parametrize("treatment", ["drop", "memo"])
def test_what_counts_as_drop_is_what_the_law_says(instrument: str, treatment: str) -> None:
    """Each instrument on its own: as drop it is win, as a memorandum it is shown apart and is not."""
    is_coupon = instrument in COUPONS
    figures = BoxFigures(coupons=(CouponsInBox(coupon=instrument, cents=100, count=1),) if is_coupon else ())
    felt = felt_of_a_day(prepaid_cents=100 if instrument == "prepaid_access" else 0)
    felt.box(
        clock("20:00"),
        "A1",
        currency_cents=100 if instrument == "currency" else 0,
        counter_checks_cents=100 if instrument == "counter_check" else 0,
        figures=figures,
        coupons_cents=100 if is_coupon else 0,
    )
    law = under_law(PLACE, f"instruments.{instrument}", treatment)
    win = felt.win(provisions=Provisions.of(law, DAY))
    taken = win.currency_cents + win.counter_checks_cents + win.prepaid_cents + win.coupons_cents
    expected = 100 if treatment == "drop" else 0
    assert (100, expected, expected) == (taken, win.drop_cents, win.win_cents)


def test_the_formula_is_that_of_the_law() -> None:
    """A jurisdiction that leaves credits out has another win from the same figures."""
    felt = felt_of_a_day(credits_cents=30_000, closer_cents=90_000)
    felt.box(clock("20:00"), "A1", currency_cents=5_000)
    formula = {"plus": ["closer", "drop"], "minus": ["opener", "fills"]}
    laws = (PROVISIONS, Provisions.of(under_law(PLACE, "win.formula", formula), DAY))
    assert [25_000, -5_000] == [felt.win(provisions=law).win_cents for law in laws]


def test_adjustments_raise_or_lower_the_win_as_the_formula_says() -> None:
    """More fills is less win; more credits or drop is more; what is no drop changes nothing."""
    figures: tuple[Figure, ...] = ("fills", "credits", "currency", "counter_checks")
    effects = {figure: win_effect(PROVISIONS, figure, 100) for figure in figures}
    assert {
        "fills": -100,
        "credits": 100,
        "currency": 100,
        "counter_checks": 100,
    } == effects
    memo = Provisions.of(under_law(PLACE, "instruments.counter_check", "memo"), DAY)
    assert 0 == win_effect(memo, "counter_checks", 100)


def test_thresholds_are_as_published_and_hold_from_their_day_on() -> None:
    """More than $25 is reported, $100 and more goes to the authority; prepaid access is drop since June 10, 2020."""
    assert ["noted", "report", "report", "authority"] == [
        PROVISIONS.level(cents) for cents in (2500, -2501, 9999, -10000)
    ]
    days = [date(2010, 1, 7), date(2020, 6, 9), date(2020, 6, 10)]
    assert [(days[0], False), (days[0], False), (days[2], True)] == [
        (one.effective_from, "prepaid_access" in one.drop) for one in (Provisions.of(PLACE, day) for day in days)
    ]
    with pytest.raises(LookupError, match="nothing is known for 2010-01-06"):
        Provisions.of(PLACE, date(2010, 1, 6))


def test_a_property_may_be_stricter_than_its_law() -> None:
    """Its own limit holds where it is tighter, and the law's where it is not."""
    limits = {"variance_report_cents": 1000, "variance_authority_cents": 99_999_00}
    own = Provisions.of(place("riverbend", limits=limits), DAY)
    assert ["noted", "report", "authority"] == [own.level(cents) for cents in (1000, 1001, 10000)]


def test_a_jurisdiction_without_dice_and_stubs_has_no_clocks_of_them() -> None:
    """What a pack says nothing of is never due."""
    provisions = Provisions.of(place("lincoln", packs=["us-ri"]), DAY)
    assert (24, {}) == (provisions.dice_hours, provisions.stub_rounds)


@pytest.mark.parametrize(
    ("regulation", "dealing", "hours"),
    [
        ("pa-633a-2024", "hand", 4),
        ("pa-633a-2024", "shoe", 24),
        ("pa-686a", "shoe", 24),
        ("pa-687a", "hand", 4),
        ("pa-688a", "shoe", 8),
        ("ri-pai-gow", "shoe", 8),
    ],
)
def test_cards_are_changed_as_the_chapters_say(regulation: str, dealing: str, hours: int) -> None:
    """§§ 633a.3, 686a.3, 687a.3, 688a.3; a chapter that is not of the pack keeps the shortest time."""
    cards = Done(at=at(0), gaming_day=DAY, data={"regulation": regulation, "dealing": dealing})

    def overdue(now: datetime) -> bool:
        table = OpenTable(
            property="riverbend",
            table="BJ-01",
            gaming_day=DAY,
            opened_at=at(0),
            card_reader=False,
            dice=False,
            last={"cards": cards},
            rounds_since_stub=0,
        )
        [clock, *_] = clocks(table, PROVISIONS, now)
        return clock.overdue

    assert [False, True] == [overdue(at(hours)), overdue(at(hours) + timedelta(seconds=1))]


def test_as_many_people_as_it_takes_must_find_the_same_in_whatever_order() -> None:
    """The order in which notes are listed does not matter, their number does."""
    tens, fives = CurrencyPieces(cents=1000, count=2), CurrencyPieces(cents=500, count=3)
    checks = (CheckInBox(serial="B", cents=1), CheckInBox(serial="A", cents=2))
    turns = [
        BoxTurn(
            turn=1, counted_by="a", salt="0" * 32, figures=BoxFigures(currency=(tens, fives), counter_checks=checks)
        ),
        BoxTurn(turn=2, counted_by="b", salt="1" * 32, figures=BoxFigures(currency=(fives,), counter_checks=checks)),
    ]
    assert agreed(turns, 2) is None
    third = BoxFigures(currency=(fives, tens), counter_checks=checks[::-1])
    assert agreed([*turns, BoxTurn(turn=3, counted_by="p3", salt="2" * 32, figures=third)], 2) is not None
    assert agreed([*turns, BoxTurn(turn=3, counted_by="p3", salt="2" * 32, figures=third)], 3) is None


def test_a_commitment_hides_the_figures_behind_a_salt() -> None:
    """The same figures have another commitment each time; its bytes never change."""
    figures = BoxFigures(currency=(CurrencyPieces(cents=10000, count=80),))
    assert "92dfcf2533af4b9e9a885194f60a1b59256d57c09105145adcbf98619c4f6523" == commitment_of(figures, "0" * 32)
    assert commitment_of(figures, "0" * 32) != commitment_of(figures, "1" * 32)
