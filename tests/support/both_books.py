"""Table inventory and reporting on one database: what is published by the one is read by the other."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import quote

from shared.contracts.envelope import shard_source
from shared.contracts.facts import KINDS
from shared.contracts.topics import INVENTORY_ROUNDS
from shared.runtime.outbox.relay import Outgoing, entry_message
from tests.support.pit import DAY, PROPERTY, InventoryDesk, at
from tests.support.properties import property_event
from tests.support.reporting import Books, books_of, rows_of

FIGURES = (
    *("opener_cents", "fills_cents", "credits_cents", "closer_cents", "currency_cents", "counter_checks_cents"),
    *("prepaid_cents", "coupons_cents", "drop_cents", "win_cents", "hold_percent", "final_win_cents"),
)
"""The figures of a win, as the ledger and the master game report call them."""

LATER = at(72).isoformat()
"""A moment at which all of it is known."""

Report = dict[str, Any]


@dataclass
class BothBooks:
    """The ledger, and reporting, which has read what is published up to the last report that was asked for."""

    ledger: InventoryDesk
    books: Books
    _read: set[tuple[int, int]] = field(default_factory=set)
    _settled: int = 0

    def has_only(self, *tables: str, **known: Any) -> None:
        """Both know of an amended property: it has these tables and no others."""
        self.ledger.has_only(*tables, **known)
        self.books.desk.feed("properties", property_event(PROPERTY, tables, sequence=4, version=2, **known))

    def publish(self) -> None:
        """State what is due, and let reporting read what is new."""
        self.ledger.state()
        settled, self._settled = self.ledger.settled[self._settled :], len(self.ledger.settled)
        if settled:
            self.books.desk.feed("settlements", *settled)
        new = [one for one in self.ledger.entries() if (one.shard, one.seq) not in self._read]
        self._read |= {(one.shard, one.seq) for one in new}
        messages = [
            entry_message(shard_source("table-inventory", one.shard), one.shard, Outgoing.of(one))
            for one in new
            if KINDS[one.draft.kind].topic is not INVENTORY_ROUNDS  # those of rounds go to another topic
        ]
        if messages:
            self.books.desk.feed("inventory", *messages)

    def report(self, name: str, day: str = DAY, *, more: str = "", known_at: str = LATER) -> Report:
        """Return a report of a gaming day, or of the period that ends with it, after all that is published was read."""
        self.publish()
        answer = self.books.get(
            f"/reports/{name}?property={PROPERTY}&gaming_day={day}&known_at={quote(known_at)}{more}"
        )
        assert answer.status_code == 200, answer.text
        report: Report = answer.json()
        return report

    def differences(self, day: str = DAY) -> list[str]:
        """Return where reports of a gaming day say something else of a win than the ledger does."""
        win = self.ledger.win(day)
        master, both, tax = (self.report(name, day) for name in ("master-game", "drop-and-win", "tax"))
        found = [
            f"{section} {key}: {theirs.get(key)} in the report, {ours.get(key)} in the ledger"
            for section, names in (("tables", ("table",)), ("shifts", ("table", "shift")))
            for ours, theirs in [(_keyed(win[section], names), _keyed(rows_of(master, section), names))]
            for key in sorted({*ours, *theirs})
            if ours.get(key) != theirs.get(key)
        ]
        wins = {row["table"]: row.get("win_cents") for row in win["tables"]}
        summary = {row["table"]: row["win_cents"] for row in rows_of(both, "tables") if row["missing"] != "counts"}
        found += [] if wins == summary else [f"drop and win: {summary} in the report, {wins} in the ledger"]
        revenue = sum(row["revenue_cents"] or 0 for row in rows_of(tax, "days"))
        final = win["total"].get("final_win_cents") or 0
        found += [] if final == revenue else [f"tax: {revenue} in the report, {final} in the ledger"]
        found += [f"{one['report']}: it has no win" for one in (master,) if (final != 0) != _has_win(one)]
        return found


def _keyed(rows: list[Report], names: tuple[str, ...]) -> Mapping[tuple[str, ...], tuple[Any, ...]]:
    """Return the figures of rows by what names them, but for those in which there is nothing."""
    found = {tuple(row[name] for name in names): tuple(row.get(name) for name in FIGURES) for row in rows}
    return {key: figures for key, figures in found.items() if any(figures)}


def _has_win(report: Report) -> bool:
    [tables] = [one for one in report["content"]["sections"] if one["name"] == "tables"]
    return bool(tables["total"]["final_win_cents"])


@contextmanager
def both_books(url: str, ledger: InventoryDesk) -> Iterator[BothBooks]:
    """Give reporting, on the database of the ledger, beside it."""
    with books_of(url) as found:
        found.desk.feed("properties", property_event(PROPERTY, sequence=3))
        yield BothBooks(ledger, replace(found, property_name=PROPERTY))
