"""The list of exceptions: what is open, what settled it, what is only noted; as known at a moment."""

from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from shared.contracts.journal_facts import RecordQuarantined
from tests.support.asgi import assert_problem
from tests.support.pit import chips
from tests.support.pit_ledger import DAY_BEFORE, LATER, Ledger, at
from tests.support.properties import property_event
from tests.support.published import published
from tests.support.reporting import Books, figure_of, names, rows_of
from tests.support.rounds import submission
from tests.support.services import query
from tests.unit.reporting.entries import DAY, NOON, day_closed, total


def _notice(detail: str, seat: int = 0) -> dict[str, Any]:
    return {"code": "hand_reset", "seat": seat, "paragraph": "§ 645a.11(e)", "detail": detail}


def _refused(seq: int, **more: Any) -> dict[str, Any]:
    data = {"command": "SealDay", "reason": "too-early", "detail": "not complete", "by": "control.eve"}
    data |= {"at": NOON.isoformat(), **more}
    return published("command.refused", data, service="table-inventory", sequence=seq, at=NOON)


def test_changed_rounds_are_listed_with_reason_and_two_people(books: Books) -> None:
    """A reversed, voided or superseded round leads to the entry that says so."""
    books.publish(
        books.posted(1, "BJ-01", [total(handle=10000)], round_id="r-1"),
        books.reversed(2, "BJ-01", [total(handle=10000)], round_id="r-1"),
        books.voided(3, "BJ-01", "r-3"),
        books.superseded(4, "BJ-01", "r-3"),
    )
    listed = books.exceptions()
    assert [("reversed", "r-1, revision 1"), ("voided", "r-3"), ("superseded", "r-3")] == [
        names(item, "kind", "subject") for item in listed
    ]
    assert [("misread card", "floor.lee, audit.kim", "noted")] * 2 == [
        names(item, "reason", "by", "status") for item in listed[:2]
    ]
    assert "round-settlement/1/2" == listed[0]["entry"]
    explained = books.explain("exceptions", f"over/{listed[0]['id']}/kind")
    assert [("round-settlement", 1, 2)] == [names(one, "service", "shard", "seq") for one in explained["entries"]]


def test_gaps_and_refused_records_of_the_tables_are_followed_to_their_end(books: Books) -> None:
    """What settlement misses or refuses is open until it is filled or mended, and says what is still missing."""
    books.publish(
        books.gap(1, "BJ-01", 3, 6),
        books.quarantined(2, "BJ-01", 7, "no such wager"),
        books.quarantined(3, None, None, "not JSON"),
        books.filled(4, "BJ-01", 4),
    )
    table_gap, bad, unreadable = books.exceptions()
    assert ("open", "high", "table systems", "have not come: 3, 5-6") == names(
        table_gap, "status", "severity", "owner", "reason"
    )
    assert ("/properties/riverside/tables/BJ-01 3-6", "BJ-01", 0) == names(table_gap, "subject", "table", "age_hours")
    assert ("no such wager", "BJ-01") == names(bad, "reason", "table")
    assert ("table.events/0/3", None) == names(unreadable, "subject", "table")
    assert "not JSON; it names no property that is known: it is listed for every one" == unreadable["reason"]
    books.publish(
        books.filled(5, "BJ-01", 3),
        books.filled(6, "BJ-01", 6),
        books.filled(7, "BJ-01", 5),
        books.mended(8, "BJ-01", 7, 2),
    )
    assert ["filled", "mended", "open"] == [item["status"] for item in books.exceptions()]
    books.publish(books.dismissed(9, 3), books.posted(10, "BJ-01", [total(handle=1)]))
    assert (0, 0) == names(books.settled(), "exceptions_open", "input_open")
    _, repaired, backoff = books.exceptions()
    assert ["filled", "mended", "dismissed"] == [item["status"] for item in books.exceptions()]
    assert ("2026-11-20T12:00:08+00:00", "floor.lee", "wager renamed") == names(
        repaired, "settled_at", "settled_by", "resolution"
    )
    assert ("floor.lee, audit.kim", "misread card") == names(backoff, "settled_by", "resolution")


def test_a_record_that_nobody_can_read_is_of_the_property_that_its_key_names(books: Books) -> None:
    """Of every property where the key names none, or one that is not known then."""
    tables = "/properties/{}/tables/BJ-01"
    keys = [None, tables.format("riverside"), f"{tables.format('lakeside')}/pit", tables.format("elsewhere"), "what"]
    books.publish(*(books.quarantined(seq, None, None, "not JSON", key) for seq, key in enumerate(keys, 1)))
    lakeside = replace(books, property_name="lakeside")
    anybodys = "not JSON; it names no property that is known: it is listed for every one"
    listed = [(1, None, anybodys), (2, "BJ-01", "not JSON"), (4, None, anybodys), (5, None, anybodys)]
    assert listed == [_refusal(row) for row in books.exceptions()]
    assert [listed[0], (3, "BJ-01", "not JSON"), *listed[2:]] == [_refusal(row) for row in lakeside.exceptions()]
    assert [4, 4] == [one.report("access")["exceptions_open"] for one in (books, lakeside)]
    assert [1, 4, 5] == [_refusal(row)[0] for row in books.exceptions("&table=BJ-02")]
    refused = rows_of(books.report("unclaimed"), "refused")
    assert [anybodys, "not JSON", anybodys, anybodys] == [row["reason"] for row in refused]
    then = "&known_at=2026-11-20T12:30:00Z"
    before = books.get(books.path("exceptions", then)).content
    elsewhere = property_event("elsewhere", sequence=3)
    elsewhere["data"]["approved_at"] = "2026-11-20T12:45:00Z"
    books.desk.feed("properties", elsewhere)
    assert [1, 2, 5] == [_refusal(row)[0] for row in books.exceptions()]
    assert before == books.get(books.path("exceptions", then)).content


def _refusal(row: dict[str, Any]) -> tuple[int, Any, Any]:
    return (int(row["entry"].rpartition("/")[2]), row["table"], row["reason"])


def test_what_was_open_at_a_moment_is_open_in_its_report_for_ever(books: Books) -> None:
    """The same question as of the same moment has the same bytes, whatever came later."""
    then = "&known_at=2026-11-20T12:00:03Z"
    books.publish(
        books.gap(1, "BJ-01", 3, 4), books.quarantined(2, None, None, "not JSON"), books.filled(3, "BJ-01", 4)
    )
    before = books.get(books.path("exceptions", then)).content
    books.publish(books.filled(4, "BJ-01", 3), books.dismissed(5, 2), books.voided(6, "BJ-01", "r-1"))
    assert before == books.get(books.path("exceptions", then)).content
    assert ["open", "open"] == [item["status"] for item in books.exceptions(then)]
    assert ["filled", "dismissed", "noted"] == [item["status"] for item in books.exceptions()]


def test_each_of_the_records_that_are_dismissed_together_is_open_no_more(books: Books) -> None:
    """One entry closes them; what is beside them stays open."""
    books.publish(*(books.quarantined(seq, None, None, "not JSON") for seq in range(1, 6)))
    books.publish(books.dismissed_together(6, 2, 4))
    listed = books.exceptions()
    assert ["open", "dismissed", "dismissed", "dismissed", "open"] == [item["status"] for item in listed]
    assert {("floor.lee, audit.kim", "misread card")} == {names(one, "settled_by", "resolution") for one in listed[1:4]}


def test_a_dismissed_record_of_the_own_quarantine_is_open_no_more(books: Books) -> None:
    """The fact settles the exception when it is recorded; nobody has to read a report first."""
    books.publish(b"not a settlement at all", books.posted(1, "BJ-01", [total(handle=1)]))
    assert (1, 1) == names(books.settled(), "exceptions_open", "input_open")
    [refused] = books.exceptions()
    assert refused["entry"].startswith("reporting/")
    books.dismiss(*map(int, refused["entry"].split("/")[1:]))
    [dismissed] = books.exceptions()
    assert ("dismissed", "misread card", "floor.lee, audit.kim") == names(
        dismissed, "status", "resolution", "settled_by"
    )
    assert 0 == books.settled()["exceptions_open"]


def test_a_submission_that_was_altered_on_its_way_is_refused(books: Books) -> None:
    """It is an exception, and no house edge is counted for it."""
    altered = submission(1, property=books.property_name)
    altered["data"]["submission"] = {"decks": 8}
    books.desk.feed("submissions", altered)
    [refused] = books.exceptions()
    assert ("open", "quarantined") == names(refused, "status", "kind")
    assert refused["subject"].startswith("submissions/0/")
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


def test_a_list_is_of_its_days_and_of_what_is_still_open(books: Books) -> None:
    """What is open stays on the list of later days; what is settled is of the day on which it was found."""
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

    def seqs(more: str = "", day: str = "2026-11-20") -> list[int]:
        path = f"/reports/exceptions?property=riverside&gaming_day={day}{more}"
        sections = {one["name"]: one["rows"] for one in books.get(path).json()["content"]["sections"]}
        return sorted(int(row["entry"].rpartition("/")[2]) for name in ("open", "over") for row in sections[name])

    assert [1, 2, 4, 5, 7] == seqs()
    assert [3, 4, 7] == seqs(day="2026-11-21")
    assert [] == seqs(day="2026-11-19")
    for period in ("week", "month", "year"):
        assert [1, 2, 3, 4, 5, 7] == seqs(f"&period={period}")
    assert [2, 5, 7] == seqs("&table=BJ-02")
    kinds = {section["name"]: section for section in books.report("exceptions")["content"]["sections"]}["kinds"]
    assert [("gap", "filled", 1), ("gap", "open", 1), ("quarantined", "open", 1), ("voided", "noted", 2)] == [
        names(row, "kind", "status", "exceptions") for row in kinds["rows"]
    ]
    assert 5 == kinds["total"]["exceptions"]
    assert_problem(books.get(books.path("unclaimed", "&period=year")), 404, "a report of a day")


def test_notices_are_listed_and_taken_back_with_their_settlement(books: Books) -> None:
    """A notice names round, seat, paragraph and entry; a correction takes it back and brings its own."""
    books.publish(
        books.posted(1, "PG-01", [], round_id="r-1", notices=[_notice("the two pairs were split"), _notice("b", 3)]),
        books.posted(2, "PG-01", [], round_id="r-2", notices=[_notice("stays")]),
    )
    first, second, other = books.exceptions()
    assert ("noted", "PG-01", "r-1, revision 1", "the two pairs were split (§ 645a.11(e))", 1) == names(
        first, "status", "table", "subject", "reason", "number"
    )
    assert ("seat 3: b (§ 645a.11(e))", 2) == names(second, "reason", "number")
    books.publish(
        books.reversed(3, "PG-01", [], round_id="r-1"),
        books.posted(4, "PG-01", [], round_id="r-1", revision=2, notices=[_notice("set as it should be")]),
    )
    listed = [item for item in books.exceptions() if item["kind"] == "notice"]
    taken_back, noted = ("r-1, revision 1", "reversed"), ("r-1, revision 2", "noted")
    assert [taken_back, taken_back, ("r-2, revision 1", "noted"), noted] == [
        names(item, "subject", "status") for item in listed
    ]
    assert ("floor.lee, audit.kim", "misread card") == names(listed[1], "settled_by", "resolution")
    assert other == listed[2]


def test_a_reversal_that_comes_first_takes_back_the_notices_that_come_late(books: Books) -> None:
    """The order in which posting and reversal come does not matter; another round of the same name is left alone."""
    books.publish(
        books.posted(1, "PG-02", [], round_id="r-1", notices=[_notice("of another table")]),
        books.reversed(3, "PG-01", [], round_id="r-1"),
        books.posted(2, "PG-01", [], round_id="r-1", notices=[_notice("late")]),
    )
    assert [("of another table (§ 645a.11(e))", "noted"), ("late (§ 645a.11(e))", "reversed")] == [
        names(item, "reason", "status") for item in books.exceptions() if item["kind"] == "notice"
    ]


def test_refused_commands_of_every_service_are_listed_and_make_no_day_known(books: Books) -> None:
    """Who asked for what, and why not: of the day of the attempt, whatever day it named."""
    refused = _refused(1, property="riverside", gaming_day="2026-11-27")
    books.desk.feed("inventory", refused, _refused(2, property="lakeside"))
    of_nobody = published(
        "command.refused",
        {"command": "FileProperty", "reason": "role-missing", "detail": "no", "by": "x", "at": NOON.isoformat()},
        service="paytable-registry",
        sequence=3,
        shard=2,
        at=NOON,
    )
    books.desk.feed("properties", of_nobody)
    assert [("FileProperty", "x", "role-missing: no"), ("SealDay", "control.eve", "too-early: not complete")] == [
        names(item, "subject", "by", "reason") for item in books.exceptions()
    ]
    unknown = "/reports/master-game?property=riverside&gaming_day=2026-11-27"
    assert_problem(books.get(unknown), 404, "there are entries of no day yet")


def test_equipment_that_was_late_or_wrong_is_noted(books: Books) -> None:
    """Cards and dice by how long the law lets them stay, without the time that the table was closed; and failures."""
    ledger = Ledger("riverside")
    cards: dict[str, Any] = {"regulation": "pa-647a", "dealing": "shoe", "decks": 1, "changed_by": "dealer.dan"}
    before: dict[str, Any] = {"day": DAY_BEFORE}
    books.desk.feed(
        "inventory",
        ledger.opened("BJ-01", at(-14), chips(c500=1), **before),
        ledger.pit("BJ-01", "cards.changed", at(-14), **cards, **before),
        ledger.pit("BJ-01", "dice.changed", at(-14), changed_by="dealer.dan", **before),
        ledger.opened("BJ-01", at(10), chips(c500=1)),
        ledger.pit("BJ-01", "cards.changed", at(17.9), **cards),
        ledger.pit("BJ-01", "dice.changed", at(20), changed_by="dealer.eve"),
        ledger.pit("BJ-01", "cards.changed", at(26), **(cards | {"dealing": "hand", "changed_by": "dealer.eve"})),
        ledger.pit("BJ-01", "card_reader.inspected", at(10), passed=False, inspected_by="floor.fay"),
        ledger.pit("BJ-01", "stub.counted", at(11), cards=51, expected=52, dealer="dealer.dan"),
        ledger.pit("BJ-01", "stub.counted", at(12), cards=52, expected=52, dealer="dealer.dan"),
    )
    listed = [item for item in books.exceptions(f"&known_at={LATER}") if item["kind"] == "equipment"]
    assert {"noted"} == {item["status"] for item in listed}
    assert [
        ("BJ-01/card_reader", "the card reader did not pass its inspection", "floor.fay"),
        ("BJ-01/stub", "the stub had 51 cards, not 52", "dealer.dan"),
        ("BJ-01/cards", f"cards were due at {at(25.9).isoformat()}", "dealer.eve"),
    ] == [names(item, "subject", "reason", "by") for item in listed]
    assert "table-inventory/1/8" == listed[0]["entry"]


def test_a_win_while_its_table_was_not_open_is_noted(books: Books) -> None:
    """By what the pit reported: before its first opening, and after its closing; of each win the last record counts."""
    ledger = Ledger("riverside")

    def won(moment: datetime, seat: int, person: str = "cage.ann") -> dict[str, Any]:
        said = {"seat": seat, "wager": "hard-8", "patron": "p-1", "tax_number": "given", "won_at": moment.isoformat()}
        return ledger.desk("winner.identified", at(22), table="BJ-02", **said, by=person, at=at(22).isoformat())

    books.desk.feed(
        "inventory",
        won(at(14.9), 1),
        ledger.opened("BJ-02", at(15), chips(c500=1)),
        *(won(at(hours), 2) for hours in (15, 16, 20)),
        ledger.closed("BJ-02", at(20) + timedelta(seconds=30), chips(c500=1)),
        won(at(21), 3),
        won(at(21), 3, "cage.bob"),
    )
    listed = [item for item in books.exceptions(f"&known_at={LATER}") if item["kind"] == "win_at_closed_table"]
    closed = f"the table was closed since {(at(20) + timedelta(seconds=30)).isoformat()}, as far as the pit reported"
    assert [
        ("BJ-02/1, hard-8", "the table was not opened before, as far as the pit reported", "cage.ann"),
        ("BJ-02/3, hard-8", closed, "cage.bob"),
    ] == [names(item, "subject", "reason", "by") for item in listed]
    assert [("noted", "medium")] * 2 == [names(item, "status", "severity") for item in listed]


def test_an_entry_after_the_seal_is_an_exception(books: Books) -> None:
    """The day is restated: the list names the entry that did it, and who stands for it."""
    books.publish(books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"))
    for sequence, step in enumerate(("preliminary", "audited", "final"), 1):
        books.desk.feed("inventory", day_closed(sequence, step, seconds=10))
    assert 0 == figure_of(books, "pitledger_days_restated")
    books.publish(books.reversed(20, "BJ-01", [total(handle=100)], round_id="r-1"))
    assert 0 == figure_of(books, "pitledger_days_restated", timedelta(days=2))  # it is no news any more
    assert 1 == figure_of(books, "pitledger_days_restated")
    [restated] = [item for item in books.exceptions() if item["kind"] == "restated"]
    assert ("high", "2026-11-20, version 2", "round-settlement/1/20", "floor.lee") == names(
        restated, "severity", "subject", "entry", "by"
    )


def test_what_the_cage_enters_late_restates_a_sealed_day(books: Books) -> None:
    """The day on which it happened, by its cashier, and why it is late."""
    books.publish(books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"))
    for sequence, step in enumerate(("preliminary", "audited", "final"), 1):
        books.desk.feed("inventory", day_closed(sequence, step, seconds=10))
    moved = {"property": "riverside", "window": "cage-1", "patron": "p-1", "kind": "chip_redemption", "number": 1}
    moved |= {"cents": 12_000_00, "medium": "currency", "direction": "out", "gaming_day": DAY, "shift": "grave"}
    late = {"at": NOON.isoformat(), "entered_at": (NOON + timedelta(seconds=20)).isoformat(), "late_reason": "outage"}
    at = NOON + timedelta(seconds=20)
    books.desk.feed(
        "inventory",
        published("cage.moved", moved | late | {"by": "cage.ann"}, service="table-inventory", sequence=4, at=at),
    )
    [restated] = [item for item in books.exceptions() if item["kind"] == "restated"]
    assert ("2026-11-20, version 2", "table-inventory/1/4", "cage.ann", True) == (
        *names(restated, "subject", "entry", "by"),
        "outage" in restated["reason"],
    )


def test_a_correction_at_the_desk_restates_a_sealed_day_when_it_takes_effect(books: Books) -> None:
    """Proposing and approving change no figure, and stand by name among what people did; the settlement restates."""
    books.publish(books.posted(1, "BJ-01", [total(handle=100)], round_id="r-1"))
    for sequence, step in enumerate(("preliminary", "audited", "final"), 1):
        books.desk.feed("inventory", day_closed(sequence, step, seconds=10))
    later = NOON + timedelta(seconds=20)
    proposed: dict[str, Any] = {
        "property": "riverside",
        "table": "BJ-01",
        "game": "blackjack",
        "gaming_day": "2026-11-20",
    }
    proposed |= {"round_id": "r-1", "correction": 1, "replaces": 1, "round": {}, "reason": "misread card"}
    proposed |= {"proposed_by": "floor.lee", "proposed_at": later.isoformat()}
    approved = proposed | {"approved_by": "audit.kim", "approved_at": later.isoformat(), "sequence": 1}
    for sequence, (kind, data) in enumerate({"proposed": proposed, "approved": approved}.items(), 1):
        said = published(f"correction.{kind}", data, service="round-settlement", shard=2, sequence=sequence, at=later)
        books.publish(said)
    assert [("floor.lee", "adjustment"), ("audit.kim", "approval")] == [
        names(row, "person", "what")
        for row in rows_of(books.report("access"), "overrides")
        if row["kind"].startswith("correction.")
    ]
    assert [] == [item for item in books.exceptions() if item["kind"] == "restated"]
    books.publish(books.reversed(30, "BJ-01", [total(handle=100)], round_id="r-1"))
    [restated] = [item for item in books.exceptions() if item["kind"] == "restated"]
    assert ("floor.lee", "round-settlement/1/30") == names(restated, "by", "entry")


def test_paybacks_that_an_approval_passed_over_are_listed(books: Books) -> None:
    """Each finding, with who approved it and why; the approval is an override of that person."""
    finding = {"wager": "blackjack", "problem": "above_all", "payback": "101.5521", "against": "100"}
    differs = {"wager": "insurance", "problem": "differs", "payback": "92.6045", "against": "93"}
    books.desk.feed("submissions", submission(1, overridden={"reason": "opening week", "findings": [finding, differs]}))
    listed = [row for row in books.exceptions("&period=month") if row["kind"] == "payback"]
    assert [
        ("blackjack version 1, blackjack", "pays back 101.5521%, above 100%", 1),
        ("blackjack version 1, insurance", "pays back 92.6045%, the licensee states 93%", 2),
    ] == [names(row, "subject", "reason", "number") for row in listed]
    assert ("approved", "compliance.ann", "opening week", "games.ray, compliance.ann") == names(
        listed[0], "status", "settled_by", "resolution", "by"
    )
    [done] = rows_of(books.report("access", "&period=month"), "overrides")
    assert ("compliance.ann", "override", "opening week") == names(done, "person", "what", "reason")


def test_a_fact_whose_day_only_an_unknown_property_could_say_is_refused(url: str, books: Books) -> None:
    """It is quarantined with what to do, and not left out of what it adds to."""
    owned = {"property": "harbor", "alarm": "counts, dealer-7", "owner": "audit.lou", "named_by": "audit.lou"}
    owned |= {"owned_at": NOON.isoformat()}
    books.desk.feed("inventory", published("alarm.owned", owned, service="table-inventory", sequence=1, at=NOON))
    [refused] = books.desk.facts("record.quarantined")
    assert isinstance(refused, RecordQuarantined)
    assert ("harbor" in refused.reason, "replay this record" in refused.reason) == (True, True), refused.reason
    assert [] == query(url, "SELECT FROM reporting.facts")
    books.desk.feed("properties", property_event("harbor", sequence=3))
    books.desk.feed("inventory", published("alarm.owned", owned, service="table-inventory", sequence=2, at=NOON))
    assert [("2026-11-20",)] == query(url, "SELECT gaming_day::text FROM reporting.facts")
