"""What another table minimum would have meant: by two assumptions, each by itself, from what seats wagered."""

from collections.abc import Mapping
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final
from zoneinfo import ZoneInfo

import pytest

from services.round_settlement.domain.minimums import ASSUMED, Hour, Rate, Rates, Spread, as_document
from shared.contracts.submissions import SubmissionApproved
from tests.support.rounds import submission

ZONE: Final = ZoneInfo("America/New_York")
EDGE: Final = Fraction(1, 50)
RATES: Final = Rates(
    1,
    {
        "ante": Rate("required", EDGE, "exact"),
        "pairs": Rate("optional", Fraction(1, 10), "exact"),
        "raise": Rate("always", None, None),
    },
)


def _round(*seats: Mapping[str, int], lines: tuple[dict[str, Any], ...] = (), hour: int = 18) -> dict[str, Any]:
    """A round of seats 1, 2, 3 … with these initial wagers, each of which lost, and further lines."""
    lost = [
        {"seat": seat, "wager": wager, "outcome": "lose", "stake": cents}
        for seat, wagers in enumerate(seats, 1)
        for wager, cents in wagers.items()
    ]
    return {
        "submission": {"version": 1, "hash": "a"},
        "closed_at": datetime(2026, 11, 20, hour, tzinfo=UTC).isoformat(),
        "record": {"seats": [{"seat": seat, "wagers": dict(wagers)} for seat, wagers in enumerate(seats, 1)]},
        "lines": [*lost, *lines],
    }


def _spread(*rounds: dict[str, Any], sign_cents: int | None = 1_000) -> Spread:
    spread = Spread({"a": RATES})
    for one in rounds:
        spread.add(one, sign_cents, ZONE)
    return spread


def _wagered(side: Mapping[str, int]) -> tuple[int, ...]:
    return tuple(side.values())


def test_seats_below_a_minimum_raise_or_leave() -> None:
    """Of $10, $25 and $50 the first is below $25: raised it brings $15 more, gone it takes its $10 with it."""
    spread = _spread(_round({"ante": 1_000}, {"ante": 2_500}, {"ante": 5_000}))
    [(hour, found)] = spread.under(2_500).items()
    assert (Hour(1_000, 13), 1) == (hour, found.below)
    assert {"seats": 3, "handle_cents": 8_500, "rated_handle_cents": 8_500, "theoretical_win_cents": 170} == (
        found.recorded.as_document()
    )
    assert (3, 10_000, 10_000, 200) == _wagered(found.raised.as_document())
    assert (2, 7_500, 7_500, 150) == _wagered(found.left.as_document())


def test_a_raise_takes_what_belongs_to_the_main_wager_with_it_and_no_side_bet() -> None:
    """A raise of twice the ante stays twice the ante; $5 on pairs stay $5, and go where the seat leaves."""
    played = _round(
        {"ante": 1_000, "pairs": 500}, lines=({"seat": 1, "wager": "raise", "outcome": "win", "stake": 2_000},)
    )
    [found] = _spread(played).under(3_000).values()
    assert (1, 3_500, 1_500, 70) == _wagered(found.recorded.as_document())
    assert (1, 9_500, 3_500, 110) == _wagered(found.raised.as_document())
    assert (0, 0, 0, 0) == _wagered(found.left.as_document())


def test_what_is_no_handle_is_in_no_figure() -> None:
    """Void lines, wagers against a bank, the bank's own line and the dealer's seat."""
    others = (
        {"seat": 2, "wager": "ante", "outcome": "void", "stake": 700},
        {"seat": 3, "wager": "ante", "outcome": "win", "stake": 700, "paid_by": "bank"},
        {"seat": 4, "wager": "bank", "outcome": "win", "stake": 700},
        {"seat": 0, "wager": "ante", "outcome": "win", "stake": 700},
    )
    spread = _spread(_round({"ante": 1_000}, lines=others))
    assert (1_000, [(1_000, 1)]) == (spread.handle_cents(), list(spread.stakes()))


def test_a_minimum_that_nobody_is_below_changes_nothing() -> None:
    """Nobody is assumed to come to a lower minimum; a seat without a required wager is below none."""
    spread = _spread(_round({"ante": 1_000}, {"pairs": 500}))
    for minimum_cents in (500, 1_000):
        [found] = spread.under(minimum_cents).values()
        assert 0 == found.below
        assert found.recorded == found.raised == found.left
    [found] = spread.under(2_000).values()
    assert (1, 2_500, 500) == (found.below, int(found.raised.handle), int(found.left.handle))


def test_hours_and_signs_add_up_to_the_whole() -> None:
    """By hour of the property's clock and minimum on the sign; each figure is rounded once."""
    spread = _spread(_round({"ante": 999}), _round({"ante": 999}, hour=19))
    spread.add(_round({"ante": 999}), None, ZONE)
    found = as_document(spread, [1_333, 1_333, 1_500])
    assert (3, dict(ASSUMED), [{"main_cents": 999, "seats": 3}]) == (found["rounds"], found["assumed"], found["stakes"])
    first, second = found["minimums"]
    assert (1_333, 1_500) == (first["minimum_cents"], second["minimum_cents"])
    assert [(None, "13:00"), (1_000, "13:00"), (1_000, "14:00")] == [
        (one["sign_cents"], one["hour"]) for one in first["hours"]
    ]
    assert 3 * 1_333 == first["total"]["raised"]["handle_cents"]
    assert [27, 27, 27] == [one["raised"]["theoretical_win_cents"] for one in first["hours"]]  # 26.66 each
    assert 80 == first["total"]["raised"]["theoretical_win_cents"]  # 79.98 together
    assert [{"version": 1, "wager": "ante", "house_edge": "1/50", "source": "exact"}] == found["edges"]


@pytest.mark.parametrize(
    ("stated", "blackjack"),
    [({}, (None, None)), ({"blackjack": "99.5"}, (Fraction(1, 200), "stated"))],
)
def test_a_house_edge_is_exact_or_stated_or_there_is_none(
    stated: dict[str, str], blackjack: tuple[Fraction | None, str | None]
) -> None:
    """Blackjack has none that is exact; a side bet has one, whatever is stated."""
    offered = {"decks": 6, "wagers": {"match_the_dealer": {}}}
    said = submission(version=3, submission=offered, stated_paybacks=stated | {"match_the_dealer": "1.0"})
    approved = SubmissionApproved.model_validate(said["data"])
    rates = Rates.of(approved)
    assert ("required", *blackjack) == tuple(rates.wagers["blackjack"])
    side = rates.wagers["match_the_dealer"]
    assert ("optional", "exact") == (side.offered, side.source)
    assert side.house_edge is not None
    assert 0 < side.house_edge < Fraction(1, 5)
    assert rates.is_optional("match_the_dealer")
    assert not rates.is_optional("double")
