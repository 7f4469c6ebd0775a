"""The vigorish report on a real database: three journals go in, and have to agree."""

from collections.abc import Mapping, Sequence
from typing import Any

from tests.support.published import Journal
from tests.support.reporting import Books, identities_of, names, rows_of
from tests.unit.reporting.entries import CORRECTION, DAY, NOON, total

GAME = "pai-gow-poker"
AT_TABLE = {"property": "riverside", "table": "PG-01", "gaming_day": DAY}


class Ledger(Journal):
    """Makes the entries of the vigorish ledger."""

    def __init__(self) -> None:
        super().__init__("vigorish", NOON)

    def assessed(self, round_id: str, lines: Sequence[Mapping[str, Any]], *, back: bool = False) -> dict[str, Any]:
        """A round assessed vigorish, or it was taken back."""
        data = AT_TABLE | {"game": GAME, "round_id": round_id, "revision": 1, "lines": list(lines)}
        under = {"closed_at": NOON.isoformat(), "submission": "a" * 64}
        return self.entry(
            "vigorish.taken_back" if back else "vigorish.assessed", data | (CORRECTION if back else under)
        )

    def settled(self, what: str, round_id: str, cents: int, **more: Any) -> dict[str, Any]:
        """A table did something about vigorish."""
        about = {"round_id": round_id, "seat": 1, "cents": cents, "by": "dealer.1", "shift": "day"}
        about |= {"dealer_id": "dealer 1"}
        when = {"event": f"e-{self.seq}", "at": NOON.isoformat()}
        return self.entry(f"vigorish.{what}", AT_TABLE | about | when | more)


def _line(base: int, cents: int, **more: Any) -> dict[str, Any]:
    wager = {"seat": 1, "wager": "pai_gow_poker", "owed_by": "player", "rate": "0.05", "rounding": "none"}
    source = {"paragraph": "§ 645a.13(a)", "rate_paragraph": "§ 645a.13(a)"}
    return wager | source | {"stake_cents": base, "base_cents": base, "cents": cents} | more


def _day(books: Books) -> None:
    """Rounds that assessed 60 and 75 of players and 500 of a bank; one of 40 taken back; most collected."""
    ledger, inventory = Ledger(), Journal("table-inventory", NOON)
    dropped = _line(1_219, 60)
    quarters = _line(1_219, 75, rounding="quarter_up")
    bank = _line(10_000, 500, owed_by="bank", wager="bank")
    books.desk.feed(
        "vigorish",
        ledger.assessed("r-1", [dropped]),
        ledger.assessed("r-2", [quarters, bank]),
        ledger.assessed("r-3", [_line(800, 40)]),
        ledger.assessed("r-3", [_line(800, 40)], back=True),
        ledger.settled("collection", "r-1", 100),
        ledger.settled("return", "r-1", 40, reason="too much was collected"),
        ledger.settled("waiver", "r-2", 75, reason="the hand was set by the dealer"),
        ledger.settled("collection", "r-2", 450, bank=True),
    )
    waived = AT_TABLE | {
        "shift": "day",
        "round_id": "r-2",
        "seat": 1,
        "cents": 75,
        "by": "d",
        "reason": "set by dealer",
    }
    recorded = {
        "shift": "day",
        "event": "vigorish.waived",
        "data": waived,
        "moved": {"movement": "vigorish", "cents": -75},
    }
    books.desk.feed("inventory", inventory.entry("pit.recorded", AT_TABLE | {"sequence": 1} | recorded))
    totals = [[total("pai_gow_poker", vigorish=cents)] for cents in (60, 575, 40)]
    dealt = {"game": GAME, "dealer_id": "dealer 2"}
    books.desk.feed(
        "settlements",
        *(books.posted(n, "PG-01", one, round_id=f"r-{n}", **dealt) for n, one in enumerate(totals, 1)),
        books.reversed(4, "PG-01", totals[2], round_id="r-3", **dealt),
    )


def test_vigorish_by_who_owes_it_and_by_how_it_was_assessed(books: Books) -> None:
    """Assessed less what was taken back, to the last share of a cent; outstanding; three journals agree."""
    _day(books)
    report = books.report("vigorish")
    figures = ("lines", "base_cents", "assessed_cents", "rounding_cents")
    became = ("collected_cents", "waived_cents", "returned_cents", "outstanding_cents")
    assert [
        (GAME, "PG-01", "bank", 1, 10_000, 500, "0", 450, 0, 0, 50),
        (GAME, "PG-01", "player", 2, 2_438, 135, "13.1", 100, 75, 40, 0),
    ] == [names(row, "game", "table", "owed_by", *figures, *became) for row in rows_of(report, "tables")]
    assert [("bank", "none", 500, "0"), ("player", "none", 60, "-0.95"), ("player", "quarter_up", 75, "14.05")] == [
        names(row, "owed_by", "rounding", "assessed_cents", "rounding_cents") for row in rows_of(report, "rates")
    ]
    assert [("r-1", None, 40), ("r-2", 75, None)] == [
        names(row, "round_id", "waived_cents", "returned_cents") for row in rows_of(report, "decisions")
    ]
    assert {"settled and assessed": (635, 635)} == identities_of(report)


def test_vigorish_by_shift_and_dealer(books: Books) -> None:
    """Assessed by who dealt when the round closed, the rest by who dealt when it was reported; both lead to entries."""
    _day(books)
    report = books.report("vigorish")
    figures = ("assessed_cents", "collected_cents", "waived_cents", "returned_cents")
    [shift] = rows_of(report, "shifts")
    assert ("PG-01", "day", 635, 550, 75, 40) == names(shift, "table", "shift", *figures)
    assert [("dealer 1", 0, 550, 75, 40), ("dealer 2", 635, 0, 0, 0)] == [
        names(row, "dealer", *figures) for row in rows_of(report, "dealers")
    ]
    explained = books.explain("vigorish", "dealers/dealer 1/collected_cents")
    assert (550, [100, 450]) == (explained["value"], sorted(entry["value"] for entry in explained["entries"]))


def test_outstanding_vigorish_leads_to_its_entries(books: Books) -> None:
    """Behind what a bank still owes stand what was assessed and what was collected."""
    _day(books)
    explained = books.explain("vigorish", f"tables/{GAME}|PG-01|bank/outstanding_cents")
    assert (50, [("vigorish_assessed_cents", 2, 500), ("vigorish_collected_cents", 8, 450)]) == (
        explained["value"],
        [names(entry, "measure", "seq", "value") for entry in explained["entries"]],
    )


def test_what_was_settled_and_not_assessed_is_seen(books: Books) -> None:
    """Where the vigorish ledger has not heard of a round, the report does not hold."""
    _day(books)
    books.desk.feed("settlements", books.posted(5, "PG-01", [total("pai_gow_poker", vigorish=25)], game=GAME))
    assert (660, 635) == identities_of(books.report("vigorish"))["settled and assessed"]
    assert (0, 0) == identities_of(books.report("vigorish", "&game=blackjack"))["settled and assessed"]
