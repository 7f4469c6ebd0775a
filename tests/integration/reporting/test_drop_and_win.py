"""Drop and win on a real database: counts, rounds and rules submissions go in, the summary comes out over HTTP."""

from typing import Any

from shared.rules import parse_submission, payback, play
from tests.support.ledger import Ledger, counted_day
from tests.support.reporting import Books, held, names, rows_of, total_of
from tests.support.rounds import submission
from tests.unit.reporting.entries import total

THEORETICAL = tuple(f"{name}_cents" for name in ("handle", "payout", "settled_win", "theoretical_win", "difference"))


def test_the_win_as_counted_stands_beside_the_win_as_settled(books: Books) -> None:
    """Rounds won 140 dollars, the tray has 100 more than it should: both wins, and nobody has explained the rest."""
    books.desk.feed("inventory", *counted_day(closer=1_140))
    books.publish(
        books.posted(1, "BJ-01", [total(handle=50_000, payout=40_000)]),
        books.posted(2, "BJ-01", [total(handle=4_000)]),
    )
    report = books.report("drop-and-win")
    counted = ("drop_cents", "win_cents", "hold_percent", "settled_win_cents", "counted_less_settled_cents")
    expected = (60_000, 24_000, "40.00", 14_000, 10_000)
    assert ("pit-1", "blackjack", *expected) == names(rows_of(report, "tables")[0], "pit", "game", *counted)
    for section in ("games", "pits", "shifts"):
        assert [expected] == [names(row, *counted) for row in rows_of(report, section)]
        assert expected == names(total_of(report, section), *counted)
    assert [(14_000, 0, 0, 0, 0, 10_000)] == [
        names(
            row,
            "settled_win_cents",
            *(f"{name}_cents" for name in ("elsewhere", "given", "drop_variance", "inventory_variance", "unexplained")),
        )
        for row in rows_of(report, "differences")
    ]
    assert {
        "handle and lines": True,
        "payout and lines": True,
        "hours and tables": True,
        "counted and settled": False,
    } == held(report)
    resolved = {"variance": "inventory", "number": 1, "cents": 10_000, "owner": "floor.lee", "conclusion": "miscount"}
    ledger = Ledger(seq=20)
    books.desk.feed(
        "inventory", ledger.entry("variance.resolved", ledger.at | resolved | {"resolved_at": "2026-11-20T13:00:00Z"})
    )
    report = books.report("drop-and-win")
    assert all(held(report).values())
    assert (10_000, 0) == names(rows_of(report, "differences")[0], "inventory_variance_cents", "unexplained_cents")


def test_what_goes_past_the_tray_explains_the_difference(books: Books) -> None:
    """Awards off meters and electronic wagers move no chips; the rest of the win is in the tray."""
    books.desk.feed("inventory", *counted_day(closer=990))
    # 1,000 + 500 - 600 + 90 of rounds: 100 + 40 - 60 wagered electronically + 10 of a payout of 30 off a meter
    figures: dict[str, Any] = {"account_staked": 6_000, "account_credited": 4_000, "meter_payout": 1_000}
    books.publish(books.posted(1, "BJ-01", [total(handle=13_000, payout=3_000, **figures)]))
    report = books.report("drop-and-win")
    [row] = rows_of(report, "differences")
    assert (9_000, 10_000, -1_000, -1_000, 0) == names(
        row, "win_cents", "settled_win_cents", "difference_cents", "elsewhere_cents", "unexplained_cents"
    )
    assert held(report)["counted and settled"]


def test_without_counts_there_is_no_win_as_counted(books: Books) -> None:
    """A table that was played at and not counted says so; the total has no win either."""
    books.desk.feed("inventory", *counted_day(closer=900))
    books.publish(books.posted(1, "BJ-02", [total(handle=500)]))
    report = books.report("drop-and-win")
    assert [("BJ-01", None, 0), ("BJ-02", "counts", 500)] == [
        names(row, "table", "missing", "settled_win_cents") for row in rows_of(report, "tables")
    ]
    assert (60_000, None, 500) == names(total_of(report, "tables"), "drop_cents", "win_cents", "settled_win_cents")
    assert "counted and settled" not in held(report)


def test_the_same_days_of_the_year_before_stand_beside(books: Books) -> None:
    """Drop, win and hold of a year ago where they are known; nothing where they are not."""
    books.desk.feed("inventory", *counted_day(closer=1_200))
    prior = tuple(f"prior_year_{name}" for name in ("drop_cents", "win_cents", "hold_percent"))
    assert (None, None, None) == names(rows_of(books.report("drop-and-win"), "tables")[0], *prior)
    books.desk.feed("inventory", *counted_day(closer=960, day="2025-11-20", seq=10))
    report = books.report("drop-and-win")
    for section in ("tables", "games", "pits", "shifts"):
        assert (60_000, 6_000, "10.00") == names(rows_of(report, section)[0], *prior)
        assert (60_000, 6_000, "10.00") == names(total_of(report, section), *prior)
    explained = books.explain("drop-and-win", "tables/BJ-01/prior_year_drop_cents")
    assert [60_000] == [entry["value"] for entry in explained["entries"]]


def test_actual_and_theoretical_win_to_date(books: Books) -> None:
    """Handle by the house edge of the paytable that was wagered under, by day, week, month and year."""
    under = books.submit(wagers={"royal_match_21": {"paytable": "D"}})
    later = books.submit(2, wagers={"royal_match_21": {"paytable": "E"}})
    played = [
        ("2026-11-20", under, 1000, 700),
        ("2026-11-20", later, 500, 0),
        ("2026-11-16", under, 100, 0),  # Monday
        ("2026-11-15", under, 200, 0),
        ("2026-10-31", under, 400, 0),
        ("2025-12-31", under, 800, 0),
        ("2026-11-21", under, 1600, 0),
    ]
    books.publish(
        *(
            books.posted(
                seq,
                f"BJ-0{seq}",
                [total("royal_match_21", handle=handle, payout=payout), total(handle=handle)],
                gaming_day=day,
                submission=version,
            )
            for seq, (day, version, handle, payout) in enumerate(played, 1)
        )
    )
    report = books.report("drop-and-win")
    wagers = {(row["wager"], row["period"]): row for row in rows_of(report, "wagers_to_date")}
    edges = {
        version: 1
        - payback(
            "pa-633a-2024",
            "royal_match_21",
            parse_submission({"decks": 6, "wagers": {"royal_match_21": {"paytable": paytable}}}),
        )
        for version, paytable in ((1, "D"), (2, "E"))
    }
    second, main = 500, play("pa-633a-2024", "blackjack", parse_submission({"decks": 6})).edge_of_all_staked
    for period, first in {"day": 1000, "week_to_date": 1100, "month_to_date": 1300, "year_to_date": 1700}.items():
        exact = first * edges[1] + second * edges[2]
        win = first + second - 700
        expected = (first + second, 700, win, round(exact), round(win - exact))
        assert expected == names(wagers["royal_match_21", period], *THEORETICAL)
        assert (first + second, round(main * (first + second))) == names(
            wagers["blackjack", period], "handle_cents", "theoretical_win_cents"
        )
        [game] = [row for row in rows_of(report, "games_to_date") if row["period"] == period]
        assert round(exact + main * (first + second)) == game["theoretical_win_cents"]
        assert (first + second, win, round(exact), round(win - exact), None) == names(
            game,
            "exact_handle_cents",
            "exact_win_cents",
            "exact_theoretical_win_cents",
            "exact_difference_cents",
            "without_house_edge",
        )
    assert ["2026-11-20", "2026-11-16", "2026-11-01", "2026-01-01"] == [
        row["first_day"] for row in rows_of(report, "to_date")
    ]
    house_edges = rows_of(report, "house_edges")
    assert [("1", "D", 1700, str(edges[1])), ("2", "E", 500, str(edges[2]))] == [
        names(edge, "version", "paytable", "handle_cents", "house_edge")
        for edge in house_edges
        if edge["wager"] == "royal_match_21"
    ]
    assert ("by_model", "0.0059", "blackjack", str(main), None) == names(
        house_edges[0], "counted", "standard_error", "counted_with", "house_edge", "reason"
    )
    explained = books.explain("drop-and-win", "wagers_to_date/blackjack|royal_match_21|month_to_date/handle_cents")
    assert [1, 2, 3, 4] == sorted(entry["seq"] for entry in explained["entries"])
    only = rows_of(books.report("drop-and-win", "&table=BJ-02&game=blackjack"), "wagers_to_date")
    [day] = [row for row in only if (row["wager"], row["period"]) == ("royal_match_21", "day")]
    assert (500, round(500 * edges[2])) == names(day, "handle_cents", "theoretical_win_cents")


def test_a_week_that_began_last_year_has_its_rounds(books: Books) -> None:
    """In the first days of a year the week holds more than the year, and nothing of it is left out."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=10)], gaming_day="2026-01-01"),
        books.posted(2, "BJ-01", [total(handle=7)], gaming_day="2025-12-30"),
    )
    answer = books.get(f"/reports/drop-and-win?property={books.property_name}&gaming_day=2026-01-01").json()
    assert [("day", 10), ("week_to_date", 17), ("month_to_date", 10), ("year_to_date", 10)] == [
        names(row, "period", "handle_cents") for row in rows_of(answer, "to_date")
    ]


def test_a_correction_moves_the_theoretical_win(books: Books) -> None:
    """What is taken back is taken from the version that it was wagered under, and counts again as corrected."""
    under = books.submit(wagers={"kings_bounty": {}})
    totals = [total("kings_bounty", handle=700)]
    books.publish(
        books.posted(1, "BJ-01", totals, round_id="r-1", submission=under),
        books.reversed(2, "BJ-01", totals, round_id="r-1", submission=under),
        books.posted(3, "BJ-01", [total("kings_bounty", handle=300)], round_id="r-1", revision=2, submission=under),
    )
    [row] = rows_of(books.report("drop-and-win"), "games")
    edge = 1 - payback("pa-633a-2024", "kings_bounty", parse_submission({"decks": 6, "wagers": {"kings_bounty": {}}}))
    assert (300, round(300 * edge)) == names(row, "handle_cents", "theoretical_win_cents")


def test_a_settlement_under_an_unknown_submission_has_no_theoretical_win_until_it_comes(books: Books) -> None:
    """The win is counted at once; the house edge when the registry's message is there."""
    selected = {"decks": 6, "wagers": {"kings_bounty": {}}}
    expected = submission(1, property=books.property_name, submission=selected)["data"]["hash"]
    named = {"version": 1, "hash": expected}
    books.publish(books.posted(1, "BJ-01", [total("kings_bounty", handle=300)], submission=named))
    report = books.report("drop-and-win")
    assert (300, None) == names(rows_of(report, "tables")[0], "settled_win_cents", "theoretical_win_cents")
    assert ["version 1 of the rules submission has not come from the registry"] == [
        one["reason"] for one in rows_of(report, "house_edges")
    ]
    assert named == books.submit(wagers={"kings_bounty": {}})
    assert [None] == [one["reason"] for one in rows_of(books.report("drop-and-win"), "house_edges")]


def test_the_stage_is_that_of_the_day_that_is_furthest_behind(books: Books) -> None:
    """Every day of the period on which there were rounds counts, and its last day."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=1)], gaming_day="2026-10-05"),
        books.posted(2, "BJ-01", [total(handle=1)], gaming_day="2026-10-19"),
        books.posted(3, "BJ-01", [total(handle=1)], gaming_day="2026-09-30"),
    )
    path = f"/reports/drop-and-win?property={books.property_name}&gaming_day=2026-10-07&period=month"
    found = [books.get(path).json()["stage"]]
    for day, status in (
        ("2026-10-31", "final"),
        ("2026-10-05", "preliminary"),
        ("2026-10-19", "final"),
        ("2026-10-05", "final"),
    ):
        books.close(status, day=day, seconds=100)
        found.append(books.get(path).json()["stage"])
    books.publish(books.posted(102, "BJ-01", [], gaming_day="2026-10-05"))
    found.append(books.get(path).json()["stage"])
    assert ["open", "open", "open", "preliminary", "final", "restated"] == found
