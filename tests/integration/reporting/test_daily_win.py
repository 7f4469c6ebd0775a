"""The daily win of reporting on a real database: settlements go in, reports come out over HTTP."""

import csv
import io
import json
from hashlib import sha256

from tests.support.asgi import assert_problem
from tests.support.reporting import Books, names
from tests.unit.reporting.entries import DAY, total


def test_a_day_adds_up_by_table_game_and_wager(books: Books) -> None:
    """Posted rounds appear with their figures, the totals of tables, games and the whole, and the hash of the rows."""
    report = books.publish(
        books.posted(1, "BJ-01", [total(handle=10000, payout=20000), total("insurance", handle=5000)]),
        books.posted(2, "BJ-01", [total(handle=30000)]),
        books.posted(3, "BJ-02", [total(handle=10000, payout=19500, vigorish=25)], game="switch"),
        books.posted(4, "BJ-01", [total(handle=700)], gaming_day="2026-11-21"),
        books.posted(5, "BJ-01", [total(handle=900)], property="lakeside"),
    )
    assert [
        ("BJ-01", "blackjack", 2, 40000, 20000, "50.00"),
        ("BJ-01", "insurance", 1, 5000, 5000, "100.00"),
        ("BJ-02", "blackjack", 1, 10000, -9475, "-94.75"),
    ] == [names(row, "table", "wager", "count", "handle_cents", "win_cents", "win_percent") for row in report["rows"]]
    assert [("BJ-01", 25000, 2), ("BJ-02", -9475, 1)] == [
        (one["table"], one["win_cents"], one["rounds"]["counted"]) for one in report["tables"]
    ]
    assert [("blackjack", 25000), ("switch", -9475)] == [names(one, "game", "win_cents") for one in report["games"]]
    assert (55000, 15525, "28.23") == names(report["total"], "handle_cents", "win_cents", "win_percent")
    canonical = json.dumps(report["rows"], sort_keys=True, separators=(",", ":")).encode()
    assert sha256(canonical).hexdigest() == report["rows_sha256"]
    assert ("audit.kim", 0, 0) == names(report, "generated_by", "exceptions_open", "input_open")
    assert [{"service": "round-settlement", "shard": 1, "seq": 5, "missing": 0}] == report["through"]


def test_one_table_or_game_can_be_asked_for(books: Books) -> None:
    """A report of a table or a game holds its rows alone, and totals of them."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=100)]),
        books.posted(2, "BJ-02", [total(handle=200)]),
        books.posted(3, "BJ-02", [total(handle=400)], game="switch"),
    )
    assert 600 == books.daily_win("&table=BJ-02")["total"]["handle_cents"]
    assert 400 == books.daily_win("&table=BJ-02&game=switch")["total"]["handle_cents"]
    assert [] == books.daily_win("&table=BJ-03")["rows"]


def test_duplicates_disorder_and_gaps_of_the_input_do_not_change_the_sum(books: Books) -> None:
    """A missing settlement is an open exception and shows in the report; when it comes late, all is as if in order."""
    events = [books.posted(seq, "BJ-01", [total(handle=100 * seq)]) for seq in range(1, 7)]
    report = books.publish(events[0], events[0], events[4], events[1], events[4])
    assert (800, 1, 2) == (report["total"]["handle_cents"], report["exceptions_open"], report["input_open"])
    assert (5, 2) == names(report["through"][0], "seq", "missing")
    [open_gap] = books.exceptions()
    assert (f"{books.source} 2-4", "open", "have not come: 3-4") == names(open_gap, "subject", "status", "reason")
    assert open_gap["entry"].startswith("reporting/")
    report = books.publish(events[3], events[5], events[2], events[3])
    assert (2100, 0, 0) == (report["total"]["handle_cents"], report["exceptions_open"], report["input_open"])
    assert ["filled"] == [item["status"] for item in books.exceptions()]


def test_reversals_take_back_and_corrections_count_again(books: Books) -> None:
    """A corrected round counts as corrected, a voided one no more."""
    report = books.publish(
        books.posted(1, "BJ-01", [total(handle=10000, payout=20000)], round_id="r-1"),
        books.posted(2, "BJ-01", [total(handle=5000)], round_id="r-2"),
        books.reversed(3, "BJ-01", [total(handle=10000, payout=20000)], round_id="r-1"),
        books.posted(4, "BJ-01", [total(handle=10000)], round_id="r-1", revision=2),
        books.reversed(5, "BJ-01", [total(handle=5000)], round_id="r-2"),
        books.voided(6, "BJ-01", "r-3"),
        books.superseded(7, "BJ-01", "r-3"),
    )
    assert (1, 10000, 10000) == names(report["rows"][0], "count", "handle_cents", "win_cents")
    assert {"counted": 1, "posted": 3, "corrected": 1, "reversed": 2, "voided": 1} == report["total"]["rounds"]


def test_a_record_that_is_no_settlement_is_refused_and_the_rest_counts(books: Books) -> None:
    """A poison record is an exception of its own, of whatever property; those around it are counted."""
    first, second = (books.posted(seq, "BJ-01", [total(handle=100 * seq)]) for seq in (1, 2))
    report = books.publish(first, b"\x00 not JSON", second | {"source": "/elsewhere/shards/1"}, second)
    assert (300, 2, 2) == (report["total"]["handle_cents"], report["exceptions_open"], report["input_open"])


def test_a_round_that_a_player_banks_adds_up(books: Books) -> None:
    """What went against the bank is apart from handle; win has both vigorishes and what the house won in the bank."""
    report = books.publish(
        books.posted(
            1,
            "PG-01",
            [
                total("dealer_wager", house_in_bank=-5000),
                total("pai_gow_poker", vigorish=200, banked_handle=14000, banked_payout=8000),
                total("bank", vigorish=550, bank_paid=11000),
            ],
            game="pai-gow",
        ),
        books.posted(2, "PG-01", [total("pai_gow_poker", handle=10000, payout=5000, vigorish=25)], game="pai-gow"),
        books.posted(3, "PG-01", [total("bank", bank_collected=700, house_in_bank=350)], game="pai-gow"),
    )
    vigorish = ("handle_cents", "vigorish_cents", "player_vigorish_cents", "bank_vigorish_cents", "win_cents")
    assert [(0, 550, 0, 550, 900), (0, 0, 0, 0, -5000), (10000, 225, 225, 0, 5225)] == [
        names(row, *vigorish) for row in report["rows"]
    ]
    banked = ("banked_handle_cents", "banked_payout_cents", "bank_collected_cents", "bank_paid_cents")
    assert (14000, 8000, 700, 11000, -4650) == names(report["total"], *banked, "house_in_bank_cents")
    assert (1125, "11.25") == names(report["total"], "win_cents", "win_percent")


def test_csv_has_the_rows_of_the_report(books: Books) -> None:
    """`Accept: text/csv` gives the same rows with units in the header."""
    books.publish(books.posted(1, "BJ-01", [total(handle=10050, payout=20001)]))
    answer = books.get(books.path(), Accept="text/csv")
    assert "text/csv; header=present; charset=utf-8" == answer.headers["content-type"]
    [row] = csv.DictReader(io.StringIO(answer.text, newline=""))
    assert ("open", "BJ-01", "10050", "100.50", "-9951", "-99.51", "-99.01") == names(
        row, "status", "table", "handle_cents", "handle_dollars", "win_cents", "win_dollars", "win_percent"
    )
    assert 406 == books.get(books.path(), Accept="image/png").status_code


def test_an_unchanged_report_is_not_sent_again(books: Books) -> None:
    """The entity tag stands for figures and exceptions: the same until they change, another for JSON than for CSV."""
    books.publish(books.posted(1, "BJ-01", [total(handle=100)]))
    tag = books.get(books.path()).headers["etag"]
    assert tag != books.get(books.path(), Accept="text/csv").headers["etag"]
    books.publish(books.posted(2, "BJ-01", [total(handle=1)], property="lakeside"))
    again = books.get(books.path(), **{"If-None-Match": f'"other", {tag}'})
    assert (304, b"", tag) == (again.status_code, again.content, again.headers["etag"])
    for event in (books.posted(3, "BJ-01", [total(handle=1)]), b"not JSON"):
        tag = books.get(books.path()).headers["etag"]
        books.publish(event)
        assert 200 == books.get(books.path(), **{"If-None-Match": tag}).status_code


def test_a_sealed_day_is_final_and_restated_after_a_correction(books: Books) -> None:
    """The status is that of the table inventory; a settlement recorded after the seal restates the day."""
    assert "open" == books.publish(books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"))["status"]
    statuses = [books.close(status, seconds=100) for status in ("preliminary", "audited", "final")]
    assert ["preliminary", "preliminary", "final"] == statuses
    assert "final" == books.publish(books.posted(2, "BJ-01", [total(handle=50)]))["status"]  # recorded before the seal
    assert "final" == books.publish(books.posted(101, "BJ-01", [], gaming_day="2026-11-21"))["status"]
    taken_back = books.reversed(102, "BJ-02", [total(handle=100)], round_id="r-1")
    assert "restated" == books.publish(taken_back)["status"]
    assert "restated" == books.daily_win("&table=BJ-01")["status"]


def test_reports_are_for_named_readers(books: Books) -> None:
    """Without a token or without the role there is no report; bad parameters are named; reading writes nothing."""
    for path in (books.path(), books.path("win-to-date"), books.path("exceptions")):
        statuses = [books.get(path, person=person).status_code for person in (None, "nobody", "games.ray", "audit.kim")]
        assert [401, 401, 403, 200] == statuses
    wrong = books.get("/reports/daily-win?property=riverside&gaming_day=yesterday")
    assert_problem(wrong, 422, "query.gaming_day")
    assert [] == books.desk.entries()
    assert 200 == books.get(f"/reports/daily-win?property=nowhere&gaming_day={DAY}").status_code
