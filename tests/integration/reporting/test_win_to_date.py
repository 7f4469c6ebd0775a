"""The win to date of reporting on a real database: settlements and rules submissions go in, the report comes out."""

import csv
import io

from shared.rules import parse_submission, payback
from tests.support.reporting import Books, names
from tests.support.rounds import submission
from tests.unit.reporting.entries import total


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
    report = books.to_date()
    blackjack, side = report["rows"]
    edges = {
        version: 1
        - payback(
            "pa-633a-2024",
            "royal_match_21",
            parse_submission({"decks": 6, "wagers": {"royal_match_21": {"paytable": paytable}}}),
        )
        for version, paytable in ((1, "D"), (2, "E"))
    }
    second = 500
    for period, first in {"day": 1000, "week_to_date": 1100, "month_to_date": 1300, "year_to_date": 1700}.items():
        exact = first * edges[1] + second * edges[2]
        win = first + second - 700
        assert (first + second, 700, win, round(exact), round(win - exact)) == names(
            side[period], *(f"{name}_cents" for name in ("handle", "payout", "win", "theoretical_win", "difference"))
        )
        assert (first + second, None) == names(blackjack[period], "handle_cents", "theoretical_win_cents")
    assert [(1, "D", 1700, str(edges[1])), (2, "E", 500, str(edges[2]))] == [
        names(edge, "version", "paytable", "handle_cents", "house_edge") for edge in side["house_edges"]
    ]
    assert [("blackjack", 1), ("blackjack", 2)] == [
        names(one, "wager", "version") for one in report["without_house_edge"]
    ]
    assert "depends on how hands are played" in report["without_house_edge"][0]["reason"]
    assert "2026-11-16" == report["first_days"]["week_to_date"]
    assert side["day"] == report["games"][0]["exact"]["day"]
    only = books.to_date("&table=BJ-02&game=blackjack")["rows"][1]
    assert (500, round(500 * edges[2])) == names(only["day"], "handle_cents", "theoretical_win_cents")
    answer = books.get(books.path("win-to-date"), Accept="text/csv")
    line = list(csv.DictReader(io.StringIO(answer.text, newline="")))[1]
    assert ("royal_match_21", "22.00", str(side["day"]["theoretical_win_cents"])) == names(
        line, "wager", "year_to_date_handle_dollars", "day_theoretical_win_cents"
    )


def test_a_correction_moves_the_theoretical_win(books: Books) -> None:
    """What is taken back is taken from the version that it was wagered under, and counts again as corrected."""
    under = books.submit(wagers={"kings_bounty": {}})
    totals = [total("kings_bounty", handle=700)]
    books.publish(
        books.posted(1, "BJ-01", totals, round_id="r-1", submission=under),
        books.reversed(2, "BJ-01", totals, round_id="r-1", submission=under),
        books.posted(3, "BJ-01", [total("kings_bounty", handle=300)], round_id="r-1", revision=2, submission=under),
    )
    [row] = books.to_date()["rows"]
    edge = 1 - payback("pa-633a-2024", "kings_bounty", parse_submission({"decks": 6, "wagers": {"kings_bounty": {}}}))
    assert (300, round(300 * edge)) == names(row["day"], "handle_cents", "theoretical_win_cents")


def test_a_settlement_under_an_unknown_submission_has_no_theoretical_win_until_it_comes(books: Books) -> None:
    """The win is counted at once; the house edge when the registry's message is there."""
    selected = {"decks": 6, "wagers": {"kings_bounty": {}}}
    expected = submission(1, property=books.property_name, submission=selected)["data"]["hash"]
    named = {"version": 1, "hash": expected}
    books.publish(books.posted(1, "BJ-01", [total("kings_bounty", handle=300)], submission=named))
    report = books.to_date()
    assert (300, None) == names(report["rows"][0]["day"], "win_cents", "theoretical_win_cents")
    assert ["version 1 of the rules submission has not come from the registry"] == [
        one["reason"] for one in report["without_house_edge"]
    ]
    assert named == books.submit(wagers={"kings_bounty": {}})
    assert [] == books.to_date()["without_house_edge"]


def test_the_status_is_that_of_the_day_that_is_furthest_behind(books: Books) -> None:
    """Every day of the year on which there were rounds counts, and the gaming day itself."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=1)], gaming_day="2026-01-05"),
        books.posted(2, "BJ-01", [total(handle=1)], gaming_day="2026-11-19"),
        books.posted(3, "BJ-01", [total(handle=1)], gaming_day="2025-12-31"),
    )
    found = [books.to_date()["status"]]
    for day, status in (("2026-11-20", "final"), ("2026-01-05", "preliminary"), ("2026-11-19", "final")):
        books.close(status, day=day, seconds=100)
        found.append(books.to_date()["status"])
    books.close("final", day="2026-01-05", seconds=100)
    found.append(books.to_date()["status"])
    books.publish(books.voided(101, "BJ-01", "r-9") | {}, books.posted(102, "BJ-01", [], gaming_day="2026-01-05"))
    found.append(books.to_date()["status"])
    assert ["open", "open", "open", "preliminary", "final", "restated"] == found
