"""The win as settled beside the theoretical win, and the days that both are of."""

from datetime import date
from fractions import Fraction

import pytest

from services.reporting.domain.house_edges import HouseEdge
from services.reporting.framework.figures import Aggregate, Cell, Figure
from services.reporting.framework.question import first_days, year_before
from services.reporting.reports.common.settled_rounds import Part, SettledRounds
from services.reporting.reports.common.settled_win import ADDED, together
from shared.jurisdictions import gaming_pack
from shared.rules import Returns
from shared.rules.returns import Hit, Won

DAY = date(2026, 11, 20)
EDGE = Fraction(1, 3)


def edge(wager: str, keeps: Fraction | None, *, version: int = 1, reason: str | None = None) -> HouseEdge:
    """A wager of which the house keeps so much of a cent: it either loses, or comes back doubled."""
    hits = () if keeps is None else (Hit(Won("won", Fraction(2)), (1 - keeps) / 2),)
    returns = None if keeps is None else Returns(hits)
    return HouseEdge(f"{version}" * 64, wager, "optional", None, returns, reason)


def part(wager: str, handle: int, payout: int, *, version: int = 1, game: str = "blackjack") -> Part:
    """What a wager did at a table in a shift under a version."""
    figures = dict.fromkeys(ADDED, 0) | {"count": 1, "handle_cents": handle, "payout_cents": payout}
    return Part.of(("BJ-01", game, "day", str(version), f"{version}" * 64, wager), tuple(figures.values()))


def settled(*parts: Part, edges: tuple[HouseEdge, ...] | None = None) -> SettledRounds:
    """Settled rounds, the side bet's house edge a third under each version, the main wager's unknown."""
    if edges is None:
        side = (edge("side", EDGE, version=version) for version in (1, 2))
        edges = (*side, edge("main", None, reason="depends on the play"))
    return SettledRounds(DAY, DAY, parts, {(one.submission, one.wager): one for one in edges})


def cents(*cells: Cell | Figure) -> tuple[object, ...]:
    return tuple(cell.value for cell in cells)


@pytest.mark.parametrize(
    ("day", "expected"),
    [
        ("2026-11-20", ["2026-11-20", "2026-11-16", "2026-11-01", "2026-01-01"]),
        ("2026-11-16", ["2026-11-16", "2026-11-16", "2026-11-01", "2026-01-01"]),
        ("2026-11-22", ["2026-11-22", "2026-11-16", "2026-11-01", "2026-01-01"]),
        ("2027-01-01", ["2027-01-01", "2026-12-28", "2027-01-01", "2027-01-01"]),
        ("2028-02-29", ["2028-02-29", "2028-02-28", "2028-02-01", "2028-01-01"]),
    ],
)
def test_periods_to_date_end_with_the_gaming_day(day: str, expected: list[str]) -> None:
    """Weeks begin as the pack says, also across the turn of the year; months and years with their first day."""
    found = first_days(gaming_pack("us-pa"), date.fromisoformat(day))
    assert expected == [first.isoformat() for first in found.values()]


def test_the_year_before_has_the_same_dates() -> None:
    """The same month and day; of a leap day, the last day of that February."""
    assert [date(2025, 11, 20), date(2027, 2, 28)] == [year_before(DAY), year_before(date(2028, 2, 29))]


def test_theoretical_win_is_exact_until_it_is_shown() -> None:
    """Handle by house edge, and actual less theoretical win, each rounded once."""
    win = settled(part("side", 50, 40)).whole()
    # 50 / 3 = 16.67, and 10 - 16.67 = -6.67
    assert (10, 17, -7) == cents(win.win, win.theoretical_win, win.difference)
    assert ("33.33", "-13.33") == cents(win.theoretical_percent, win.difference_percent)


@pytest.mark.parametrize(("handle", "expected"), [(5, 2), (15, 8)])
def test_half_a_cent_goes_to_the_even_one(handle: int, expected: int) -> None:
    """Rounding favors neither side: 2.5 and 7.5 cents are 2 and 8."""
    win = settled(part("side", handle, 0), edges=(edge("side", Fraction(1, 2)),)).whole()
    assert expected == win.theoretical_win.value


def test_each_version_goes_by_its_own_house_edge() -> None:
    """Where the paytable changed within a period, each part of the handle has the edge it was wagered under."""
    edges = (edge("side", EDGE), edge("side", Fraction(1, 10), version=2))
    win = settled(part("side", 50, 0), part("side", 50, 0, version=2), edges=edges).whole()
    assert 22 == win.theoretical_win.value  # 50 / 3 + 50 / 10 = 21.67


def test_without_an_exact_payback_there_is_no_theoretical_win() -> None:
    """The wager is named, and its game has none either; of what has one there is one, and where it comes from."""
    rounds = settled(part("main", 1000, 700), part("side", 50, 40))
    game = rounds.by("game")["blackjack",]
    assert (1050, 310, None, None) == cents(game.of("handle_cents"), game.win, game.theoretical_win, game.difference)
    assert (frozenset({"blackjack/main"}), 50, 10, Fraction(50, 3)) == (
        game.without,
        game.exact_handle.value,
        game.exact_win.value,
        game.theoretical,
    )
    assert ["side"] == [dict(one.where)["wager"] for one in game.exact_handle.sources if isinstance(one, Aggregate)]
    side = rounds.by("wager")["side",]
    assert (side.theoretical, side.exact_win.value) == (game.theoretical, game.exact_win.value)


def test_a_submission_that_has_not_come_is_named() -> None:
    """Its part of the handle has no house edge, for that reason."""
    late = part("side", 100, 0, version=3)
    rounds = settled(part("side", 600, 0), late)
    assert None is rounds.whole().theoretical_win.value
    assert "version 3 of the rules submission has not come from the registry" == rounds.reasons[late.offered]


def test_a_part_of_another_wager_is_told_apart_from_a_submission_that_has_not_come() -> None:
    """A wager that the submission, which is there, does not offer by that name has no house edge of its own."""
    of_another = part("side_of_the_dealer", 100, 0)
    rounds = settled(part("side", 600, 0), of_another)
    assert {of_another.offered: "it is a part of another wager of the catalogue"} == rounds.reasons


def test_a_payout_without_a_stake_should_win_nothing() -> None:
    """A bonus that is paid on another wager has no handle: all that it pays is a difference."""
    win = settled(part("envy_bonus", 0, 5000)).whole()
    assert (-5000, 0, -5000, None) == cents(win.win, win.theoretical_win, win.difference, win.difference_percent)


def test_wins_of_parts_of_a_period_add_up() -> None:
    """Figures, theoretical win, and what has none: the sum of the parts is the whole."""
    parts = [part("main", 1000, 700), part("side", 50, 40), part("side", 7, 0, version=2)]
    whole = settled(*parts).whole()
    added = together(settled(one).whole() for one in parts)
    assert (whole.win.value, whole.theoretical, whole.without) == (added.win.value, added.theoretical, added.without)
