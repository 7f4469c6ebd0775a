"""Pace and yield on a real database: rounds and periods in which tables were open go in, figures an hour come out."""

from datetime import datetime, timedelta
from random import Random
from typing import Any, Final

from tests.support.ledger import Ledger
from tests.support.properties import property_event
from tests.support.reporting import Books, figure_of, held, names, rows_of
from tests.support.statements import Statements
from tests.support.table_days import TableDays
from tests.unit.reporting.entries import DAY, NOON, total

_PLAYED: Final = ("rounds", "hours", "rounds_per_hour", "seats", "seats_per_round", "handle_cents", "wager_cents")


def _line(seat: int, wager: str, stake: int, payout: int = 0) -> dict[str, Any]:
    said = {"seat": seat, "wager": wager, "outcome": "win" if payout else "lose", "stake": stake, "payout": payout}
    return said | {"stake_returned": stake if payout else 0, "from_meter": 0, "paid_by": "house"}


def _round(
    books: Books, seq: int, minute: int, seats: int, *, table: str = "BJ-01", dealer: str = "d-1", **more: Any
) -> dict[str, Any]:
    """A round of one minute that ends so many minutes after noon; each seat wagers ten dollars."""
    closed = NOON + timedelta(minutes=minute)
    lines = [_line(seat, "blackjack", 1_000) for seat in range(1, seats + 1)]
    moments = {"opened_at": _text(closed - timedelta(minutes=1)), "closed_at": _text(closed)}
    said = {"lines": lines, "dealer_id": dealer, **moments} | more
    return books.posted(seq, table, [total(handle=1_000 * seats)], **said)


def _text(moment: datetime) -> str:
    return moment.isoformat()


def test_a_table_has_a_pace_by_hour_of_the_clock(books: Books) -> None:
    """Four rounds in nine minutes of one hour, two in five of the next; the clock is that of the property."""
    rounds = [_round(books, seq, minute, 3) for seq, minute in enumerate((1, 3, 6, 9), 1)]
    rounds += [_round(books, seq, minute, 1) for seq, minute in enumerate((61, 65), 5)]
    books.publish(*rounds)
    report = books.report("pace")
    [table] = rows_of(report, "tables")
    assert ("BJ-01", "blackjack", 6, "0.23", "25.71", 14, "2.33", 14_000, 1_000) == names(
        table, "table", "game", *_PLAYED
    )
    assert 60_000 == table["handle_per_hour_cents"]  # in 14 minutes
    first, second = rows_of(report, "hours")
    assert ("07:00", 4, "0.15", "26.67", 12, "3.00", 12_000, 1_000) == names(first, "hour", *_PLAYED)
    assert ("08:00", 2, "0.08", "24.00", 2, "1.00", 2_000, 1_000) == names(second, "hour", *_PLAYED)
    assert {"rounds of hours": True, "handle of hours": True} == held(report)
    cell = "hours/BJ-01|blackjack|07:00/seats"
    assert [3, 3, 3, 3] == [entry["value"] for entry in books.explain("pace", cell)["entries"]]
    cell = "hours/BJ-01|blackjack|08:00/handle_cents"
    assert [(5, 1_000), (6, 1_000)] == [
        names(entry, "seq", "value") for entry in books.explain("pace", cell)["entries"]
    ]


def test_a_game_has_the_pace_of_its_tables_together(books: Books) -> None:
    """Three rounds in six minutes at one table and one of a minute at another: 34 an hour, of 7 spots."""
    rounds = [_round(books, seq, minute, 2) for seq, minute in enumerate((1, 3, 6), 1)]
    books.publish(*rounds, _round(books, 4, 10, 1, table="BJ-02"))
    report = books.report("pace")
    [game] = rows_of(report, "games")
    assert ("blackjack", 2, 4, "0.12", "34.29", 7, "1.75", 7_000, 1_000) == names(game, "game", "tables", *_PLAYED)
    assert 60_000 == game["win_per_hour_cents"]  # all of it lost, in seven minutes
    assert game["handle_cents"] == sum(row["handle_cents"] for row in rows_of(report, "tables"))


def test_what_is_taken_back_was_not_played(books: Books) -> None:
    """A reversed round takes its spots and its handle with it; posted again, it counts once; also as known before."""
    totals, lines = [total(handle=2_000)], [_line(seat, "blackjack", 1_000) for seat in (1, 2)]
    at = {"closed_at": _text(NOON + timedelta(minutes=3)), "dealer_id": "d-1"}
    books.publish(_round(books, 1, 1, 2), _round(books, 2, 3, 2, round_id="r-2"))
    before = rows_of(books.report("pace"), "tables")
    known_at = _text(NOON + timedelta(seconds=2)).replace("+", "%2B")
    books.publish(books.reversed(3, "BJ-01", totals, round_id="r-2", lines=lines, **at))
    [table] = rows_of(books.report("pace"), "tables")
    assert (1, 2, 2_000) == names(table, "rounds", "seats", "handle_cents")
    books.publish(_round(books, 4, 3, 1, round_id="r-2", revision=2))
    [table] = rows_of(books.report("pace"), "tables")
    assert (2, 3, 3_000) == names(table, "rounds", "seats", "handle_cents")
    assert before == rows_of(books.report("pace", f"&known_at={known_at}"), "tables")


def _hours_of_play(books: Books, known_at: datetime | None = None) -> tuple[Any, ...]:
    more = "" if known_at is None else f"&known_at={_text(known_at).replace('+', '%2B')}"
    [table] = rows_of(books.report("pace", more), "tables")
    return names(table, "rounds", "hours", "rounds_per_hour")


def test_the_time_of_a_round_that_was_taken_back_is_no_time_of_play(books: Books) -> None:
    """Rounds end at 12:01, 12:02 and 12:50: without the last one, two were dealt in two minutes; also as known then."""

    def back(seq: int, minute: int, name: str) -> dict[str, Any]:
        lines = [_line(seat, "blackjack", 1_000) for seat in (1, 2)]
        at = {"closed_at": _text(NOON + timedelta(minutes=minute)), "dealer_id": "d-1"}
        return books.reversed(seq, "BJ-01", [total(handle=2_000)], round_id=name, lines=lines, **at)

    def known(seq: int) -> datetime:
        return NOON + timedelta(seconds=seq)

    rounds = [_round(books, seq, minute, 2, round_id=f"r-{seq}") for seq, minute in ((1, 1), (2, 2), (3, 50))]
    books.publish(*rounds)
    assert (3, "0.83", "3.60") == _hours_of_play(books)
    books.publish(back(4, 50, "r-3"))
    assert (2, "0.03", "60.00") == _hours_of_play(books)
    books.publish(back(5, 1, "r-1"), back(6, 2, "r-2"))
    assert [] == rows_of(books.report("pace"), "tables")
    books.publish(_round(books, 7, 30, 2), _round(books, 8, 58, 2, round_id="r-8"), back(9, 58, "r-8"))
    assert (1, "0.02", "60.00") == _hours_of_play(books)
    assert (2, "0.03", "60.00") == _hours_of_play(books, known(4))
    assert (2, "0.48", "4.14") == _hours_of_play(books, known(8))
    assert (3, "0.83", "3.60") == _hours_of_play(books, known(3))


def test_a_dealer_stands_against_others_at_as_many_seats(books: Books) -> None:
    """At one seat two dealers deal 30 and 10 rounds an hour: both together 20; more seats are compared apart."""
    books.publish(
        *(_round(books, seq, minute, 1, dealer="d-1") for seq, minute in enumerate((1, 3, 4, 6), 1)),
        *(_round(books, seq, minute, 1, dealer="d-2", table="BJ-02") for seq, minute in ((5, 1), (6, 18))),
        *(_round(books, seq, minute, 5, dealer="d-2", table="BJ-03") for seq, minute in ((7, 1), (8, 2))),
    )
    first, second = rows_of(books.report("pace"), "dealers")
    assert ("d-1", 4, "0.10", "40.00", "1.50", "266.67") == names(
        first, "dealer", "rounds", "hours", "rounds_per_hour", "expected_rounds", "of_expected_percent"
    )
    assert ("d-2", 4, "6.50", "61.54") == names(second, "dealer", "rounds", "expected_rounds", "of_expected_percent")
    assert float(first["from_percent"]) < 100 < float(first["to_percent"])


def test_optional_wagers_are_taken_by_spots(books: Books) -> None:
    """Two of three spots take the side bet, which has a quarter of the handle."""
    under = books.submit(wagers={"royal_match_21": {"paytable": "D"}})
    lines = [_line(seat, "blackjack", 1_000) for seat in (1, 2, 3)]
    lines += [_line(seat, "royal_match_21", 500) for seat in (1, 2)]
    totals = [total(handle=3_000), total("royal_match_21", handle=1_000)]
    books.publish(books.posted(1, "BJ-01", totals, lines=lines, submission=under, opened_at=_text(NOON)))
    [wager] = rows_of(books.report("pace"), "side_bets")
    assert ("royal_match_21", 2, 3, "66.67", 1_000, "25.00") == names(
        wager, "wager", "wagers", "seats", "take_up_percent", "handle_cents", "handle_share_percent"
    )


def test_an_open_table_has_its_drop_and_win_by_the_hour(books: Books) -> None:
    """Open for two hours, of which nobody played most: drop and counted win are divided by both."""
    times = [(NOON - timedelta(hours=2), NOON)]
    books.desk.feed("inventory", Ledger().stated(opener=100_000, closer=80_000, currency=50_000, times=times))
    books.publish(_round(books, 1, -30, 2))
    [table] = rows_of(books.report("pace"), "open_hours")
    assert ("BJ-01", "2.00", 1, "0.50", 25_000, 15_000) == names(
        table,
        *("table", "open_hours", "rounds", "rounds_per_open_hour"),
        *("drop_per_open_hour_cents", "win_per_open_hour_cents"),
    )


def test_an_open_table_without_a_win_or_wagers_has_none_by_the_hour(books: Books) -> None:
    """A poker table has neither drop nor win, and a counted table no theoretical win: empty cells, and not zeros."""
    tables = {
        "PK-01": {"game": "poker", "non_banking": True},
        "MB-01": {"game": "mini", "play": "counted", "sales": "none"},
    }
    games = [{"game": "mini", "kind": "minibaccarat"}]
    books.desk.feed("properties", property_event(tables=tables | {"BJ-01": {}}, games=games, version=2, sequence=3))
    times = [(NOON - timedelta(hours=2), NOON)]
    poker = Ledger("PK-01").stated(non_banking=True, boxes=1, boxes_counted=1, rake=20_000, times=times)
    counted = Ledger("MB-01", seq=10).stated(opener=100_000, closer=80_000, currency=50_000, times=times)
    books.desk.feed("inventory", poker, counted, Ledger(seq=20).stated(times=times))
    columns = ("drop_per_open_hour_cents", "win_per_open_hour_cents", "theoretical_win_per_open_hour_cents")
    rows = rows_of(books.report("pace"), "open_hours")
    assert [("BJ-01", 0, 0, None), ("MB-01", 25_000, 15_000, None), ("PK-01", None, None, None)] == [
        names(row, "table", *columns) for row in rows
    ]
    assert [None] * 3 == [row["theoretical_error_per_open_hour_cents"] for row in rows]


def test_a_counted_table_has_the_pace_of_its_results(books: Books) -> None:
    """Results and shoes in the hours that it was open; none of it is a round, and it has no money."""
    tables = {"MB-01": {"game": "mini", "play": "counted", "sales": "none"}, "BJ-01": {}}
    games = [{"game": "mini", "kind": "minibaccarat"}]
    books.desk.feed("properties", property_event(tables=tables, games=games, version=2, sequence=3))
    books.publish(*(books.result(seq, "MB-01", "mini", last_of_shoe=seq == 5) for seq in range(1, 7)))
    open_for = [(NOON, NOON + timedelta(minutes=5))]
    books.desk.feed("inventory", Ledger("MB-01").stated(times=open_for))
    report = books.report("pace")
    [row] = rows_of(report, "results")
    columns = ("table", "kind", "results", "shoes", "results_per_shoe", "open_hours", "results_per_open_hour")
    assert ("MB-01", "minibaccarat", 6, 1, "6.00", "0.08", "72.00") == names(row, *columns)
    assert [] == rows_of(report, "tables")
    assert {"rounds of hours": True, "handle of hours": True} == held(report)
    found = books.explain("pace", "results/MB-01|mini/shoes")["entries"]
    assert [("round-settlement", 5)] == [names(one, "service", "seq") for one in found]
    [floor] = [one for one in books.get("/floors/riverside").json()["tables"] if one["table"] == "MB-01"]
    shown = ("kind", "play", "sales", "results", "results_in_hour", "rounds", "win_cents", "drop_cents")
    assert ("minibaccarat", "counted", "none", 6, 6, 0, None, None) == names(floor, *shown)
    labels = {"property": "riverside", "revenue_class": "banking"}
    for figure, mini, blackjack in (("results", 6, None), ("drop_cents", None, 0), ("rounds", 0, 0)):
        metric = f"pitledger_gaming_day_{figure}"
        assert mini == figure_of(books, metric, timedelta(), **labels, game="mini", table="MB-01")
        assert blackjack == figure_of(books, metric, timedelta(), **labels, game="blackjack", table="BJ-01")


def test_a_voided_result_is_no_result(books: Books) -> None:
    """It is in no pace, nor is the shoe that ended with it, but as known before; the exception says who and why."""
    tables = {"MB-01": {"game": "mini", "play": "counted", "sales": "none"}, "BJ-01": {}}
    games = [{"game": "mini", "kind": "minibaccarat"}]
    books.desk.feed("properties", property_event(tables=tables, games=games, version=2, sequence=3))
    books.publish(*(books.result(seq, "MB-01", "mini", last_of_shoe=seq == 3) for seq in range(1, 4)))
    known_at = _text(NOON + timedelta(seconds=3)).replace("+", "%2B")
    books.publish(
        books.voided_result(4, "MB-01", "mini", 3, last_of_shoe=True),
        books.voided_result(5, "MB-01", "mini", 9, counted=False),
    )
    columns = ("results", "shoes")
    [floor] = [one for one in books.get("/floors/riverside").json()["tables"] if one["table"] == "MB-01"]
    assert (2, 2) == names(floor, "results", "results_in_hour")
    [row] = rows_of(books.report("pace"), "results")
    assert (2, 0) == names(row, *columns)
    assert [1, 1, 1, -1] == [one["value"] for one in books.explain("pace", "results/MB-01|mini/results")["entries"]]
    [before] = rows_of(books.report("pace", f"&known_at={known_at}"), "results")
    assert (3, 1) == names(before, *columns)
    found = rows_of(books.report("exceptions"), "over")
    said = ("kind", "table", "play", "game_kind", "subject", "by", "reason")
    stream, people = "/properties/riverside/tables/MB-01", "floor.lee, audit.kim"
    assert [
        ("reversed", "MB-01", "counted", "minibaccarat", f"{stream} 3", people, "misread card"),
        ("voided", "MB-01", "counted", "minibaccarat", f"{stream} 9", people, "misread card"),
    ] == [names(one, *said) for one in found]


def test_results_of_the_last_hour_are_those_that_closed_in_it_and_were_not_voided(books: Books, rng: Random) -> None:
    """In whatever order results and voids of younger and older ones come, and in how many batches."""
    tables = [f"MB-{number:02}" for number in range(1, 31)]
    counted: dict[str, Any] = {table: {"game": "mini", "play": "counted", "sales": "none"} for table in tables}
    games = [{"game": "mini", "kind": "minibaccarat"}]
    books.desk.feed("properties", property_event(tables=counted | {"BJ-01": {}}, games=games, version=2, sequence=3))
    closed: dict[str, dict[int, datetime]] = {table: {} for table in tables}  # of the results that count, by place
    for first, last in ((1, 200), (200, 400)):
        events = []
        for seq in range(first, last):
            table = rng.choice(tables)
            known = closed[table]
            if known and rng.random() < 1 / 3:
                voids = rng.choice(sorted(known))
                moment = _text(known.pop(voids))
                events.append(books.voided_result(seq, table, "mini", voids, closed_at=moment))
            else:
                known[seq] = NOON + timedelta(minutes=rng.choice((-90, -30, -1, 1, 20, 59)))
                events.append(books.result(seq, table, "mini", closed_at=_text(known[seq])))
        books.publish(*events)
        floor = {one["table"]: names(one, "results", "results_in_hour") for one in _floor(books)}
        for table, known in closed.items():  # the floor is asked at one in the afternoon
            assert (len(known), sum(moment > NOON for moment in known.values())) == floor[table], table


def _floor(books: Books) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = books.get("/floors/riverside").json()["tables"]
    return found


def test_a_poker_table_has_its_rake_by_hour_and_by_collection(books: Books) -> None:
    """Time is part of what its boxes were counted for; while one is not counted, nothing is said of the whole."""
    poker = {"PK-01": {"game": "poker", "non_banking": True}, "BJ-01": {}}
    books.desk.feed("properties", property_event(tables=poker, version=2, sequence=3))
    ledger, columns = TableDays(), ("rake_cents", "time_cents", "pots_cents", "boxes", "seat_hours")
    hour: dict[str, Any] = {"non_banking": True, "dealer": "d-1", "cents_per_seat": 600}
    collected = [ledger.pit("time.collected", "PK-01", seats=seats, **hour) for seats in (9, 8)]
    statements = Statements("riverside", shard=9)

    def stated(second: int, **said: Any) -> dict[str, Any]:
        return statements.stated(NOON + timedelta(seconds=second), "PK-01", DAY, non_banking=True, **said)

    times = [(NOON - timedelta(hours=2), NOON)]
    books.desk.feed("inventory", *collected, stated(9, boxes=2, boxes_counted=1, rake=20_000, times=times))
    [row] = rows_of(books.report("pace"), "rake")
    assert (20_000, 10_200, None, 2, "8.50") == names(row, *columns)
    books.desk.feed("inventory", stated(10, boxes=2, boxes_counted=2, rake=45_000, times=times))
    report = books.report("pace")
    [row] = rows_of(report, "rake")
    assert (45_000, 10_200, 34_800, 2, "8.50") == names(row, *columns)
    assert ("2.00", 22_500, 22_500) == names(row, "open_hours", "rake_per_box_cents", "rake_per_open_hour_cents")
    found = books.explain("pace", "rake/PK-01/time_cents")["entries"]
    assert [5_400, 4_800] == [one["value"] for one in found]
