"""Fills and credits with everybody who signed them, and what of their numbers is not accounted for."""

from tests.support.pit import chips
from tests.support.pit_day import Pit, rows, total_of
from tests.support.pit_ledger import Said, at

_AS_PREPARED = ("status", "cents", "received_cents", "difference_cents", "moved_cents")


def test_slips_are_listed_with_everybody_who_signed(pit: Pit) -> None:
    """The fills and credits that are listed are those of the win; a paper slip is late."""
    pit.play()
    report = pit.read("slips")
    assert [
        ("paper", "103", None, "BJ-01", "2 chips of 5.00"),
        ("system", "1", "1", "BJ-01", "100 chips of 5.00"),
    ] == rows(report, "fills", "series", "number", "request", "table", "denominations")
    assert [("received", 1000, 1000, 0, 1000), ("received", 50000, 49500, -500, 49500)] == rows(
        report, "fills", *_AS_PREPARED
    )
    assert [("2026-11-20T21:00:00+00:00", "cage.bob", "the network was down"), (None, None, None)] == rows(
        report, "fills", "late", "ended_by", "reason"
    )
    assert [("pit.ray", "cage.bob", "dealer.eve", "sec.gus", "cage.ann", "floor.fay")] == rows(
        report,
        "credits",
        *("requested_by", "prepared_by", "surrendered_by", "carried_by", "received_by", "observed_by"),
    )
    assert 50500 == total_of(report, "fills", "moved_cents")
    entries = pit.explain("slips", "fills/system|1|1/difference_cents")["entries"]
    assert [11, 9] == [entry["seq"] for entry in entries]  # what arrived, and what was sent


def test_a_slip_that_stays_open_is_asked_for_later_days(pit: Pit) -> None:
    """However late: a credit that was carried is void two weeks later, and comes back to its table."""
    pit.play()
    pit.feed(
        "inventory",
        pit.ledger.requested(3, "credit", "BJ-01", at(21), chips(c2500=4)),
        pit.ledger.prepared(2, 3, "credit", "BJ-01", at(21.1), chips(c2500=4)),
        pit.ledger.pit(
            "BJ-01",
            "credit.carried",
            at(14 * 24),
            day="2026-12-03",
            moved=-10000,
            number=2,
            surrendered_by="dealer.eve",
            observed_by="floor.fay",
            carried_by="sec.gus",
        ),
    )
    report = pit.read("slips", known_at="2026-12-24T12:00:00Z")
    assert [("received", 30000, 30000, 0, 30000), ("carried", 10000, None, None, 0)] == rows(
        report, "credits", *_AS_PREPARED
    )
    void = {"slip": "credit", "number": 2, "returned": chips(c2500=4), "void_reason": "wrong table"}
    voided = {"voided_by": "cage.bob", "voided_at": at(15 * 24).isoformat()}
    pit.feed("inventory", pit.ledger.desk("slip.voided", at(15 * 24), table="BJ-01", **void, **voided))
    report = pit.read("slips", known_at="2026-12-24T12:00:00Z")
    assert [("void", "cage.bob", "wrong table")] == rows(report, "credits", "status", "ended_by", "reason")[1:]
    assert 20000 == total_of(report, "credits", "moved_cents")  # what came back counts on the slip's own day


def test_missing_numbers_go_to_internal_audit(pit: Pit) -> None:
    """Within the days that the law allows; void numbers are accounted for."""
    pit.play()
    spoilt: Said = {"slip": "fill", "number": 105, "reason": "spoilt", "entered_by": "cage.bob"}
    pit.feed(
        "inventory",
        pit.ledger.prepared(4, 4, "fill", "BJ-01", at(22), chips(c500=10)),
        pit.ledger.desk("manual_slip.voided", at(22), **spoilt, entered_at=at(22).isoformat()),
    )
    report = pit.read("slips")
    assert [
        ("fill", "system", "1", "4", 2, 0, 2),
        ("fill", "paper", "103", "105", 2, 1, 1),
        ("credit", "system", "1", "1", 1, 0, 0),
    ] == sorted(rows(report, "series", "slip", "series", "first", "last", "used", "void", "missing"), reverse=True)
    assert [("fill", "system", "2", "3", "2026-11-22"), ("fill", "paper", "104", "104", "2026-11-22")] == rows(
        report, "gaps", "slip", "series", "first", "last", "due_on"
    )
    assert [("paper", "void"), ("paper", "received")] == rows(report, "fills", "series", "status")[1::-1]
    [entry] = pit.explain("slips", "gaps/fill|system|2/missing")["entries"]
    assert 23 == entry["seq"]  # the slip with the higher number


def test_a_month_adds_up_by_gaming_day_and_lists_what_somebody_has_to_look_at(pit: Pit) -> None:
    """Of more than a week, slips that were received as they were prepared are not listed; paper and differences are."""
    pit.play()
    figures = ("prepared", "cents", "received", "received_cents", "paper", "void", "moved_cents")
    month = pit.read("slips", "&period=month")
    assert [
        ("2026-11-20", "credit", 1, 30000, 1, 30000, None, None, 30000),
        ("2026-11-20", "fill", 2, 51000, 2, 50500, 1, None, 50500),
    ] == rows(month, "days", "gaming_day", "slip", *figures)
    assert [("paper", "received"), ("system", "received")] == rows(month, "fills", "series", "status")
    assert [] == rows(month, "credits", "number")
    month_of = "&period=month"
    entries = pit.explain("slips", "days/2026-11-20|fill/received_cents", month_of)["entries"]
    assert [11, 17] == sorted(entry["seq"] for entry in entries)
    before = pit.answer("slips", month_of, known_at="2026-11-20T21:30:00Z").text
    pit.feed("inventory", *_credit_that_comes_back(pit))
    void = pit.read("slips", month_of, known_at="2026-12-24T12:00:00Z")
    assert [("2", "void", 10000)] == rows(void, "credits", "number", "status", "cents")
    assert ("credit", 2, 1, 30000) == rows(void, "days", "slip", "prepared", "void", "moved_cents")[0]
    assert [("carried", 10000)] == rows(
        pit.read("slips", month_of, known_at=at(22).isoformat().replace("+", "%2B")), "credits", "status", "cents"
    )
    assert before == pit.answer("slips", month_of, known_at="2026-11-20T21:30:00Z").text


def _credit_that_comes_back(pit: Pit) -> list[Said]:
    people = {"surrendered_by": "dealer.eve", "observed_by": "floor.fay", "carried_by": "sec.gus"}
    void = {"slip": "credit", "number": 2, "returned": chips(c2500=4), "void_reason": "wrong table"}
    return [
        pit.ledger.requested(3, "credit", "BJ-01", at(21.6), chips(c2500=4)),
        pit.ledger.prepared(2, 3, "credit", "BJ-01", at(21.7), chips(c2500=4)),
        pit.ledger.pit("BJ-01", "credit.carried", at(21.8), moved=-10000, number=2, **people),
        pit.ledger.desk(
            "slip.voided", at(22.5), table="BJ-01", **void, voided_by="cage.bob", voided_at=at(22.5).isoformat()
        ),
    ]


def test_what_was_known_keeps_its_bytes(pit: Pit) -> None:
    """The report as of a moment stays as it was, whatever comes later."""
    pit.play()
    before = pit.answer("slips", known_at="2026-11-20T19:45:00Z").text
    assert '"carried"' in before
    pit.feed("inventory", pit.ledger.prepared(4, 4, "fill", "BJ-01", at(22), chips(c500=10)))
    assert before == pit.answer("slips", known_at="2026-11-20T19:45:00Z").text
