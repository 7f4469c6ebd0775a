"""The settled win beside the theoretical win, and the days that both are of."""

from collections.abc import Iterable
from dataclasses import replace
from datetime import date
from fractions import Fraction
from math import sqrt
from random import Random
from typing import NamedTuple

import pytest

from services.reporting.domain.house_edges import HouseEdge, PlayedEdge
from services.reporting.framework.figures import Aggregate, Cell, Figure
from services.reporting.framework.question import first_days, year_before
from services.reporting.reports.common.settled_rounds import Part, SettledRounds
from services.reporting.reports.common.settled_win import ADDED, together
from shared.contracts.submissions import StatedHouseEdge
from shared.jurisdictions import gaming_pack
from shared.rules import Returns
from shared.rules.returns import Hit, Won

DAY = date(2026, 11, 20)
EDGE = Fraction(1, 3)


def edge(wager: str, keeps: Fraction | None, *, version: int = 1, reason: str | None = None) -> HouseEdge:
    """A wager of which the house keeps so much of a cent: it either loses, or comes back doubled."""
    hits = () if keeps is None else (Hit(Won("won", Fraction(2)), (1 - keeps) / 2),)
    returns = None if keeps is None else Returns(hits)
    return HouseEdge(f"{version}" * 64, wager, "optional", None, returns, reason, lacks=reason)


def played(
    wager: str, keeps: Fraction, error: Fraction = Fraction(0), *, counted_with: str | None = None, version: int = 1
) -> HouseEdge:
    """A wager of which the house keeps so much of a cent as it is played, with a standard error."""
    known = PlayedEdge(keeps, error, "sampled" if error else "exactly", counted_with or wager)
    return HouseEdge(f"{version}" * 64, wager, "required", None, None, "depends on the play", played=known)


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
    assert (10, 17, -7, 0) == cents(win.win, win.theoretical.shown, win.theoretical.difference, win.theoretical.error)
    assert ("33.33", "-13.33") == cents(win.theoretical.percent, win.theoretical.difference_percent)


@pytest.mark.parametrize(("handle", "expected"), [(5, 2), (15, 8)])
def test_half_a_cent_goes_to_the_even_one(handle: int, expected: int) -> None:
    """Rounding favors neither side: 2.5 and 7.5 cents are 2 and 8."""
    win = settled(part("side", handle, 0), edges=(edge("side", Fraction(1, 2)),)).whole()
    assert expected == win.theoretical.shown.value


def test_each_version_goes_by_its_own_house_edge() -> None:
    """Where the paytable changed within a period, each part of the handle has the edge it was wagered under."""
    edges = (edge("side", EDGE), edge("side", Fraction(1, 10), version=2))
    win = settled(part("side", 50, 0), part("side", 50, 0, version=2), edges=edges).whole()
    assert 22 == win.theoretical.shown.value  # 50 / 3 + 50 / 10 = 21.67


def test_a_wager_without_a_house_edge_is_in_neither_side_of_the_comparison() -> None:
    """It is named with its share of the handle; theoretical win, percentages and difference are of the others."""
    rounds = settled(part("main", 150, 100), part("side", 50, 40))
    game = rounds.by("game")["blackjack",]
    theoretical = game.theoretical
    assert (200, 60, 17, -7, "33.33", "-13.33") == cents(
        *(game.of("handle_cents"), game.win, theoretical.shown, theoretical.difference),
        *(theoretical.percent, theoretical.difference_percent),
    )
    assert ("blackjack/main (75.00%)", 50, 10) == (
        game.without_house_edge,
        theoretical.handle.value,
        theoretical.win.value,
    )
    assert ["side"] == [dict(one.where)["wager"] for one in theoretical.handle.sources if isinstance(one, Aggregate)]
    main = rounds.by("wager")["main",]
    assert (None, None, None, None, None) == cents(
        *(main.theoretical.shown, main.theoretical.error, main.theoretical.percent),
        *(main.theoretical.difference, main.theoretical.difference_percent),
    )


def test_a_wager_whose_play_was_counted_is_in_the_theoretical_win_and_not_in_the_exact_part() -> None:
    """What is exact keeps figures of its own, from the same wagers as before; the rest has a standard error."""
    edges = (edge("side", EDGE), played("main", Fraction(1, 100), Fraction(1, 1000)))
    game = settled(part("main", 10_000, 9_000), part("side", 50, 40), edges=edges).whole()
    theoretical, exact = game.theoretical, game.exact
    assert (117, 10, 893, None) == (
        *cents(theoretical.shown, theoretical.error, theoretical.difference),
        game.without_house_edge,
    )
    assert (50, 10, 17, -7, 0) == cents(exact.handle, exact.win, exact.shown, exact.difference, exact.error)


def test_the_licensees_own_values_are_named_with_source_and_share_of_the_handle() -> None:
    """In theoretical win, in no exact part and no standard error; each version by its own value."""
    own = [StatedHouseEdge(wager="main", house_edge_percent=percent, source="GLI report 7") for percent in ("10", "20")]
    edges = [
        replace(edge("main", None, version=version, reason="nobody counted"), stated=stated)
        for version, stated in enumerate(own, 1)
    ]
    parts = (part("main", 100, 0), part("main", 50, 0, version=2), part("side", 50, 0))
    win = settled(*parts, edges=(*edges, edge("side", EDGE))).whole()
    assert (37, 0, None) == (*cents(win.theoretical.shown, win.theoretical.error), win.without_house_edge)
    assert (50, 17) == cents(win.exact.handle, win.exact.shown)
    assert "blackjack/main 10%: GLI report 7 (50.00%); blackjack/main 20%: GLI report 7 (25.00%)" == (
        win.stated_house_edge
    )


def test_errors_add_up_within_a_wager_and_as_squares_over_different_ones() -> None:
    """Ante and raise, and two versions, are of one sample: 3 cents; with 4 of another game's they make 5."""
    error = Fraction(1, 100)
    edges = (
        played("ante", EDGE, error),
        played("raise", EDGE, error, counted_with="ante"),
        played("ante", EDGE, error, version=2),
        played("main", EDGE, error),
    )
    parts = (part("ante", 100, 0), part("raise", 100, 0), part("ante", 100, 0, version=2))
    rounds = settled(*parts, part("main", 400, 0, game="pai_gow"), edges=edges)
    assert [3, 4] == [rounds.by("game")[game,].theoretical.error.value for game in ("blackjack", "pai_gow")]
    assert 5 == rounds.whole().theoretical.error.value == together(rounds.by("game").values()).theoretical.error.value


class Wagered(NamedTuple):
    """Handle and payout of a wager in a game under a version, cents."""

    game: str
    wager: str
    version: int
    handle: int
    payout: int


EDGES = (
    edge("side", Fraction(7, 90)),
    edge("side", Fraction(1, 11), version=2),
    played("main", Fraction(3, 1_250), Fraction(59, 10**6)),
    played("main", Fraction(-1, 900), Fraction(61, 10**6), version=2),
    played("meter", Fraction(-17, 13)),
    edge("other", None, reason="nobody counted it"),
)
"""Exact, sampled, of a meter in the long run, and none."""


def _on(some: Iterable[Wagered]) -> tuple[object, ...]:
    """Theoretical win, error, difference, and handle without a house edge, counted from scratch."""
    known = {(one.wager, one.submission[0]): one for one in EDGES}
    theory, win, errors, lacks = Fraction(0), Fraction(0), dict[tuple[str, str], Fraction](), 0
    for one in some:
        found = known[one.wager, str(one.version)]
        keeps = 1 - found.returns.mean if found.returns else found.played.house_edge if found.played else None
        if keeps is None:
            lacks += one.handle
            continue
        theory, win = theory + keeps * one.handle, win + one.handle - one.payout
        error = found.played.standard_error if found.played else 0
        errors[one.game, one.wager] = errors.get((one.game, one.wager), Fraction(0)) + error * one.handle
    root = sqrt(sum((error * error for error in errors.values()), Fraction(0)))
    return round(theory), round(root), round(win - theory), lacks


@pytest.mark.parametrize("seed", range(12))
def test_theoretical_win_is_what_random_days_make_of_it(seed: int) -> None:
    """By game and in all: the sum over wagers with a house edge of handle x edge, its error, and the rest named."""
    chance = Random(seed)
    played_there = [one for one in EDGES if chance.random() < 0.8] or list(EDGES)
    days = [
        Wagered(
            game, one.wager, int(one.submission[0]), handle := chance.randrange(1, 90_000_000), chance.randrange(handle)
        )
        for one in played_there
        for game in ("blackjack", "pai_gow")
    ]
    rounds = settled(
        *(part(one.wager, one.handle, one.payout, version=one.version, game=one.game) for one in days), edges=EDGES
    )
    wins = {game: [one for one in days if one.game == game] for (game,) in rounds.by("game")}
    for game, some in wins.items():
        found = rounds.by("game")[game,]
        *expected, lacks = _on(some)
        if any(one.wager != "other" for one in some):
            theoretical = found.theoretical
            assert expected == list(cents(theoretical.shown, theoretical.error, theoretical.difference)), f"seed {seed}"
        assert lacks == sum(found.theoretical.without.values())
        assert found.of("handle_cents").value == found.theoretical.handle.value + lacks
    *expected, _ = _on(days)
    whole = rounds.whole().theoretical
    assert expected == list(cents(whole.shown, whole.error, whole.difference)), f"seed {seed}"


def test_a_submission_that_has_not_come_is_named() -> None:
    """Its part of the handle has no house edge, for that reason."""
    late = part("side", 100, 0, version=3)
    rounds = settled(part("side", 600, 0), late)
    assert "blackjack/side (14.29%)" == rounds.whole().without_house_edge
    assert rounds.reasons == rounds.lacks
    assert "version 3 of the rules submission has not come from the registry" == rounds.reasons[late.offered]


def test_a_part_of_another_wager_is_told_apart_from_a_submission_that_has_not_come() -> None:
    """A wager that the submission, which is there, does not offer by that name has no house edge of its own."""
    of_another = part("side_of_the_dealer", 100, 0)
    rounds = settled(part("side", 600, 0), of_another)
    assert {of_another.offered: "it is a part of another wager of the catalogue"} == rounds.reasons == rounds.lacks


@pytest.mark.parametrize("wager", ["main", "side_of_the_dealer"])
def test_a_wager_without_a_house_edge_has_no_theoretical_win_where_its_handle_comes_to_nothing(wager: str) -> None:
    """Its rounds were reversed: empty, and not 0, which would be a theoretical win; it is named where it is alone."""
    rounds = settled(part("side", 50, 40), part(wager, 0, 0))
    none = rounds.by("wager")[wager,]
    assert [None] * 5 == list(
        cents(
            *(none.theoretical.shown, none.theoretical.error, none.theoretical.percent),
            *(none.theoretical.difference, none.theoretical.difference_percent),
        )
    )
    assert f"blackjack/{wager}" == none.without_house_edge
    assert {("blackjack", "1", "1" * 64, wager)} == rounds.lacks.keys()
    whole = rounds.whole()
    assert (17, None) == (whole.theoretical.shown.value, whole.without_house_edge)  # no part of the handle is without


def test_a_payout_without_a_stake_should_win_nothing() -> None:
    """A bonus that is paid on another wager has no handle: all that it pays is a difference."""
    win = settled(part("envy_bonus", 0, 5000)).whole()
    assert (-5000, 0, -5000, None) == cents(
        win.win, win.theoretical.shown, win.theoretical.difference, win.theoretical.difference_percent
    )


def test_wins_of_parts_of_a_period_add_up() -> None:
    """Figures, theoretical win, and what has none: the sum of the parts is the whole."""
    parts = [part("main", 1000, 700), part("side", 50, 40), part("side", 7, 0, version=2)]
    whole = settled(*parts).whole()
    added = together(settled(one).whole() for one in parts)
    theory, parts_of_it = whole.theoretical, added.theoretical
    assert (whole.win.value, theory.cents, theory.without) == (added.win.value, parts_of_it.cents, parts_of_it.without)
    assert whole.without_house_edge == added.without_house_edge
