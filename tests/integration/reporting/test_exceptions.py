"""The exceptions of reporting on a real database: what is open, what settles it, and what is only noted."""

from typing import Any

from tests.support.asgi import assert_problem
from tests.support.reporting import Books, names, rows_of
from tests.support.rounds import submission
from tests.unit.reporting.entries import entry_hash, total


def _notice(detail: str, seat: int = 0) -> dict[str, Any]:
    return {"code": "hand_reset", "seat": seat, "paragraph": "§ 645a.11(e)", "detail": detail}


def test_changed_rounds_are_listed_with_reason_and_two_people(books: Books) -> None:
    """A reversed, voided or superseded round names the entry that says so."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=10000)], round_id="r-1"),
        books.reversed(2, "BJ-01", [total(handle=10000)], round_id="r-1"),
        books.voided(3, "BJ-01", "r-3"),
        books.superseded(4, "BJ-01", "r-3"),
    )
    listed = books.exceptions("&status=noted")
    assert [("reversed", "r-1"), ("voided", "r-3"), ("superseded", "r-3")] == [
        names(item, "kind", "round_id") for item in listed
    ]
    assert {("misread card", "floor.lee", "audit.kim")} == {
        names(item, "reason", "entered_by", "approved_by") for item in listed[:2]
    }
    assert {"service": "round-settlement", "shard": 1, "seq": 2, "hash": entry_hash(2)} == listed[0]["entry"]


def test_gaps_and_refused_records_of_the_tables_are_followed_to_their_end(books: Books) -> None:
    """What settlement misses or refuses is open until it is filled or mended, and says what is still missing."""
    books.publish(
        books.gap(1, "BJ-01", 3, 6),
        books.quarantined(2, "BJ-01", 7, "no such wager"),
        books.quarantined(3, None, None, "not JSON"),
        books.filled(4, "BJ-01", 4),
    )
    table_gap, bad, unreadable = books.exceptions("&status=open")
    assert [{"first": 3, "last": 3}, {"first": 5, "last": 6}] == table_gap["missing"]
    assert (7, "no such wager", "BJ-01") == names(bad, "first", "reason", "table")
    place = {"topic": "table.events", "partition": 0, "offset": 3}
    assert ("not JSON", place) == names(unreadable, "reason", "record")
    books.publish(
        books.filled(5, "BJ-01", 3),
        books.filled(6, "BJ-01", 6),
        books.filled(7, "BJ-01", 5),
        books.mended(8, "BJ-01", 7, 2),
    )
    assert 1 == len(books.exceptions("&status=open"))
    books.publish(books.dismissed(9, 3), books.posted(10, "BJ-01", [total(handle=1)]))
    assert (0, 0) == names(books.settled(), "exceptions_open", "input_open")
    _, repaired, given_up = books.exceptions()
    assert ["filled", "mended", "dismissed"] == [item["status"] for item in books.exceptions()]
    assert (8, "floor.lee") == (repaired["settled_entry"]["seq"], repaired["settled_by"])
    assert (9, "floor.lee", "audit.kim") == (
        given_up["settled_entry"]["seq"],
        *names(given_up, "settled_by", "settled_approved_by"),
    )


def test_a_dismissed_record_of_the_own_quarantine_is_open_no_more(books: Books) -> None:
    """The fact settles the exception when it is recorded; nobody has to read a report first."""
    books.publish(b"not a settlement at all", books.posted(1, "BJ-01", [total(handle=1)]))
    assert (1, 1) == names(books.settled(), "exceptions_open", "input_open")
    [refused] = books.exceptions("&status=open")
    assert "reporting" == refused["entry"]["service"]
    books.dismiss(*names(refused["entry"], "shard", "seq"))
    [dismissed] = books.exceptions("&kind=quarantined")
    assert ("dismissed", "misread card", "floor.lee", "audit.kim") == names(
        dismissed, "status", "settled_reason", "settled_by", "settled_approved_by"
    )
    assert 0 == books.settled()["exceptions_open"]


def test_a_submission_that_was_altered_on_its_way_is_refused(books: Books) -> None:
    """It is an exception, and no house edge is counted for it."""
    altered = submission(1, property=books.property_name)
    altered["data"]["submission"] = {"decks": 8}
    books.desk.feed("submissions", altered)
    [refused] = books.exceptions("&kind=quarantined")
    assert ("open", "submissions") == (refused["status"], refused["record"]["topic"])
    assert "it is not what was approved" in refused["reason"]
    books.publish(
        books.posted(
            1,
            "BJ-01",
            [total("insurance", handle=300)],
            submission={"version": 1, "hash": altered["data"]["hash"]},
        )
    )
    [edge] = rows_of(books.report("drop-and-win"), "house_edges")
    assert "version 1 of the rules submission has not come from the registry" == edge["reason"]


def test_a_list_is_narrowed_by_day_table_kind_and_status(books: Books) -> None:
    """What does not say its table or property may be of any; what does not say its day, as long as it is open."""
    books.publish(
        books.voided(1, "BJ-01", "r-1"),
        books.voided(2, "BJ-02", "r-2"),
        books.posted(3, "BJ-01", [], gaming_day="2026-11-21", notices=[_notice("another day")]),
        books.gap(4, "BJ-01", 3, 3),
        books.gap(5, "BJ-02", 3, 3),
        books.filled(6, "BJ-02", 3),
        books.quarantined(7, None, None, "not JSON"),
        books.posted(8, "BJ-09", [], property="lakeside", notices=[_notice("elsewhere")]),
    )

    def seqs(more: str) -> list[int]:
        return [item["entry"]["seq"] for item in books.exceptions(more)]

    assert [1, 2, 3, 4, 5, 7] == seqs("")
    assert [1, 2, 4, 7] == seqs("&gaming_day=2026-11-20")
    assert [3, 4, 7] == seqs("&gaming_day=2026-11-21")
    assert [1, 3, 4, 7] == seqs("&table=BJ-01")
    assert [2, 7] == seqs("&gaming_day=2026-11-20&table=BJ-02")
    assert [4, 5] == seqs("&kind=gap")
    assert [5] == seqs("&kind=gap&status=filled")


def test_exceptions_come_page_by_page(books: Books) -> None:
    """Following `next` gives every exception once, oldest first, also of one entry; other cursors are refused."""
    books.publish(
        *(books.voided(seq, "BJ-01", f"r-{seq}") for seq in range(1, 6)),
        books.posted(6, "BJ-01", [], notices=[_notice(name) for name in "abcd"]),
    )
    first = f"/reports/exceptions?property={books.property_name}&limit=3"
    pages, path = [], first
    while path:
        page = books.get(path).json()
        pages.append([names(item["entry"] | item, "seq", "number") for item in page["items"]])
        path = f"{first}&cursor={page['next']}" if "next" in page else ""
    assert [[(1, 0), (2, 0), (3, 0)], [(4, 0), (5, 0), (6, 1)], [(6, 2), (6, 3), (6, 4)]] == pages
    assert_problem(books.get("/reports/exceptions?cursor=bm9uc2Vuc2U="), 400, "is not one of this list")


def test_notices_are_listed_and_taken_back_with_their_settlement(books: Books) -> None:
    """A notice names code, table, round, seat, paragraph and entry; a correction takes it back and brings its own."""
    books.publish(
        books.posted(1, "PG-01", [], round_id="r-1", notices=[_notice("the two pairs were split"), _notice("b", 3)]),
        books.posted(2, "PG-01", [], round_id="r-2", notices=[_notice("stays")]),
    )
    first, second, other = books.exceptions("&kind=notice")
    assert ("noted", "PG-01", "r-1", "hand_reset", 0, "§ 645a.11(e)", "the two pairs were split") == names(
        first, "status", "table", "round_id", "code", "seat", "paragraph", "detail"
    )
    assert [(1, 0, 1), (2, 3, 1)] == [(*names(one, "number", "seat"), one["entry"]["seq"]) for one in (first, second)]
    books.publish(
        books.reversed(3, "PG-01", [], round_id="r-1"),
        books.posted(4, "PG-01", [], round_id="r-1", revision=2, notices=[_notice("set as it should be")]),
    )
    listed = books.exceptions("&kind=notice")
    assert [("r-1", 1, "reversed"), ("r-1", 1, "reversed"), ("r-2", 1, "noted"), ("r-1", 2, "noted")] == [
        names(item, "round_id", "revision", "status") for item in listed
    ]
    assert (3, "floor.lee", "audit.kim", "misread card") == (
        listed[1]["settled_entry"]["seq"],
        *names(listed[1], "settled_by", "settled_approved_by", "settled_reason"),
    )
    assert other == listed[2]


def test_a_reversal_that_comes_first_takes_back_the_notices_that_come_late(books: Books) -> None:
    """The order in which posting and reversal come does not matter; another round of the same name is left alone."""
    books.publish(
        books.posted(1, "PG-02", [], round_id="r-1", notices=[_notice("of another table")]),
        books.reversed(3, "PG-01", [], round_id="r-1"),
        books.posted(2, "PG-01", [], round_id="r-1", notices=[_notice("late")]),
    )
    assert [("of another table", "noted"), ("late", "reversed")] == [
        names(item, "detail", "status") for item in books.exceptions("&kind=notice")
    ]
