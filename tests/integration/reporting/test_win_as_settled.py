"""The win as settled on a real database: settlements go in, the report comes out over HTTP."""

from tests.support.asgi import assert_problem
from tests.support.reporting import Books, held, names, rows_of, total_of
from tests.unit.reporting.entries import DAY, total

ROUNDS = tuple(f"rounds_{name}" for name in ("counted", "posted", "corrected", "reversed", "voided"))


def test_a_day_adds_up_by_table_game_and_wager(books: Books) -> None:
    """Posted rounds appear with their figures, and the totals of tables, games and the whole."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=10000, payout=20000), total("insurance", handle=5000)]),
        books.posted(2, "BJ-01", [total(handle=30000)]),
        books.posted(3, "BJ-02", [total(handle=10000, payout=19500, vigorish=25)], game="switch"),
        books.posted(4, "BJ-01", [total(handle=700)], gaming_day="2026-11-21"),
        books.posted(5, "BJ-01", [total(handle=900)], property="lakeside"),
    )
    report = books.settled()
    assert [
        ("BJ-01", "blackjack", 2, 40000, 20000, "50.00"),
        ("BJ-01", "insurance", 1, 5000, 5000, "100.00"),
        ("BJ-02", "blackjack", 1, 10000, -9475, "-94.75"),
    ] == [
        names(row, "table", "wager", "count", "handle_cents", "win_cents", "win_percent")
        for row in rows_of(report, "wagers")
    ]
    assert [("BJ-01", 25000, 2), ("BJ-02", -9475, 1)] == [
        names(row, "table", "win_cents", "rounds_counted") for row in rows_of(report, "tables")
    ]
    assert [("blackjack", 25000), ("switch", -9475)] == [
        names(row, "game", "win_cents") for row in rows_of(report, "games")
    ]
    for section in ("wagers", "tables", "games"):
        assert (55000, 15525, "28.23") == names(total_of(report, section), "handle_cents", "win_cents", "win_percent")
    assert {"handle and lines": True, "payout and lines": True} == held(report)
    assert ("audit.kim", 0, 0, "open") == names(report, "generated_by", "exceptions_open", "input_open", "stage")
    assert {"service": "round-settlement", "shard": 1, "seq": 5, "missing": 0} in report["through"]
    month = books.settled("&period=month")
    assert 55700 == total_of(month, "tables")["handle_cents"]


def test_one_table_or_game_can_be_asked_for(books: Books) -> None:
    """A report of a table or a game holds its rows alone, and totals of them."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=100)]),
        books.posted(2, "PG-01", [total(handle=200)]),
        books.posted(3, "PG-01", [total(handle=400)], game="pai-gow-poker"),
        books.voided(4, "PG-01", "r-4"),
    )
    one = books.settled("&table=PG-01")
    assert (600, 3 - 1, 1) == names(total_of(one, "tables"), "handle_cents", "rounds_counted", "rounds_voided")
    other = books.settled("&table=PG-01&game=pai-gow-poker")
    assert (400, 1, 0) == names(total_of(other, "tables"), "handle_cents", "rounds_counted", "rounds_voided")
    assert {"handle and lines": True, "payout and lines": True} == held(other)
    assert [] == rows_of(books.settled("&table=BJ-03"), "wagers")


def test_the_first_rows_alone_can_be_asked_for(books: Books) -> None:
    """Of sections that are not wanted whole, with the totals of all; the same figures."""
    books.publish(*(books.posted(seq, f"BJ-0{seq}", [total(handle=100 * seq)]) for seq in range(1, 5)))
    every, cut = books.settled(), books.settled("&rows=3&whole=wagers")
    assert rows_of(every, "tables")[:3] == rows_of(cut, "tables")
    assert rows_of(every, "wagers") == rows_of(cut, "wagers")
    assert total_of(every, "tables") == total_of(cut, "tables")
    assert [None, 4, None, None] == [one.get("cut_from") for one in cut["content"]["sections"]]
    assert cut["sha256"] is None is not every["sha256"]
    assert every["explain"] == cut["explain"].replace(cut["known_at"][:19], every["known_at"][:19])
    assert every["sha256"] == books.settled("&rows=4")["sha256"]
    assert_problem(books.get(books.path(more="&rows=1&whole=pits")), 404, "there is no section pits")
    assert_problem(books.get(books.path(more="&rows=0")), 422, "query.rows")


def test_one_definition_alone_can_be_asked_for(books: Books) -> None:
    """As the list of all has it; there is none of another name."""
    every = {one["name"]: one for one in books.get("/reports").json()}
    assert [every["win-as-settled"]] == books.get("/reports?name=win-as-settled").json()
    assert [] == books.get("/reports?name=nothing").json()


def test_duplicates_disorder_and_gaps_of_the_input_do_not_change_the_sum(books: Books) -> None:
    """A missing settlement is an open exception and shows in the report; when it comes late, all is as if in order."""
    events = [books.posted(seq, "BJ-01", [total(handle=100 * seq)]) for seq in range(1, 7)]
    books.publish(events[0], events[0], events[4], events[1], events[4])
    report = books.settled()
    assert (800, 1, 1) == (total_of(report, "tables")["handle_cents"], *names(report, "exceptions_open", "input_open"))
    [settlements] = [one for one in report["through"] if one["service"] == "round-settlement"]
    assert (5, 2) == names(settlements, "seq", "missing")
    [open_gap] = books.exceptions()
    assert (
        f"{books.source} 2-4",
        "have not come: 3-4; it names no property that is known: it is listed for every one",
    ) == names(open_gap, "subject", "reason")
    assert open_gap["entry"].startswith("reporting/")
    books.publish(events[3], events[5], events[2], events[3])
    report = books.settled()
    assert (2100, 0, 0) == (total_of(report, "tables")["handle_cents"], *names(report, "exceptions_open", "input_open"))
    assert ["filled"] == [item["status"] for item in books.exceptions()]


def test_reversals_take_back_and_corrections_count_again(books: Books) -> None:
    """A corrected round counts as corrected, a voided one no more; each count leads to its entries."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=10000, payout=20000)], round_id="r-1"),
        books.posted(2, "BJ-01", [total(handle=5000)], round_id="r-2"),
        books.reversed(3, "BJ-01", [total(handle=10000, payout=20000)], round_id="r-1"),
        books.posted(4, "BJ-01", [total(handle=10000)], round_id="r-1", revision=2),
        books.reversed(5, "BJ-01", [total(handle=5000)], round_id="r-2"),
        books.voided(6, "BJ-01", "r-3"),
        books.superseded(7, "BJ-01", "r-3"),
    )
    report = books.settled()
    assert (1, 10000, 10000) == names(rows_of(report, "wagers")[0], "count", "handle_cents", "win_cents")
    for section in ("tables", "games"):
        assert (1, 3, 1, 2, 1) == names(total_of(report, section), *ROUNDS)
    found = {
        column: [entry["seq"] for entry in books.explain("win-as-settled", f"tables/BJ-01/{column}")["entries"]]
        for column in (*ROUNDS, "handle_cents", "win_cents")
    }
    assert [[1, 2, 4, 3, 5], [1, 2, 4], [4], [3, 5], [6]] == [found[name] for name in ROUNDS]
    assert [1, 2, 3, 4, 5] == found["handle_cents"]
    assert [1, 1, 2, 3, 3, 4, 5] == sorted(found["win_cents"])


def test_it_is_what_was_known_at_a_moment(books: Books) -> None:
    """As of a moment it has the same bytes whatever came later: rounds, counts of rounds, and house edges."""
    books.publish(books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"), books.voided(2, "BJ-01", "r-9"))
    at = "&known_at=2026-11-20T12:00:02Z"
    before = books.get(books.path(more=at)).content
    books.publish(
        books.reversed(3, "BJ-01", [total(handle=100)], round_id="r-1"),
        books.voided(4, "BJ-01", "r-8"),
        books.posted(5, "BJ-01", [total(handle=70)]),
    )
    assert before == books.get(books.path(more=at)).content
    assert (1, 1, 100) == names(
        total_of(books.settled(at), "tables"), "rounds_counted", "rounds_voided", "handle_cents"
    )
    assert (1, 2, 70) == names(total_of(books.settled(), "tables"), "rounds_counted", "rounds_voided", "handle_cents")


def test_a_record_that_is_no_settlement_is_refused_and_the_rest_counts(books: Books) -> None:
    """A poison record is an exception of its own, of whatever property; those around it are counted."""
    first, second = (books.posted(seq, "BJ-01", [total(handle=100 * seq)]) for seq in (1, 2))
    books.publish(first, b"\x00 not JSON", second | {"source": "/elsewhere/shards/1"}, second)
    report = books.settled()
    assert (300, 2, 2) == (total_of(report, "tables")["handle_cents"], *names(report, "exceptions_open", "input_open"))


def test_a_round_that_a_player_banks_adds_up(books: Books) -> None:
    """What went against the bank is apart from handle; win has both vigorishes and what the house won in the bank."""
    books.publish(
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
    report = books.settled()
    vigorish = ("handle_cents", "vigorish_cents", "player_vigorish_cents", "bank_vigorish_cents", "win_cents")
    assert [(0, 550, 0, 550, 900), (0, 0, 0, 0, -5000), (10000, 225, 225, 0, 5225)] == [
        names(row, *vigorish) for row in rows_of(report, "wagers")
    ]
    banked = ("banked_handle_cents", "banked_payout_cents", "bank_collected_cents", "bank_paid_cents")
    whole = total_of(report, "tables")
    assert (14000, 8000, 700, 11000, -4650) == names(whole, *banked, "house_in_bank_cents")
    assert (1125, "11.25", 775, 225, 550) == names(whole, "win_cents", "win_percent", *vigorish[1:4])
    assert [1] == [one["seq"] for one in books.explain("win-as-settled", "tables/PG-01/bank_vigorish_cents")["entries"]]


def test_an_unchanged_report_is_not_sent_again(books: Books) -> None:
    """The entity tag stands for the content: the same until it changes, another for JSON than for CSV."""
    books.publish(books.posted(1, "BJ-01", [total(handle=100)]))
    tag = books.get(books.path()).headers["etag"]
    assert tag != books.get(books.path(), Accept="text/csv").headers["etag"]
    books.publish(books.posted(2, "BJ-01", [total(handle=1)], property="lakeside"))
    again = books.get(books.path(), **{"If-None-Match": f'"other", {tag}'})
    assert (304, b"", tag) == (again.status_code, again.content, again.headers["etag"])
    books.publish(books.posted(3, "BJ-01", [total(handle=1)]))
    assert 200 == books.get(books.path(), **{"If-None-Match": tag}).status_code


def test_a_sealed_day_is_final_and_restated_after_a_correction(books: Books) -> None:
    """A settlement recorded after the seal restates the day, whatever part of it the report is about."""
    books.publish(books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"))
    stages = [books.settled()["stage"]]
    for status in ("preliminary", "audited", "final"):
        books.close(status, seconds=100)
        stages.append(books.settled()["stage"])
    assert ["open", "preliminary", "preliminary", "final"] == stages
    books.publish(books.posted(2, "BJ-01", [total(handle=50)]))  # recorded before the seal
    books.publish(books.posted(101, "BJ-01", [], gaming_day="2026-11-21"))
    assert "final" == books.settled()["stage"]
    books.publish(books.voided(102, "BJ-02", "r-7"))
    report = books.settled("&table=BJ-01")
    assert ("restated", 2) == names(report, "stage", "version")
    assert [("voided", "floor.lee", "misread card")] == [
        names(row, "kind", "who", "why") for row in rows_of(report, "restatements")
    ]


def test_reports_are_for_named_readers(books: Books) -> None:
    """Without a token or without the role there is no report; bad parameters are named; reading writes nothing."""
    books.publish(books.posted(1, "BJ-01", [total(handle=1)]))
    for path in (books.path(), books.path("exceptions")):
        statuses = [books.get(path, person=person).status_code for person in (None, "nobody", "games.ray", "audit.kim")]
        assert [401, 401, 403, 200] == statuses
    wrong = books.get("/reports/win-as-settled?property=riverside&gaming_day=yesterday")
    assert_problem(wrong, 422, "query.gaming_day")
    assert [] == books.desk.entries()
    assert 404 == books.get(f"/reports/win-as-settled?property=nowhere&gaming_day={DAY}").status_code
