"""The progressive reconciliation on a real database: to the last share of a cent, and as the meters reconciled it."""

from typing import Any

from tests.support.published import Journal
from tests.support.reporting import Books, identities_of, names, rows_of
from tests.unit.reporting.entries import CORRECTION, DAY, NOON, total

BEFORE = "2026-11-19"
POOL = {"property": "riverside", "pool": "fortune"}
METER = "fortune_bonus"


class Ledger(Journal):
    """Makes the entries of the meters: one pool, of which each wager adds a fifth and a hundredth to the reserve."""

    def __init__(self) -> None:
        super().__init__("progressive-meters", NOON)
        self.number = 0

    def seeded(self, cents: int) -> dict[str, Any]:
        """The pool was approved, and its base put in, the day before."""
        terms = {"feeds": [], "effective_from": NOON.isoformat(), "gaming_day": BEFORE, "reason": "new pool"}
        filed = {"version": 1, "hash": "b" * 64, "filed_by": "games.ray", "filed_at": NOON.isoformat()}
        approved = {"approved_by": "audit.kim", "approved_at": NOON.isoformat()}
        amounts = {"base_cents": cents, "reset_cents": cents, "movement": self._moved(seed_cents=str(cents))}
        return self.entry("pool.approved", POOL | terms | filed | approved | amounts)

    def counted(self, table: str, round_id: str, settled: int, *, won: Any = (), **moved: Any) -> dict[str, Any]:
        """A round was counted."""
        meter = {"meter": METER, "rate": "0.2", "settled_cents": settled, "movement": self._moved(**moved)}
        at = {name: NOON.isoformat() for name in ("opened_at", "closed_at", "at")}
        said = at | {"revision": 1, "submission": "a" * 64, "meters": [meter | {"hits": list(won)}]}
        return self.entry("meter.counted", _round(table, round_id) | said)

    def taken_back(self, table: str, round_id: str, **moved: Any) -> dict[str, Any]:
        """What a round had done was taken back."""
        said = {"revision": 1, "at": NOON.isoformat(), "movements": [self._moved(**moved)]}
        return self.entry("meter.taken_back", _round(table, round_id) | CORRECTION | said)

    def asked(self, change: int, cents: int) -> dict[str, Any]:
        """Somebody asked to adjust the pool."""
        return self.entry("meter.change_requested", self._change(change, cents))

    def adjusted(self, change: int, cents: int) -> dict[str, Any]:
        """An adjustment was approved and made."""
        made = {"approved_by": "audit.kim", "approved_at": NOON.isoformat(), "display_before_cents": "100040.2"}
        moved = {"movements": [self._moved(transfer_cents=str(cents), display_cents="100035.2")]}
        return self.entry("meter.change_approved", self._change(change, cents) | made | moved)

    def changed(self, change: int, step: str, kind: str, cents: int | None, **more: Any) -> dict[str, Any]:
        """A change of another kind was requested, approved or rejected."""
        said = {**self._change(change, 0), "kind": kind, "cents": cents}
        said |= {"to": "riches"} if kind == "transfer" else {}
        match step:
            case "approved":
                said |= {
                    "approved_by": "audit.kim",
                    "approved_at": NOON.isoformat(),
                    "display_before_cents": "0",
                } | more
            case "rejected":
                said = POOL | {"change": change, "rejected_by": "audit.kim", "reason": "not needed"}
                said["rejected_at"] = NOON.isoformat()
        return self.entry(f"meter.change_{step}", {name: one for name, one in said.items() if one is not None})

    def moved(self, pool: str, **moved: Any) -> dict[str, Any]:
        """A movement of a pool."""
        return self._moved(**moved) | {"pool": pool}

    def reconciled(self, closing: str, shown: int) -> dict[str, Any]:
        """The day was reconciled."""
        exact = ("opening", "seed", "contribution", "reset", "transfer", "released", "closing", "difference")
        others = ("reserve_opening", "reserved", "reserve_used", "reserve_closing")
        overflow = ("overflow_opening", "overflow", "overflow_closing")
        pool = dict.fromkeys((f"{name}_cents" for name in (*exact, *others, *overflow)), "0")
        counts = dict.fromkeys(("award_cents", "in_count", "in_cents", "hits", "readings", "readings_different"), 0)
        pool_day = pool | counts | {"pool": "fortune", "closing_cents": closing}
        figures = {"exceptions": 0, "input_open": 0, "liability_cents": shown, "rows_sha256": "c" * 64}
        by = {"reason": "end of day", "reconciled_by": "audit.kim", "reconciled_at": NOON.isoformat()}
        pools = [pool_day | {"shown_cents": shown, "liability_cents": shown}]
        day = {"property": "riverside", "gaming_day": DAY, "balanced": True, "pools": pools}
        return self.entry("meter.day_reconciled", day | figures | by)

    def _change(self, change: int, cents: int) -> dict[str, Any]:
        wanted = {"kind": "adjustment", "cents": cents, "gaming_day": DAY, "reason": "counter was replaced"}
        return POOL | wanted | {"change": change, "requested_by": "games.ray", "requested_at": NOON.isoformat()}

    def _moved(self, **moved: Any) -> dict[str, Any]:
        self.number += 1
        meters = {"display_cents": "0", "reserve_cents": "0", "overflowed_cents": "0", "shown_cents": 0}
        return {"pool": "fortune", "number": self.number} | meters | moved


def _round(table: str, round_id: str) -> dict[str, Any]:
    game = "pai-gow-poker"
    return {"property": "riverside", "table": table, "game": game, "gaming_day": DAY, "round_id": round_id}


def _wagered(cents: int, contribution: str, **more: Any) -> dict[str, Any]:
    return {"in_count": 1, "in_cents": cents, "contribution_cents": contribution} | more


HIT = {"seat": 2, "wager": METER, "category": "royal flush", "cents": 10_000}


def _day(books: Books, ledger: Ledger) -> None:
    """A base of 1,000 dollars; wagers of two tables, one of which wins a tenth of it; one is taken back."""
    award = {"award_cents": 10_000, "hits": 1, "reset_cents": "10000", "reserve_used_cents": "10000"}
    books.desk.feed(
        "meters",
        ledger.seeded(100_000),
        ledger.counted("PG-01", "r-1", 20, **_wagered(101, "20.2", reserved_cents="1.01")),
        ledger.counted("PG-02", "r-2", 20, won=[HIT], **_wagered(104, "20.8"), **award),
        ledger.counted("PG-02", "r-3", 10, **_wagered(51, "8.2", overflow_cents="2")),
        ledger.taken_back("PG-02", "r-3", in_count=-1, in_cents=-51, contribution_cents="-8.2", overflow_cents="-2"),
        ledger.asked(1, -500),
        ledger.adjusted(1, -500),
        ledger.asked(2, -100),
    )
    won = {"meter_payout": 10_000, "meter_reset": 10_000}
    rounds = [[total(METER, meter_contribution=20)], [total(METER, meter_contribution=20, **won)]]
    books.desk.feed(
        "settlements", *(books.posted(n, f"PG-0{n}", one, round_id=f"r-{n}") for n, one in enumerate(rounds, 1))
    )


def test_a_pool_is_reconciled_to_the_last_share_of_a_cent(books: Books) -> None:
    """Open meter, what moved it and close; the reserve beside it; contributions by table against settled rounds."""
    _day(books, Ledger())
    report = books.report("progressives")
    [pool] = rows_of(report, "pools")
    assert ("100000", "41", 10_000, "10000", "-500", "99541", 99_541) == names(
        pool,
        *("opening_cents", "contribution_cents", "award_cents", "reset_cents", "adjusted_cents"),
        *("closing_cents", "shown_cents"),
    )
    assert ("1.01", "10000", "-9998.99", "0") == names(
        pool, "reserved_cents", "reserve_used_cents", "reserve_closing_cents", "overflow_closing_cents"
    )
    assert [("PG-01", 101, "20.2", 20, "0.2", 0), ("PG-02", 104, "20.8", 20, "0.8", 1)] == [
        names(row, "table", "wagered_cents", "increment_cents", "settled_cents", "difference_cents", "hits")
        for row in rows_of(report, "contributions")
    ]
    assert [("PG-01", "1.01", "0"), ("PG-02", "0", "0")] == [
        names(row, "table", "reserved_cents", "overflow_cents") for row in rows_of(report, "contributions")
    ]
    assert {"contributions": (40, 40), "awards": (10_000, 10_000), "resets": (10_000, 10_000)} == identities_of(report)


def test_hits_and_changes_are_listed_with_who_stands_for_them(books: Books) -> None:
    """A hit with table, round, seat and hand; changes with who asked and who approved, open ones too."""
    _day(books, Ledger())
    report = books.report("progressives")
    assert [("fortune", "PG-02", "r-2", 2, METER, "royal flush", 10_000)] == [
        names(row, "pool", "table", "round_id", "seat", "wager", "category", "award_cents")
        for row in rows_of(report, "hits")
    ]
    assert [
        (1, "approved", -500, "100040.2", "100035.2", "audit.kim"),
        (2, "requested", -100, None, None, None),
    ] == [
        names(row, "change", "status", "cents", "before_cents", "after_cents", "decided_by")
        for row in rows_of(report, "changes")
    ]
    explained = books.explain("progressives", "pools/fortune/adjusted_cents")
    assert ("-500", [("progressive-meters", 7, -500)]) == (
        explained["value"],
        [names(entry, "service", "seq", "value") for entry in explained["entries"]],
    )


def test_the_closing_is_what_was_reconciled(books: Books) -> None:
    """The meters' own reconciliation is compared with the books as known then, whatever came later."""
    ledger = Ledger()
    _day(books, ledger)
    books.desk.feed("meters", ledger.reconciled("99541", 99_541))
    books.desk.feed("meters", ledger.counted("PG-01", "r-9", 100, **_wagered(500, "100")))
    report = books.report("progressives")
    assert (99_541, 99_541) == identities_of(report)["displays as reconciled"]
    assert [("99541", 99_541)] == [names(row, "closing_cents", "shown_cents") for row in rows_of(report, "reconciled")]
    assert 99_641 == rows_of(report, "pools")[0]["shown_cents"]
    assert (140, 40) == identities_of(report)["contributions"]  # a settlement is missing


def test_one_table_feeds_pools_of_the_property(books: Books) -> None:
    """Of a table, what it contributed; the pool's own meters are those of all tables."""
    _day(books, Ledger())
    report = books.report("progressives", "&table=PG-01")
    assert ["PG-01"] == [row["table"] for row in rows_of(report, "contributions")]
    assert "99541" == rows_of(report, "pools")[0]["closing_cents"]
    assert ((20, 20), (0, 0)) == names(identities_of(report), "contributions", "awards")
    assert [] == rows_of(report, "hits")


def test_a_great_meter_is_exact(books: Books) -> None:
    """Nanocents of ten billion dollars need more than 64 bits."""
    books.desk.feed("meters", Ledger().seeded(10**12))
    report = books.report("progressives", "&period=month")
    assert str(10**12) == rows_of(report, "pools")[0]["seed_cents"]


def test_changes_by_people_are_adjustments(books: Books) -> None:
    """With before and after to the last share of a cent; a transfer stands at both its pools."""
    ledger = Ledger()
    out, into = {"transfer_cents": "-40", "display_cents": "99960.5"}, {"transfer_cents": "40", "display_cents": "540"}
    both = [ledger.moved("fortune", **out), ledger.moved("riches", **into)]
    books.desk.feed(
        "meters",
        *(ledger.asked(1, -500), ledger.adjusted(1, -500)),
        ledger.changed(2, "requested", "transfer", 40),
        ledger.changed(3, "requested", "reset", None),
        ledger.changed(2, "approved", "transfer", 40, movements=both),
        ledger.changed(4, "requested", "overflow", 300_000),
        ledger.changed(4, "rejected", "overflow", 300_000),
    )
    report = books.report("adjustments")
    figures = ("of", "about", "number", "figure", "before_cents", "cents", "after_cents", "over_threshold", "status")
    assert [
        ("meter", "fortune", "1", "display, adjustment", "100535.2", "-500", "100035.2", "no", "approved"),
        ("meter", "fortune", "2", "display, transfer", "100000.5", "-40", "99960.5", "no", "approved"),
        ("meter", "fortune", "3", "display, reset", None, None, None, "no", "entered"),
        ("meter", "fortune", "4", "display, overflow", None, "300000", None, "yes", "rejected"),
        ("meter", "riches", "2", "display, transfer", "500", "40", "540", "no", "approved"),
    ] == [names(row, *figures) for row in rows_of(report, "adjustments")]
    [*_, refused, _] = rows_of(report, "adjustments")
    assert ("games.ray", "audit.kim", "counter was replaced", "not needed") == names(
        refused, "entered_by", "decided_by", "reason", "rejection_reason"
    )
    open_ones = [row["subject"] for row in books.exceptions() if row["kind"] == "adjustment"]
    assert ["meter fortune/3, display, reset"] == open_ones
    assert [] == rows_of(books.report("adjustments", "&table=PG-01"), "adjustments")


def test_a_change_of_a_meter_after_the_seal_is_an_exception(books: Books) -> None:
    """However small: the day had been sealed when somebody asked for it."""
    books.close("preliminary", seconds=-60)
    books.close("final", seconds=-60)
    ledger = Ledger()
    books.desk.feed("meters", ledger.asked(1, -500), ledger.adjusted(1, -500))
    assert ["yes"] == [row["after_seal"] for row in rows_of(books.report("adjustments"), "adjustments")]
    assert [("approved", -500)] == [
        names(row, "status", "cents") for row in books.exceptions() if row["kind"] == "adjustment"
    ]
