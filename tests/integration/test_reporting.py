"""Reporting on a real broker and database: settlements go in by Kafka, reports come out over HTTP.

One service works for all tests of this module; each test has a shard of the settlement journal and a property to
itself.
"""

import asyncio
import csv
import io
import json
from collections.abc import Iterator
from contextlib import ExitStack
from hashlib import sha256
from typing import Any

import pytest

from services.cli.quarantined import dismiss
from services.reporting.tables import journal
from shared.contracts.tables import Correction
from shared.local import Broker
from shared.rules import parse_submission, payback
from shared.runtime.database import create_engine
from shared.runtime.web.access import token_hash
from tests.support import Databases, brokers, eventually
from tests.support.brokers import AnyBroker
from tests.support.reporting import OTHER_TOKEN, TOKEN, Books, Reporting
from tests.support.rounds import submission
from tests.support.services import create_topics, produce, query, settled_database
from tests.unit.cli.calling import Caller
from tests.unit.reporting.entries import DAY, NOON, entry_hash, shuffled, total

pytestmark = pytest.mark.broker


@pytest.fixture(scope="module")
def service(broker: AnyBroker, databases: Databases, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reporting]:
    """Reporting, running, on a broker without other topics."""
    tokens = tmp_path_factory.mktemp("reporting") / "tokens.yaml"
    tokens.write_text(
        f"- {{person: audit.kim, token_sha256: {token_hash(TOKEN)}, roles: [report]}}\n"
        f"- {{person: games.ray, token_sha256: {token_hash(OTHER_TOKEN)}, roles: [submit]}}\n"
    )
    url = settled_database(databases, "reporting")
    with ExitStack() as stack:
        if isinstance(broker, Broker):
            broker = stack.enter_context(Broker())
        else:
            brokers.empty(broker.bootstrap_servers)
        create_topics(broker.bootstrap_servers, {"settlements": 2, "submissions": 1})
        service = Reporting(broker.bootstrap_servers, url, tokens)
        stack.callback(service.stop)
        service.start()
        yield service
    databases.drop(url)


@pytest.fixture
def books(service: Reporting) -> Books:
    """A shard and a property of the test's own."""
    number = next(service.shards)
    return Books(number, f"property-{number}", service=service)


def test_a_day_adds_up_by_table_game_and_wager(books: Books) -> None:
    """Posted rounds appear with their figures, the totals of tables, games and the whole, and the hash of the rows."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=10000, payout=20000), total("insurance", handle=5000)]),
        books.posted(2, "BJ-01", [total(handle=30000)]),
        books.posted(3, "BJ-02", [total(handle=10000, payout=19500, vigorish=25)], game="switch"),
        books.posted(4, "BJ-01", [total(handle=700)], gaming_day="2026-11-21"),
        books.posted(5, "BJ-01", [total(handle=900)], property="lakeside"),
    )
    report = books.after(5)
    figures = [
        (row["table"], row["wager"], row["rounds"], row["handle_cents"], row["win_cents"], row["hold_percent"])
        for row in report["rows"]
    ]
    assert [
        ("BJ-01", "blackjack", 2, 40000, 20000, "50.0000"),
        ("BJ-01", "insurance", 1, 5000, 5000, "100.0000"),
        ("BJ-02", "blackjack", 1, 10000, -9475, "-94.7500"),
    ] == figures
    assert [("BJ-01", 25000, 2), ("BJ-02", -9475, 1)] == [
        (one["table"], one["win_cents"], one["rounds"]["counted"]) for one in report["tables"]
    ]
    assert [("blackjack", 25000), ("switch", -9475)] == [(one["game"], one["win_cents"]) for one in report["games"]]
    whole = tuple(report["total"][name] for name in ("handle_cents", "win_cents", "hold_percent"))
    assert (55000, 15525, "28.2273") == whole
    canonical = json.dumps(report["rows"], sort_keys=True, separators=(",", ":")).encode()
    assert sha256(canonical).hexdigest() == report["rows_sha256"]
    assert ("preliminary", "audit.kim") == (report["status"], report["generated_by"])


def test_one_table_or_game_can_be_asked_for(books: Books) -> None:
    """A report of a table or a game holds its rows alone, and totals of them."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=100)]),
        books.posted(2, "BJ-02", [total(handle=200)]),
        books.posted(3, "BJ-02", [total(handle=400)], game="switch"),
    )
    books.after(3)
    assert 600 == books.daily_win("&table=BJ-02")["total"]["handle_cents"]
    assert 400 == books.daily_win("&table=BJ-02&game=switch")["total"]["handle_cents"]
    assert [] == books.daily_win("&table=BJ-03")["rows"]


def test_duplicates_disorder_and_gaps_of_the_input_do_not_change_the_sum(books: Books) -> None:
    """A missing settlement is an open exception and shows in the report; when it comes late, all is as if in order."""
    open_before = books.daily_win()["exceptions_open"]
    events = [books.posted(seq, "BJ-01", [total(handle=100 * seq)]) for seq in range(1, 7)]
    books.publish(events[0], events[0], events[4], events[1], events[4])
    report = books.after(5, missing=2)
    assert (800, open_before + 1) == (report["total"]["handle_cents"], report["exceptions_open"])
    [open_gap] = books.exceptions("&state=open&kind=gap")
    assert (books.source, [{"first": 3, "last": 4}]) == (open_gap["stream"], open_gap["missing"])
    assert "reporting" == open_gap["entry"]["service"]
    books.publish(events[3], events[5], events[2], events[3])
    report = books.after(6)
    assert (2100, open_before) == (report["total"]["handle_cents"], report["exceptions_open"])
    assert ["filled"] == [item["state"] for item in books.exceptions("&kind=gap")]


def test_reversals_take_back_and_corrections_count_again(books: Books) -> None:
    """A corrected round counts as corrected, a voided one no more; both are listed with reason and two people."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=10000, payout=20000)], round_id="r-1"),
        books.posted(2, "BJ-01", [total(handle=5000)], round_id="r-2"),
        books.reversed(3, "BJ-01", [total(handle=10000, payout=20000)], round_id="r-1"),
        books.posted(4, "BJ-01", [total(handle=10000)], round_id="r-1", revision=2),
        books.reversed(5, "BJ-01", [total(handle=5000)], round_id="r-2"),
        books.voided(6, "BJ-01", "r-3"),
        books.superseded(7, "BJ-01", "r-3"),
    )
    report = books.after(7)
    assert (1, 10000, 10000) == tuple(report["rows"][0][name] for name in ("rounds", "handle_cents", "win_cents"))
    assert {"counted": 1, "posted": 3, "corrected": 1, "reversed": 2, "voided": 1} == report["total"]["rounds"]
    listed = books.exceptions("&state=noted")
    assert [("reversed", "r-1"), ("reversed", "r-2"), ("voided", "r-3"), ("superseded", "r-3")] == [
        (item["kind"], item["round_id"]) for item in listed
    ]
    assert {("misread card", "floor.lee", "audit.kim")} == {
        (item["reason"], item["entered_by"], item["approved_by"]) for item in listed[:3]
    }
    assert (3, entry_hash(3)) == (listed[0]["entry"]["seq"], listed[0]["entry"]["hash"])


def test_gaps_and_refused_records_of_the_tables_are_followed_to_their_end(books: Books) -> None:
    """What settlement misses or refuses is open until it is filled or mended, and says what is still missing."""
    open_before = books.daily_win()["exceptions_open"]
    books.publish(
        books.gap(1, "BJ-01", 3, 6),
        books.quarantined(2, "BJ-01", 7, "no such wager"),
        books.quarantined(3, None, None, "not JSON"),
        books.filled(4, "BJ-01", 4),
    )
    assert open_before + 3 == books.after(4)["exceptions_open"]
    table_gap, bad, unreadable = books.exceptions("&state=open")
    assert [{"first": 3, "last": 3}, {"first": 5, "last": 6}] == table_gap["missing"]
    assert (7, "no such wager", "BJ-01") == (bad["first"], bad["reason"], bad["table"])
    place = {"topic": "table.events", "partition": 0, "offset": 3}
    assert ("not JSON", place) == (unreadable["reason"], unreadable["record"])
    books.publish(
        books.filled(5, "BJ-01", 3),
        books.filled(6, "BJ-01", 6),
        books.filled(7, "BJ-01", 5),
        books.mended(8, "BJ-01", 7, 2),
    )
    assert open_before + 1 == books.after(8)["exceptions_open"]
    books.publish(books.dismissed(9, 3))
    assert open_before == books.after(9)["exceptions_open"]
    _, repaired, given_up = books.exceptions()
    assert ["filled", "mended", "dismissed"] == [item["state"] for item in books.exceptions()]
    assert (8, "floor.lee") == (repaired["settled_entry"]["seq"], repaired["settled_by"])
    assert (9, "floor.lee", "audit.kim") == (
        given_up["settled_entry"]["seq"],
        given_up["settled_by"],
        given_up["settled_approved_by"],
    )


def test_a_record_that_is_no_settlement_is_refused_and_the_rest_counts(books: Books) -> None:
    """A poison record is an exception of its own, of whatever property; those around it are counted."""
    open_before = books.daily_win()["exceptions_open"]
    first, second = (books.posted(seq, "BJ-01", [total(handle=100 * seq)]) for seq in (1, 2))
    books.publish(first)
    produce(books.service.bootstrap_servers, "settlements", [(books.source.encode(), b"\x00 not JSON")])
    produce(
        books.service.bootstrap_servers,
        "settlements",
        [(books.source.encode(), json.dumps(second | {"source": "/elsewhere/shards/1"}).encode())],
    )
    books.publish(second)
    report = books.after(2)
    assert (300, open_before + 2) == (report["total"]["handle_cents"], report["exceptions_open"])


def test_a_refused_settlement_that_is_dismissed_is_open_no_more(books: Books) -> None:
    """What two people dismissed in reporting's own quarantine is closed in the reports, though no event says so."""
    open_before = books.daily_win()["exceptions_open"]
    produce(books.service.bootstrap_servers, "settlements", [(books.source.encode(), b"not a settlement at all")])
    eventually(lambda: open_before + 1 == books.daily_win()["exceptions_open"], because="the record is refused")
    [(number,)] = query(books.service.database_url, "SELECT max(id) FROM reporting.quarantine")
    correction = Correction(reason="a test of the vendor", entered_by="floor.lee", approved_by="audit.kim")

    async def dismiss_it() -> None:
        engine = create_engine(books.service.database_url, role="reporting")
        await dismiss(engine, journal, "reporting", number, correction, clock=lambda: NOON)
        await engine.dispose()

    asyncio.run(dismiss_it())
    assert open_before == books.daily_win()["exceptions_open"]
    dismissed = books.service.get("/reports/exceptions?state=dismissed&limit=500").json()["items"]
    assert ["a test of the vendor"] == [
        item["settled_reason"] for item in dismissed if item["entry"]["service"] == "reporting"
    ]


def test_exceptions_come_page_by_page(books: Books) -> None:
    """Following `next` gives every exception once, oldest first; a cursor of somebody else's is refused."""
    books.publish(*(books.voided(seq, "BJ-01", f"r-{seq}") for seq in range(1, 8)))
    books.after(7)
    found: list[str] = []
    first = f"/reports/exceptions?property={books.property_name}&kind=voided&limit=3"
    path: str | None = first
    pages = 0
    while path is not None:
        page = books.service.get(path).json()
        found += [item["round_id"] for item in page["items"]]
        path = f"{first}&cursor={page['next']}" if "next" in page else None
        pages += 1
    assert (3, [f"r-{seq}" for seq in range(1, 8)]) == (pages, found)
    refused = books.service.get("/reports/exceptions?cursor=bm9uc2Vuc2U=")
    assert (400, "application/problem+json") == (refused.status_code, refused.headers["content-type"])


def test_csv_has_the_rows_of_the_report(books: Books) -> None:
    """`Accept: text/csv` gives the same rows with units in the header."""
    books.publish(books.posted(1, "BJ-01", [total(handle=10050, payout=20001)]))
    books.after(1)
    answer = books.service.get(books.path(), headers={"Accept": "text/csv"})
    assert "text/csv; header=present; charset=utf-8" == answer.headers["content-type"]
    [row] = csv.DictReader(io.StringIO(answer.text, newline=""))
    names = ("table", "handle_cents", "handle_dollars", "win_cents", "win_dollars", "hold_percent")
    assert ("BJ-01", "10050", "100.50", "-9951", "-99.51", "-99.0149") == tuple(row[name] for name in names)
    assert 406 == books.service.get(books.path(), headers={"Accept": "image/png"}).status_code


def test_an_unchanged_report_is_not_sent_again(books: Books) -> None:
    """The entity tag stands for the figures: the same until they change, another for JSON than for CSV."""
    books.publish(books.posted(1, "BJ-01", [total(handle=100)]))
    books.after(1)
    tag = books.service.get(books.path()).headers["etag"]
    assert tag != books.service.get(books.path(), headers={"Accept": "text/csv"}).headers["etag"]
    again = books.service.get(books.path(), headers={"If-None-Match": f'"other", {tag}'})
    assert (304, b"", tag) == (again.status_code, again.content, again.headers["etag"])
    books.publish(books.posted(2, "BJ-01", [total(handle=1)]))
    books.after(2)
    assert 200 == books.service.get(books.path(), headers={"If-None-Match": tag}).status_code


def test_reports_are_for_named_readers(books: Books) -> None:
    """Without a token, with an unknown one, or without the role there is no report; bad parameters are named."""
    to_date = f"/reports/win-to-date?property=riverside&gaming_day={DAY}"
    for path in (books.path(), to_date, "/reports/exceptions"):
        statuses = [books.service.get(path, token=token).status_code for token in (None, "x", OTHER_TOKEN, TOKEN)]
        assert [401, 401, 403, 200] == statuses
    wrong = books.service.get("/reports/daily-win?property=riverside&gaming_day=yesterday")
    assert (422, "query.gaming_day") == (wrong.status_code, wrong.json()["errors"][0]["at"])


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
    report = books.after(3)
    bank, dealer, players = report["rows"]
    names = ("handle_cents", "vigorish_cents", "player_vigorish_cents", "bank_vigorish_cents", "win_cents")
    assert [(0, 550, 0, 550, 900), (0, 0, 0, 0, -5000), (10000, 225, 225, 0, 5225)] == [
        tuple(row[name] for name in names) for row in (bank, dealer, players)
    ]
    banked = ("banked_handle_cents", "banked_payout_cents", "bank_collected_cents", "bank_paid_cents")
    assert [14000, 8000, 700, 11000, -4650] == [report["total"][name] for name in (*banked, "house_in_bank_cents")]
    assert (1125, "11.2500") == (report["total"]["win_cents"], report["total"]["hold_percent"])
    answer = books.service.get(books.path(), headers={"Accept": "text/csv"})
    rows = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [("bank", "5.50", "0.00"), ("dealer_wager", "0.00", "0.00"), ("pai_gow_poker", "0.00", "2.25")] == [
        (row["wager"], row["bank_vigorish_dollars"], row["player_vigorish_dollars"]) for row in rows
    ]


def _notice(detail: str, seat: int = 0) -> dict[str, Any]:
    return {"code": "hand_reset", "seat": seat, "paragraph": "§ 645a.11(e)", "detail": detail}


def test_notices_are_listed_and_taken_back_with_their_settlement(books: Books) -> None:
    """A notice names code, table, round, seat, paragraph and entry; a correction takes it back and brings its own."""
    books.publish(
        books.posted(1, "PG-01", [], round_id="r-1", notices=[_notice("the two pairs were split"), _notice("b", 3)]),
        books.posted(2, "PG-01", [], round_id="r-2", notices=[_notice("stays")]),
    )
    books.after(2)
    first, second, other = books.exceptions("&kind=notice")
    assert ("noted", "PG-01", "r-1", "hand_reset", 0, "§ 645a.11(e)", "the two pairs were split") == tuple(
        first[name] for name in ("state", "table", "round_id", "code", "seat", "paragraph", "detail")
    )
    assert (1, 1, entry_hash(1)) == (first["number"], first["entry"]["seq"], first["entry"]["hash"])
    assert (2, 3, 1) == (second["number"], second["seat"], second["entry"]["seq"])
    books.publish(
        books.reversed(3, "PG-01", [], round_id="r-1"),
        books.posted(4, "PG-01", [], round_id="r-1", revision=2, notices=[_notice("set as it should be")]),
    )
    books.after(4)
    listed = books.exceptions("&kind=notice")
    assert [("r-1", 1, "reversed"), ("r-1", 1, "reversed"), ("r-2", 1, "noted"), ("r-1", 2, "noted")] == [
        (item["round_id"], item["revision"], item["state"]) for item in listed
    ]
    assert (3, "floor.lee", "audit.kim", "misread card") == (
        listed[1]["settled_entry"]["seq"],
        listed[1]["settled_by"],
        listed[1]["settled_approved_by"],
        listed[1]["settled_reason"],
    )
    assert listed[2:] == books.exceptions("&state=noted&kind=notice")
    assert other == listed[2]


def test_a_reversal_that_comes_first_takes_back_the_notices_that_come_late(books: Books) -> None:
    """The order in which posting and reversal come does not matter; another round of the same name is left alone."""
    books.publish(
        books.posted(1, "PG-02", [], round_id="r-1", notices=[_notice("of another table")]),
        books.reversed(3, "PG-01", [], round_id="r-1"),
        books.posted(2, "PG-01", [], round_id="r-1", notices=[_notice("late")]),
    )
    books.after(3)
    assert [("of another table", "noted"), ("late", "reversed")] == [
        (item["detail"], item["state"]) for item in books.exceptions("&kind=notice")
    ]


def test_the_notices_of_an_entry_may_be_on_two_pages(books: Books) -> None:
    """A page may end between the notices of an entry, and the next goes on there."""
    books.publish(books.posted(1, "PG-01", [], notices=[_notice(name) for name in "abcd"]))
    books.after(1)
    first = f"/reports/exceptions?property={books.property_name}&kind=notice&limit=3"
    page = books.service.get(first).json()
    assert ["a", "b", "c"] == [item["detail"] for item in page["items"]]
    rest = books.service.get(f"{first}&cursor={page['next']}").json()
    assert (["d"], False) == ([item["detail"] for item in rest["items"]], "next" in rest)


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
    books.after(7)
    report = books.to_date()
    blackjack, side = report["rows"]
    edges = {
        version: 1 - payback("pa-633a-2024", "royal_match_21", parse_submission({"decks": 6, "wagers": wagers}))
        for version, wagers in (
            (1, {"royal_match_21": {"paytable": "D"}}),
            (2, {"royal_match_21": {"paytable": "E"}}),
        )
    }
    second = 500
    for period, first in {"day": 1000, "week_to_date": 1100, "month_to_date": 1300, "year_to_date": 1700}.items():
        exact = first * edges[1] + second * edges[2]
        win = first + second - 700
        assert (first + second, 700, win, round(exact), round(win - exact)) == tuple(
            side[period][f"{name}_cents"] for name in ("handle", "payout", "win", "theoretical_win", "difference")
        )
        assert (first + second, None) == (
            blackjack[period]["handle_cents"],
            blackjack[period]["theoretical_win_cents"],
        )
    assert [(1, "D", 1700, str(edges[1])), (2, "E", 500, str(edges[2]))] == [
        (edge["version"], edge["paytable"], edge["handle_cents"], edge["house_edge"]) for edge in side["house_edges"]
    ]
    assert [("blackjack", 1), ("blackjack", 2)] == [
        (one["wager"], one["version"]) for one in report["without_house_edge"]
    ]
    assert "depends on how hands are played" in report["without_house_edge"][0]["reason"]
    assert "2026-11-16" == report["first_days"]["week_to_date"]
    assert side["day"] == report["games"][0]["exact"]["day"]
    only = books.to_date(more="&table=BJ-02&game=blackjack")["rows"][1]
    assert (500, round(500 * edges[2])) == (only["day"]["handle_cents"], only["day"]["theoretical_win_cents"])
    path = f"/reports/win-to-date?property={books.property_name}&gaming_day={DAY}"
    answer = books.service.get(path, headers={"Accept": "text/csv"})
    lines = list(csv.DictReader(io.StringIO(answer.text, newline="")))
    assert [("royal_match_21", "22.00"), ("royal_match_21", str(side["day"]["theoretical_win_cents"]))] == [
        (lines[1]["wager"], lines[1]["year_to_date_handle_dollars"]),
        (lines[1]["wager"], lines[1]["day_theoretical_win_cents"]),
    ]
    tag = books.service.get(path).headers["etag"]
    assert 304 == books.service.get(path, headers={"If-None-Match": tag}).status_code


def test_a_correction_moves_the_theoretical_win(books: Books) -> None:
    """What is taken back is taken from the version that it was wagered under, and counts again as corrected."""
    under = books.submit(wagers={"kings_bounty": {}})
    totals = [total("kings_bounty", handle=700)]
    books.publish(
        books.posted(1, "BJ-01", totals, round_id="r-1", submission=under),
        books.reversed(2, "BJ-01", totals, round_id="r-1", submission=under),
        books.posted(3, "BJ-01", [total("kings_bounty", handle=300)], round_id="r-1", revision=2, submission=under),
    )
    books.after(3)
    [row] = books.to_date()["rows"]
    edge = 1 - payback("pa-633a-2024", "kings_bounty", parse_submission({"decks": 6, "wagers": {"kings_bounty": {}}}))
    assert (300, round(300 * edge)) == (row["day"]["handle_cents"], row["day"]["theoretical_win_cents"])


def test_a_settlement_under_an_unknown_submission_has_no_theoretical_win_until_it_comes(books: Books) -> None:
    """The win is counted at once; the house edge when the registry's message is there."""
    selected = {"decks": 6, "wagers": {"kings_bounty": {}}}
    expected = submission(1, property=books.property_name, submission=selected)["data"]["hash"]
    named = {"version": 1, "hash": expected}
    books.publish(books.posted(1, "BJ-01", [total("kings_bounty", handle=300)], submission=named))
    books.after(1)
    report = books.to_date()
    assert (300, None) == (
        report["rows"][0]["day"]["win_cents"],
        report["rows"][0]["day"]["theoretical_win_cents"],
    )
    assert ["version 1 of the rules submission has not come from the registry"] == [
        one["reason"] for one in report["without_house_edge"]
    ]
    assert named == books.submit(wagers={"kings_bounty": {}})
    assert [] == books.to_date()["without_house_edge"]


def test_a_submission_that_was_altered_on_its_way_is_refused(books: Books) -> None:
    """It is an exception, and no house edge is counted for it."""
    open_before = books.daily_win()["exceptions_open"]
    altered = submission(next(books.service.submissions), property=books.property_name)
    altered["data"]["submission"] = {"decks": 8}
    produce(books.service.bootstrap_servers, "submissions", [altered])
    eventually(lambda: open_before < books.daily_win()["exceptions_open"], because="the submission is refused")
    listed = books.service.get("/reports/exceptions?kind=quarantined&limit=500").json()["items"]
    [refused] = [item for item in listed if item["record"]["topic"] == "submissions"]
    assert ("open", True) == (refused["state"], "it is not what was approved" in refused["reason"])
    assert [] == query(
        books.service.database_url,
        f"SELECT * FROM reporting.house_edges WHERE submission = '{altered['data']['hash']}'",
    )


def test_a_killed_service_counts_on_where_it_was(books: Books) -> None:
    """Killed in the middle and started again, the service counts each settlement once."""
    events = [books.posted(seq, f"BJ-0{seq % 3}", [total(handle=100)]) for seq in range(1, 91)]
    books.publish(*events[:60])
    eventually(lambda: books.daily_win()["rows"], because="the first batch is counted")
    books.service.worker.kill()
    books.publish(*events[40:])
    books.service.start()
    whole = books.after(90)["total"]
    assert (9000, 90) == (whole["handle_cents"], whole["rounds"]["counted"])
    assert [] == books.exceptions("&state=open&kind=quarantined")


def test_the_reports_can_be_computed_again(
    books: Books, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """From the topic and its own journal a rebuild comes to the same rows, also of those that were changed by hand."""
    under = books.submit(wagers={"kings_bounty": {}})
    events = [
        books.posted(1, "BJ-01", [total(handle=100, payout=50)], round_id="r-1", notices=[_notice("a")]),
        books.gap(2, "BJ-01", 1, 5),
        books.filled(3, "BJ-01", 2),
        books.quarantined(4, "BJ-01", 9, "no such wager"),
        books.mended(5, "BJ-01", 9, 4),
        books.reversed(6, "BJ-01", [total(handle=100, payout=50)], round_id="r-1"),
        books.posted(7, "BJ-01", [total(handle=100)], round_id="r-1", revision=2),
        books.voided(8, "BJ-02", "r-2"),
        books.posted(9, "BJ-02", [total("kings_bounty", handle=500, vigorish=5)], submission=under),
    ]
    books.publish(*shuffled(events), events[3])
    produce(books.service.bootstrap_servers, "settlements", [(books.source.encode(), b"not JSON")])
    books.publish(books.posted(10, "BJ-02", [total(handle=300)]))
    books.after(10)
    before = books.service.rows()
    query(books.service.database_url, "UPDATE reporting.wager_days SET handle = handle + 1 RETURNING 1")
    query(books.service.database_url, "DELETE FROM reporting.exceptions RETURNING 1")
    query(books.service.database_url, "UPDATE reporting.submission_days SET handle = 0 RETURNING 1")
    query(books.service.database_url, "DELETE FROM reporting.house_edges RETURNING 1")
    tampered = books.service.rows()
    monkeypatch.setenv("DATABASE_URL", books.service.database_url)
    monkeypatch.setenv("KAFKA_BOOTSTRAP_SERVERS", books.service.bootstrap_servers)
    pitledger = Caller(capsys, monkeypatch)
    found = pitledger("rebuild", "reporting", "--check", "--json")
    assert {"wager_days", "exceptions", "submission_days", "house_edges"} == {
        one["table"] for one in found.documents if one["different"]
    }
    assert (1, tampered) == (found.code, books.service.rows())
    assert 0 == pitledger("rebuild", "reporting").code
    assert before == books.service.rows()
    assert 0 == pitledger("rebuild", "reporting", "--check").code
    books.publish(books.posted(11, "BJ-02", [total(handle=1)]))
    assert 901 == books.after(11)["total"]["handle_cents"]
