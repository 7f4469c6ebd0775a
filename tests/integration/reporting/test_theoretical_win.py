"""Theoretical win on a real database: exact, by a model, sampled and of meters; every cell leads to its entries."""

from datetime import date, timedelta
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from services.reporting.framework.question import ReportQuery
from services.reporting.report_service import ask
from services.reporting.reports import REPORTS
from shared.contracts.reports import percent_of
from shared.rules import game_of, parse_submission, payback, play
from shared.rules.catalogue import catalogue
from shared.rules.submission import select
from shared.runtime.snapshot_reader import read_at_once
from tests.integration.reporting import test_ratings as ratings
from tests.support.explained import unexplained
from tests.support.reporting import Books, names, rows_of, total_of
from tests.support.rounds import submission
from tests.unit.reporting.entries import DAY, NOON, total

RULES: dict[str, Any] = {
    "decks": 6,
    "wagers": {
        "royal_match_21": {"paytable": "D"},
        "straight_jack_progressive": {"meter": {"rate": "0.20", "reset": 500_000}},
    },
}
"""Blackjack, counted by a model, with a side bet that is exact and one with a meter."""

PAI_GOW: dict[str, Any] = {"options": {"house_way": "standard"}}


@pytest.mark.parametrize("seed", range(3))
def test_theoretical_win_of_a_random_day_is_that_of_every_wager_that_anybody_counted(books: Books, seed: int) -> None:
    """Exact, by a model and of a meter in the long run; the error shown, and what nobody counted by its share."""
    chance, under = Random(seed), books.submit(wagers=RULES["wagers"])
    rules = parse_submission(RULES)
    main = play("pa-633a-2024", "blackjack", rules)
    meter = game_of("pa-633a-2024").progressive(select(catalogue("pa-633a-2024"), rules), "straight_jack_progressive")
    assert meter.in_the_long_run is not None
    edges = {
        "blackjack": main.house_edge / main.staked,
        "royal_match_21": 1 - payback("pa-633a-2024", "royal_match_21", rules),
        "straight_jack_progressive": 1 - meter.in_the_long_run,
    }
    handle, win = dict.fromkeys((*edges, "unheard_of"), 0), dict.fromkeys((*edges, "unheard_of"), 0)
    for number in range(1, 9):
        staked = {wager: chance.randrange(1_000, 9_000_000) for wager in chance.sample(sorted(handle), 3)}
        paid = {wager: chance.randrange(cents) for wager, cents in staked.items()}
        for wager, cents in staked.items():
            handle[wager] += cents
            win[wager] += cents - paid[wager]
        totals = [total(wager, handle=cents, payout=paid[wager]) for wager, cents in staked.items()]
        books.publish(books.posted(number, f"BJ-0{1 + number % 2}", totals, submission=under))
    assert min(handle.values()) > 0, f"seed {seed}"
    theory = sum((handle[wager] * edge for wager, edge in edges.items()), Fraction(0))
    won, all_of_it = sum(win[wager] for wager in edges), sum(handle.values())
    # 0.02 points of the first stake are three standard errors, and the doubled and split stakes are handle, too
    error = handle["blackjack"] * 0.0002 / 3 / float(main.staked)
    share = percent_of(handle["unheard_of"], all_of_it)
    report = books.report("drop-and-win")
    for section in ("games", "pits", "shifts", "to_date"):
        row = rows_of(report, section)[0]
        assert (round(theory), round(won - theory), round(error), f"blackjack/unheard_of ({share}%)") == names(
            row, "theoretical_win_cents", "difference_cents", "theoretical_error_cents", "without_house_edge"
        )
        known = all_of_it - handle["unheard_of"]
        assert (percent_of(theory, known), percent_of(won - theory, known)) == names(
            row, "theoretical_win_percent", "difference_percent"
        )
        exact = handle["royal_match_21"] * edges["royal_match_21"]
        assert (handle["royal_match_21"], win["royal_match_21"], round(exact)) == names(
            row, "exact_handle_cents", "exact_win_cents", "exact_theoretical_win_cents"
        )
    lacking = f"blackjack/unheard_of ({share}%)"
    for section in ("tables", "games", "pits", "shifts"):
        assert (round(theory), lacking) == names(
            total_of(report, section), "theoretical_win_cents", "without_house_edge"
        ), section
    by_wager = books.report("side-bets")
    assert (round(theory), round(error), round(won - theory), lacking) == names(
        total_of(by_wager, "wagers"),
        *("theoretical_win_cents", "theoretical_error_cents", "difference_cents", "without_house_edge"),
    )
    known = all_of_it - handle["unheard_of"]
    assert (
        percent_of(theory, known),
        percent_of(won - theory, known),
        percent_of(sum(win.values()), all_of_it),
    ) == names(total_of(by_wager, "wagers"), "theoretical_win_percent", "difference_percent", "win_percent")
    reasons = {row["wager"]: row["reason"] for row in rows_of(report, "house_edges")}
    assert dict.fromkeys(edges) | {"unheard_of": "it is a part of another wager of the catalogue"} == reasons
    explained = books.explain("drop-and-win", "games/blackjack/theoretical_win_cents")
    added = sum(Fraction(one["factor"]) * one["value"] for one in explained["entries"])
    assert (
        round(theory)
        == added + Fraction(explained["rounding"])
        == Fraction(explained["adds_up_to"]) + Fraction(explained["rounding"])
    )


def test_a_day_of_reversed_rounds_of_a_wager_without_a_house_edge_has_no_theoretical_win(books: Books) -> None:
    """Nothing is left of its handle: rows and totals are empty where they were 0."""
    under = books.submit(wagers=RULES["wagers"])
    totals = [total("unheard_of", handle=5_000, payout=1_000)]
    books.publish(books.posted(1, "BJ-01", totals, round_id="r-1", submission=under))
    books.publish(books.reversed(2, "BJ-01", totals, round_id="r-1", submission=under))
    figures = ("theoretical_win_cents", "theoretical_error_cents", "difference_cents")
    for report, section in (("drop-and-win", "games"), ("side-bets", "wagers")):
        found = books.report(report)
        [row] = rows_of(found, section)
        assert (0, None, None, None) == names(row, "handle_cents", *figures), report
        assert (0, None, None, None) == names(total_of(found, section), "handle_cents", *figures), report


def test_the_error_of_a_sample_stands_beside_the_theoretical_win(books: Books) -> None:
    """Pai Gow Poker is sampled: the errors of two tables are of one sample, and add up."""
    approved = submission(
        next(books.sequences),
        property=books.property_name,
        game="pai_gow",
        regulation="pa-645a-2011",
        submission=PAI_GOW,
    )
    books.desk.feed("submissions", approved)
    under = {"version": 1, "hash": approved["data"]["hash"]}
    counted = play("pa-645a-2011", "pai_gow_poker", parse_submission(PAI_GOW))
    assert counted.standard_error > 0
    books.publish(
        *(
            books.posted(number, table, [total("pai_gow_poker", handle=90_000_000)], game="pai_gow", submission=under)
            for number, table in enumerate(("PG-01", "PG-02"), 1)
        )
    )
    report = books.report("drop-and-win")
    one, both = (round(cents * counted.standard_error) for cents in (90_000_000, 180_000_000))
    assert [one, one] == [row["theoretical_error_cents"] for row in rows_of(report, "tables")]
    assert [both] == [row["theoretical_error_cents"] for row in rows_of(report, "games") if row["game"] == "pai_gow"]
    [wager] = rows_of(books.report("side-bets"), "wagers")
    assert ("sampled", both, round(180_000_000 * counted.house_edge)) == names(
        wager, "counted", "theoretical_error_cents", "theoretical_win_cents"
    )


@pytest.mark.parametrize("report", ["drop-and-win", "side-bets", "pace", "patron-play", "ratings-against-rounds"])
def test_the_entries_of_each_cell_add_up_to_it(books: Books, report: str) -> None:
    """With factors of house edges that are exact and not, of wagers that have one and of those that have none."""
    under = books.submit(wagers=RULES["wagers"])
    ratings.open_accounts(books, ("ga-1", "p-1"))
    ratings.say(books, "rating.stated", ratings.rating("pit-1", ratings.span(0, 60), patron="p-1"))
    for number, wager in enumerate(("blackjack", "straight_jack_progressive", "unheard_of"), 1):
        minute = 20 * number
        ratings.play(books, number, minute, ("ga-1", 777, 0), submission=under, main=98_765_431, main_wager=wager)
    question = ReportQuery(
        property=books.property_name,
        period=REPORTS[report].periods[0],
        first=date.fromisoformat(DAY),
        last=date.fromisoformat(DAY),
        known_at=NOON + timedelta(days=1),
        by="audit.kim",
    )

    async def found() -> list[str]:
        async with read_at_once(books.desk.context.pools.readers) as reader:
            return await unexplained(reader, REPORTS[report], await ask(reader, question.last, question))

    assert [] == books.desk.client.run(found())


def test_an_hour_of_play_has_its_theoretical_win_with_its_error(books: Books) -> None:
    """Half an hour of a game that is counted by a model: twice as much in an hour, and twice the error."""
    under = books.submit()
    main = play("pa-633a-2024", "blackjack", parse_submission({"decks": 6}))
    handle, edge = 80_000_000, main.house_edge / main.staked
    moments = {"opened_at": NOON.isoformat(), "closed_at": ratings.at(30).isoformat()}
    books.publish(books.posted(1, "BJ-01", [total(handle=handle)], submission=under, **moments))
    report = books.report("pace")
    error = round(handle * 0.0002 / 3 / float(main.staked))
    for section in ("tables", "games"):
        [row] = rows_of(report, section)
        assert (round(2 * handle * edge), 2 * error) == names(
            row, "theoretical_win_per_hour_cents", "theoretical_error_per_hour_cents"
        )


def test_a_patron_has_the_theoretical_win_of_the_best_play_with_its_error(books: Books) -> None:
    """Of what was wagered from accounts, by wager and together; how it was counted stands beside it."""
    under = books.submit(wagers=RULES["wagers"])
    ratings.open_accounts(books, ("ga-1", "p-1"))
    ratings.play(books, 1, 5, ("ga-1", 70_000, 0), submission=under, main=80_000_000)
    main, side = ratings.edge("blackjack"), ratings.edge()
    assert main.house_edge is not None
    assert side.house_edge is not None
    found = ratings.report(books, "patron-play")
    [patron] = rows_of(found, "patrons")
    theory, error = 80_000_000 * main.house_edge + 70_000 * side.house_edge, round(80_000_000 * main.standard_error)
    assert (round(theory), error, None, None) == names(
        patron, "theoretical_win_cents", "theoretical_error_cents", "without_house_edge", "deviation_cents"
    )
    wagers = {row["wager"]: names(row, "counted", "theoretical_error_cents") for row in rows_of(found, "wagers")}
    assert {"blackjack": ("by_model", error), "royal_match_21": ("exactly", 0)} == wagers
