"""The cage at random: the books, the sheet and what lies there are the same, whatever is late, doubled or restarted.

The reference knows where pieces lie, and nothing of the service: at each location, in transit, on the table, with
patrons and outside. Pieces vanish and turn up, and only counts find that.
"""

from collections import Counter
from contextlib import ExitStack
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test

from services.table_inventory.domain.locations import is_held_at_cage
from tests.support import Databases
from tests.support.both_books import BothBooks, both_books
from tests.support.nightly import examples
from tests.support.pit import PROPERTY, Table, at, chips, inventory_desk
from tests.support.properties import property_event
from tests.support.reporting import identities_of, rows_of
from tests.support.services import settled_database

SEED = 1
LOCATIONS = ("cage", "drawer-1", "vault")
DOCUMENT: dict[str, Any] = {
    "cage_locations": [
        {"location": "drawer-1", "kind": "drawer", "opened_on": "2020-01-01"},
        {"location": "vault", "kind": "vault", "opened_on": "2020-01-01"},
    ],
    "chip_sets": [{"chip_set": "house", "denominations_cents": [500], "in_use_from": "2020-01-01"}],
}
AT_CAGE = f"/cage/{PROPERTY}"
NOTE, CHIP, PROMOTIONAL = "currency", "chips", "promotional_chips"
EACH = {NOTE: 100_00, CHIP: 500, PROMOTIONAL: 500}

Pieces = Counter[str]
"""How many notes of $100, chips of $5 and promotional chips of $5."""

locations = st.sampled_from(LOCATIONS)
some = st.integers(1, 30)


def contents(pieces: Pieces) -> list[dict[str, Any]]:
    """Pieces as commands have them."""
    more = {CHIP: {"chip_set": "house"}}
    return [
        {"kind": kind, "cents": EACH[kind], "count": count} | more.get(kind, {})
        for kind, count in sorted(pieces.items())
        if count
    ]


def money(pieces: Pieces) -> int:
    """What pieces are worth, cents."""
    return sum(EACH[kind] * count for kind, count in pieces.items() if kind != PROMOTIONAL)


class Cage(RuleBasedStateMachine):
    """A cage with a drawer and a vault, one table, patrons, and whoever is outside."""

    databases: ClassVar[Databases]
    played: ClassVar[Counter[str]]

    @initialize()
    def begins(self) -> None:
        """The services are there, and the table opens with a hundred chips that came with it into service."""
        self.url = settled_database(self.databases, "table-inventory", "reporting")
        self.open = ExitStack()
        desk = self.open.enter_context(inventory_desk(self.url))
        self.both: BothBooks = self.open.enter_context(both_books(self.url, desk))
        amended = property_event(PROPERTY, ["BJ-01"], sequence=2, version=2, **DOCUMENT)
        desk.desk.feed("properties", amended)
        amended = property_event(PROPERTY, ["BJ-01"], sequence=4, version=2, **DOCUMENT)
        self.both.books.desk.feed("properties", amended)
        self.desk, self.table, self.minutes = desk, Table("BJ-01"), 0
        self.lies = {name: Pieces() for name in LOCATIONS}
        self.gone = Counter[str]()
        """What vanished from each location, less what turned up, cents: over and short once it was counted."""
        self.in_service, self.tray, self.in_transit = 0, 100, Pieces()
        self.under_way: dict[int, tuple[str, str, Pieces]] = {}
        self.withheld: list[dict[str, Any]] = []
        self.sent: list[tuple[str, Any, str, str]] = []
        self.pit(self.table.opened(self.now(), chips(c500=100)))
        for name in LOCATIONS:
            self.count(name)

    def now(self) -> Any:
        """The next minute."""
        self.minutes += 1
        moment = at(self.minutes / 60)
        self.desk.clock.now = max(self.desk.clock.now, moment) if self.minutes > 1 else moment
        return moment

    def pit(self, event: dict[str, Any], *, late: bool = False) -> None:
        """The pit tells of an event, or keeps it back, with all that comes after it."""
        self.withheld.append(event)
        if not late:
            told, self.withheld = self.withheld, []
            self.desk.pit(*told)

    def does(self, path: str, body: Any, person: str) -> dict[str, Any]:
        """Somebody does something that must be possible."""
        self.now()
        key = f"k-{len(self.sent)}"
        answer = self.desk.done(path, body, person=person, key=key)
        self.sent.append((path, body, person, key))
        self.played[path.split("/")[-1]] += 1
        return answer

    @rule(giver=st.sampled_from((*LOCATIONS, "manufacturer", "bank", "promotions")), receiver=locations, n=some)
    def issues(self, giver: str, receiver: str, n: int) -> None:
        """Pieces leave where they lie, or come from outside."""
        kind = {"manufacturer": CHIP, "bank": NOTE, "promotions": PROMOTIONAL}.get(giver, NOTE if n % 2 else CHIP)
        pieces = Pieces({kind: n * (1 if giver in LOCATIONS else 20)})
        if giver == receiver or (giver in LOCATIONS and self.lies[giver][kind] < n):
            return
        wanted = {"giver": giver, "receiver": receiver, "contents": contents(pieces)}
        number = self.does(f"{AT_CAGE}/transfers", wanted, "cage.ann")["transfer"]
        if giver in LOCATIONS:
            self.lies[giver] -= pieces
        self.under_way[number] = (giver, receiver, pieces)

    @precondition(lambda self: self.under_way)
    @rule(which=st.integers(0, 5), arrives=st.booleans())
    def ends_transfer(self, which: int, arrives: bool) -> None:
        """What is in transit arrives, or goes back."""
        numbers = sorted(self.under_way)
        self.end_transfer(numbers[which % len(numbers)], arrives=arrives)

    def end_transfer(self, number: int, *, arrives: bool) -> None:
        """What is in transit arrives, or goes back."""
        giver, receiver, pieces = self.under_way.pop(number)
        step, body = ("receive", None) if arrives else ("return", {"reason": "a rack is short"})
        self.does(f"{AT_CAGE}/transfers/{number}/{step}", body, "cage.bob")
        to = receiver if arrives else giver
        if to in LOCATIONS:
            self.lies[to] += pieces
        if giver == "manufacturer" and arrives:
            self.in_service += pieces[CHIP]

    @rule(n=some, late=st.booleans(), back=st.booleans())
    def fills(self, n: int, late: bool, back: bool) -> None:
        """Chips go from the cage to the table, or come back; the pit may tell of it later."""
        if (self.tray if back else self.lies["cage"][CHIP]) < n:
            return
        kind = "credit" if back else "fill"
        number = self.desk.slip(kind, "BJ-01", chips(c500=n))
        people = {"surrendered_by": "dealer.dan", "observed_by": "floor.fay"} if back else {}
        late = late and not back
        self.pit(
            self.table.event(f"{kind}.carried", self.now(), number=number, carried_by="sec.gus", **people), late=late
        )
        if back:
            self.does(f"/slips/{PROPERTY}/credit/{number}/receive", {"contents": chips(c500=n)}, "cage.ann")
        else:
            got = {"contents": chips(c500=n), "received_by": "dealer.dan", "observed_by": "floor.fay"}
            self.pit(self.table.event("fill.received", self.now(), number=number, **got), late=late)
        moved = Pieces({CHIP: n if back else -n})
        self.lies["cage"].update(moved)
        self.tray -= moved[CHIP]

    @rule(window=st.sampled_from(("drawer-1", "window-9")), n=some, kind=st.sampled_from(("bank", "chips", "winnings")))
    def serves(self, window: str, n: int, kind: str) -> None:
        """A patron leaves front money, has chips redeemed that nobody else counted, or is paid winnings."""
        where = self.lies["cage" if window == "window-9" else window]
        if kind != "bank" and where[NOTE] < n:
            return
        what = {"bank": "front_money_deposit", "chips": "chip_redemption", "winnings": "winnings_paid"}[kind]
        moved = {"property": PROPERTY, "window": window, "patron": "p-1", "kind": what, "cents": n * 100_00}
        number = self.does("/cage-movements", moved, "cage.ann")["number"]
        if n % 7 == 0:
            self.does(f"/cage-movements/{PROPERTY}/{number}/void", {"reason": "another patron"}, "cage.bob")
            return
        where[NOTE] += n if kind == "bank" else -n
        if kind == "chips":
            where[CHIP] += n * 20

    @rule(location=locations, n=st.integers(-3, 3), kind=st.sampled_from((NOTE, CHIP)))
    def vanishes(self, location: str, n: int, kind: str) -> None:
        """Pieces vanish, or turn up; nobody records it."""
        n = min(n, self.lies[location][kind])
        self.lies[location][kind] -= n
        self.gone[location] += EACH[kind] * n

    @rule(location=locations, rejected=st.booleans())
    def counts(self, location: str, rejected: bool) -> None:
        """A location is counted; perhaps the first count is rejected."""
        if rejected:
            number = self.entered(location, Pieces({NOTE: 1}))
            self.does(f"{AT_CAGE}/counts/{number}/reject", {"reason": "a strap was closed"}, "cage.bob")
        self.count(location)

    def entered(self, location: str, pieces: Pieces) -> int:
        """One person counts a location."""
        counted = {"location": location, "contents": contents(pieces), "cashier": "cage.ann"}
        number: int = self.does(f"{AT_CAGE}/counts", counted, "cage.ann")["count"]
        return number

    def count(self, location: str) -> dict[str, Any]:
        """Two people count a location."""
        number = self.entered(location, self.lies[location])
        why = {"reason": "counted twice"}
        return self.does(f"{AT_CAGE}/counts/{number}/verify", why, "cage.bob")

    @rule(which=st.integers(0, 50))
    def asks_again(self, which: int) -> None:
        """A command is sent again under its key: the answer is the same, and nothing happens."""
        path, body, person, key = self.sent[-1 - which % len(self.sent)]
        before = len(self.desk.entries())
        self.desk.done(path, body, person=person, key=key)
        assert before == len(self.desk.entries())

    @precondition(lambda self: self.withheld)
    @rule()
    def tells(self) -> None:
        """The pit tells of what it kept back, twice."""
        told, self.withheld = self.withheld, []
        self.desk.pit(*told)
        self.desk.pit(*told)
        self.played["told twice"] += 1

    @rule()
    def restarts(self) -> None:
        """The process that reads the pit ends, and another one goes on."""
        self.desk.desk.restart()
        self.both.publish()

    def recorded(self) -> dict[str, int]:
        """What the journal's accounts say of each location, cents."""
        found = Counter[str]()
        for entry in self.desk.entries():
            for account, cents in entry.draft.postings:
                if account.leg == "location":
                    found[account.wager] += cents
                elif is_held_at_cage(account):
                    found["cage"] += cents
        return dict(found)

    def teardown(self) -> None:
        """All is told, arrives and is counted: then books, sheet and pieces are the same."""
        if not hasattr(self, "sent"):
            return
        try:
            self.balance()
        finally:
            self.open.close()
            self.databases.drop(self.url)

    def balance(self) -> None:
        """Count everything, and compare."""
        self.pit(self.table.event("tips.collected", self.now(), cents=500, collected_by="f", observed_by="s"))
        for number in sorted(self.under_way)[1:]:  # one may stay in transit
            self.end_transfer(number, arrives=True)
        for name in LOCATIONS:
            self.count(name)
        self.pit(self.table.closed(self.now(), chips(c500=self.tray)))
        here = {name: money(self.lies[name]) for name in LOCATIONS}
        assert here == {name: self.recorded().get(name, 0) for name in LOCATIONS}
        books = {one["location"]: one["cents"] for one in self.desk.read(f"{AT_CAGE}/books")["items"]}
        assert here == {name: books.get(name, 0) for name in LOCATIONS}
        balances = self.desk.balances()
        short = {name: balances.get(("", name, "cage_over_short"), 0) for name in LOCATIONS}
        assert {name: self.gone[name] for name in LOCATIONS} == short
        under_way = sum(money(pieces) for _, _, pieces in self.under_way.values())
        assert under_way == balances.get(("", "", "cage_transit"), 0)
        self.compare(self.both.report("cage-accountability"), here)

    def compare(self, report: dict[str, Any], here: dict[str, int]) -> None:
        """The sheet is what lies there, and balances; what it says of chips in service is where they lie."""
        assert all(left == right for left, right in identities_of(report).values()), identities_of(report)
        rows = {row["location"]: row for row in rows_of(report, "locations")}
        assert here == {name: row["counted_cents"] for name, row in rows.items()}
        assert {name: -self.gone[name] for name in here} == {
            name: row["over_short_cents"] for name, row in rows.items()
        }
        held = Counter[str]()
        for row in rows_of(report, "holdings"):
            held[row["kind"]] += row["pieces"]
        there = sum(self.lies.values(), Pieces())
        assert +there == +held
        [between] = [row for row in rows_of(report, "others") if row["of"] == "tables"]
        assert 0 == between["between_cents"]
        for row in rows_of(report, "float"):
            waits = sum(pieces[CHIP] for giver, _, pieces in self.under_way.values() if giver != "manufacturer")
            assert (self.in_service, there[CHIP], self.tray, waits) == tuple(
                row[name] for name in ("in_service", "at_cage", "at_tables", "in_transit")
            )


def test_what_came_in_less_what_went_out_is_what_lies_there(databases: Databases) -> None:
    """Journal, books over HTTP and the sheet, of cages at random, 25 of them at night."""
    played = Counter[str]()
    machine = type("Cage", (Cage,), {"databases": databases, "played": played})
    run_state_machine_as_test(
        seed(SEED)(machine),
        settings=settings(
            max_examples=examples(25),
            stateful_step_count=20,
            deadline=None,
            database=None,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        ),
    )
    assert {"transfers", "receive", "verify"} <= played.keys()
