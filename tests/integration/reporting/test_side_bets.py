"""Side bets on a real database: rounds go in, utilization, win and hits against expectation come out."""

from typing import Any

from tests.support.reporting import Books, held, names, rows_of
from tests.unit.reporting.entries import total


def _line(wager: str, stake: int, payout: int = 0, category: str | None = None) -> dict[str, Any]:
    said = {"seat": 1, "wager": wager, "outcome": "win" if payout else "lose", "stake": stake, "payout": payout}
    said |= {"stake_returned": stake if payout else 0, "from_meter": 0, "paid_by": "house"}
    return said if category is None else said | {"category": category}


def _play(books: Books, under: dict[str, Any]) -> None:
    """Four rounds of ten dollars, five on Royal Match 21 in two of them, of which one is a suited match."""
    hit = [_line("blackjack", 1_000), _line("royal_match_21", 500, 1_250, "suited_match")]
    missed = [_line("blackjack", 1_000), _line("royal_match_21", 500)]
    main = total(handle=1_000)
    books.publish(
        books.posted(
            1, "BJ-01", [main, total("royal_match_21", handle=500, payout=1_750)], lines=hit, submission=under
        ),
        books.posted(2, "BJ-02", [main, total("royal_match_21", handle=500)], lines=missed, submission=under),
        *(books.posted(seq, "BJ-01", [main], submission=under) for seq in (3, 4)),
    )


def test_a_side_bet_stands_against_its_exact_expectation(books: Books) -> None:
    """Half of the hands made it; win, theoretical win and deviation follow from the paytable that was selected."""
    under = books.submit(wagers={"royal_match_21": {"paytable": "D"}})
    _play(books, under)
    report = books.report("side-bets")
    main, side = rows_of(report, "wagers")
    # 4,000 x 330499511 / 188100322201 = 7.03; three standard errors are 0.02 points of the first stakes, 0.8 cents
    assert ("required", 4, 4, "100.00", 7, 0, "by_model") == names(
        *(main, "offered", "rounds_offered", "wagers", "utilization_percent", "theoretical_win_cents"),
        *("theoretical_error_cents", "counted"),
    )
    assert "depends on how hands are played" in main["reason"]
    assert ("optional", "D", "1", 4, 2, "50.00", 1_000, 1_750, -750, "-75.00", None) == names(
        side,
        *("offered", "paytable", "version", "rounds_offered", "wagers", "utilization_percent"),
        *("handle_cents", "payout_cents", "win_cents", "win_percent", "reason"),
    )
    # house edge 539/8086; variance 4.1319 of one cent squared, and two stakes of 500: 817 / 1,437
    assert (67, 0, "6.67", "exactly", -817, "-81.67", "+0.57") == names(
        side,
        *("theoretical_win_cents", "theoretical_error_cents", "theoretical_win_percent", "counted"),
        *("difference_cents", "difference_percent", "standard_deviations"),
    )
    assert {"handle and lines": True, "payout and lines": True} == held(report)


def test_hits_stand_against_the_exact_probability_of_their_row(books: Books) -> None:
    """Each row of the paytable, hit or not, with what it paid; a hit leads to its round."""
    under = books.submit(wagers={"royal_match_21": {"paytable": "D"}})
    _play(books, under)
    hits = {row["category"]: row for row in rows_of(books.report("side-bets"), "hits")}
    figures = ("wagers", "hits", "payout_cents", "probability", "expected_hits", "standard_deviations")
    assert (2, 1, 1_750, "989/4043", "0.49", "+0.84") == names(hits["suited_match"], *figures)
    assert (2, 0, 0, "12/4043", "0.01", "-0.08") == names(hits["royal_match"], *figures)
    cell = f"hits/blackjack|royal_match_21|1|{under['hash']}|suited_match/hits"
    assert [(1, 1)] == [names(entry, "seq", "value") for entry in books.explain("side-bets", cell)["entries"]]


def test_what_is_taken_back_is_no_hit(books: Books) -> None:
    """A reversed round takes its stakes, hits and offers with it; versions stand apart."""
    under = books.submit(wagers={"royal_match_21": {"paytable": "D"}})
    other = books.submit(2, wagers={"royal_match_21": {"paytable": "E"}})
    _play(books, under)
    totals = [total(handle=1_000), total("royal_match_21", handle=500, payout=1_750)]
    lines = [_line("blackjack", 1_000), _line("royal_match_21", 500, 1_250, "suited_match")]
    books.publish(
        books.reversed(5, "BJ-01", totals, round_id="r-1", submission=under, lines=lines),
        books.posted(6, "BJ-01", totals, round_id="r-1", revision=2, submission=other, lines=lines),
    )
    report = books.report("side-bets")
    found = {(row["wager"], row["version"]): row for row in rows_of(report, "wagers")}
    figures = ("rounds_offered", "wagers", "utilization_percent", "handle_cents")
    assert (3, 1, "33.33", 500) == names(found["royal_match_21", "1"], *figures)
    assert (1, 1, "100.00", 500) == names(found["royal_match_21", "2"], *figures)
    hit = {(row["version"], row["category"]): row["hits"] for row in rows_of(report, "hits")}
    assert (0, 1) == (hit["1", "suited_match"], hit["2", "suited_match"])
    assert all(held(report).values())
