"""The cage at random: the books, the sheet and what lies there are the same, whatever is late, doubled or restarted.

The reference knows where pieces lie, and nothing of the service: at each location, in transit, on the table, with
patrons and outside. Pieces vanish and turn up, and only counts find that. It knows also what was counted and recorded
since, so that it knows which transfer is refused: one of more than the books of its giver have. Patrons bring and take
currency, chips and checks; a check that they take is paid by the bank, and leaves no location. They owe counter checks
that are written off, and recoveries of them come back or are void.
"""

from collections import Counter
from contextlib import ExitStack
from typing import Any, ClassVar

from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from services.table_inventory.domain.locations import is_held_at_cage
from tests.support import Databases
from tests.support.both_books import BothBooks, both_books
from tests.support.nightly import examples
from tests.support.pit import DAY, PROPERTY, Table, at, chips, inventory_desk
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
WRITE_OFFS = f"/check-write-offs/{PROPERTY}"
NOTE, CHIP, PROMOTIONAL, COUPON, CHECK = "currency", "chips", "promotional_chips", "coupons", "checks"
EACH = {NOTE: 100_00, CHIP: 500, PROMOTIONAL: 500, COUPON: 10_00, CHECK: 100_00}
WORTHLESS = (PROMOTIONAL, COUPON)
IN_SERVICE = 100_000
"""Chips that were in service before the books began."""

EXCHANGED: dict[str, tuple[str | None, str | None]] = {
    "chip_purchase": (NOTE, CHIP),
    "front_money_deposit": (NOTE, None),
    "safekeeping_deposit": (NOTE, None),
    "chip_redemption": (CHIP, NOTE),
    "front_money_withdrawal": (None, NOTE),
    "safekeeping_withdrawal": (None, NOTE),
    "check_cashed": (CHECK, NOTE),
    "winnings_paid": (None, NOTE),
}
"""By kind of a patron's transaction what comes to the window and what leaves it, in currency."""

OWED_CENTS = 300_00
"""Of each counter check; it is paid in hundreds."""

Pieces = Counter[str]
"""How many notes of $100, chips of $5, promotional chips of $5, coupons of $10 and checks of $100."""

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
    return sum(EACH[kind] * count for kind, count in pieces.items() if kind not in WORTHLESS)


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
        self.put_in, self.tray, self.elsewhere = 0, 100, IN_SERVICE - 100
        """Chips of the manufacturer, on the table, and with patrons or where nobody knows."""
        self.book = dict.fromkeys(LOCATIONS, 0)
        self.in_vault = Pieces()
        self.bank = 0
        """What the bank took, less what it gave and paid by check, cents."""
        self.untold = 0
        """What the books say of each location, cents, and of the vault by piece; fills that the pit told nobody yet."""
        self.chips_known, self.tray_known, self.chips_untold = dict.fromkeys(LOCATIONS, 0), 100, 0
        """Chips at each location and at the table as counted last, with what was recorded since; fills not told yet."""
        self.written_off: dict[int, int] = {}
        self.recoveries: dict[int, tuple[int, str, int]] = {}
        """By write-off what of it is not recovered, cents; by step what may be undone: write-off, means, hundreds."""
        self.under_way: dict[int, tuple[str, str, Pieces]] = {}
        self.withheld: list[dict[str, Any]] = []
        self.sent: list[tuple[str, Any, str, str]] = []
        self.pit(self.table.opened(self.now(), chips(c500=100)))
        stated = {"gaming_day": DAY, "contents": contents(Pieces({CHIP: IN_SERVICE})), "source": "the chip ledger"}
        self.does(f"/chips-in-service/{PROPERTY}", stated, "audit.kim")
        self.does(f"/chips-in-service/{PROPERTY}/1/approve", None, "control.eve")
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
            self.desk.pit(*self.told())

    def told(self) -> list[dict[str, Any]]:
        """What the pit kept back, which the books have from now on."""
        self.now()
        told, self.withheld = self.withheld, []
        self.book["cage"] -= self.untold
        self.chips_pass("cage", -self.chips_untold)
        self.tray_known += self.chips_untold
        self.untold, self.chips_untold = 0, 0
        return told

    def chips_pass(self, name: str, count: int) -> None:
        """It is recorded that chips come to a location, or leave it; the rest of more than it had was brought there."""
        self.chips_known[name] = max(0, self.chips_known[name] + count)

    def does(self, path: str, body: Any, person: str) -> dict[str, Any]:
        """Somebody does something that must be possible."""
        self.now()
        key = f"k-{len(self.sent)}"
        answer = self.desk.done(path, body, person=person, key=key)
        self.sent.append((path, body, person, key))
        self.played[path.split("/")[-1]] += 1
        return answer

    @rule(giver=st.sampled_from(("manufacturer", "bank", "promotions")), receiver=locations, n=some)
    def comes(self, giver: str, receiver: str, n: int) -> None:
        """Pieces come from outside."""
        paper = WORTHLESS[n % 2]
        kind = {"manufacturer": CHIP, "bank": NOTE}.get(giver, paper)
        self.issue(giver, receiver, Pieces({kind: n * 20}))

    @rule(
        giver=locations, receiver=locations, out=st.booleans(), kind=st.sampled_from((NOTE, CHIP, *WORTHLESS)), n=some
    )
    def issues(self, giver: str, receiver: str, out: bool, kind: str, n: int) -> None:
        """Pieces leave where they lie; nobody gives what is not there by the books, whatever lies there."""
        to = {NOTE: "bank", CHIP: "destruction"}.get(kind, "promotions") if out else receiver
        pieces = Pieces({kind: n})
        if giver == to:
            return
        has = self.in_vault[kind] >= n if giver == "vault" else self.book[giver] >= money(pieces)
        if not has:
            before = len(self.of_desks())
            wanted = {"giver": giver, "receiver": to, "contents": contents(pieces)}
            refused = self.desk.send(f"{AT_CAGE}/transfers", wanted, person="cage.ann")
            assert (409, True) == (refused.status_code, "does not hold that by its books" in refused.text)
            assert ["command.refused"] == self.of_desks()[before:]
            self.played["refused"] += 1
        elif self.lies[giver][kind] >= n:
            self.issue(giver, to, pieces)

    def issue(self, giver: str, receiver: str, pieces: Pieces) -> None:
        """Pieces are in transit."""
        wanted = {"giver": giver, "receiver": receiver, "contents": contents(pieces)}
        number = self.does(f"{AT_CAGE}/transfers", wanted, "cage.ann")["transfer"]
        self.passes(giver, pieces, -1)
        self.under_way[number] = (giver, receiver, pieces)

    def passes(self, name: str, pieces: Pieces, sign: int) -> None:
        """Pieces come to a location or the bank, or leave it, and that is recorded."""
        moved = Pieces({kind: sign * count for kind, count in pieces.items()})
        if name == "bank":
            self.bank += money(moved)
        if name in LOCATIONS:
            self.lies[name].update(moved)
            self.book[name] += money(moved)
            self.chips_pass(name, moved[CHIP])
            if name == "vault":
                self.in_vault.update(moved)

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
        self.passes(receiver if arrives else giver, pieces, 1)
        if arrives:
            self.put_in += pieces[CHIP] * ((giver == "manufacturer") - (receiver == "destruction"))

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
        self.lies["cage"][CHIP] += n if back else -n
        self.tray -= n if back else -n
        cents = n * EACH[CHIP]
        if back:
            self.book["cage"] += cents
        elif late:
            self.untold += cents
        else:
            self.book["cage"] -= cents
        if late:
            self.chips_untold += n
        else:
            self.chips_pass("cage", n if back else -n)
            self.tray_known -= n if back else -n

    @rule(
        window=st.sampled_from(("drawer-1", "cage")),
        n=some,
        kind=st.sampled_from(sorted(EXCHANGED)),
        by_check=st.booleans(),
    )
    def serves(self, window: str, n: int, kind: str, by_check: bool) -> None:
        """A patron brings something to a window or gets something there; a check that is paid out is the bank's."""
        comes, leaves = EXCHANGED[kind]
        comes = CHECK if by_check and comes == NOTE else comes
        is_of_bank = by_check and leaves == NOTE
        leaves = None if is_of_bank else leaves
        where, each = self.lies[window], {CHIP: 20 * n}
        if leaves is not None and where[leaves] < each.get(leaves, n):
            return
        medium = "instrument" if by_check else "currency"
        moved = {"property": PROPERTY, "window": window, "patron": "p-1", "kind": kind, "medium": medium}
        number = self.does("/cage-movements", moved | {"cents": n * 100_00}, "cage.ann")["number"]
        self.played[f"{kind} by {medium}"] += 1
        if n % 7 == 0:
            self.does(f"/cage-movements/{PROPERTY}/{number}/void", {"reason": "another patron"}, "cage.bob")
            return
        self.bank -= n * 100_00 if is_of_bank else 0
        for piece, sign in ((comes, 1), (leaves, -1)):
            if piece is not None:
                where[piece] += sign * each.get(piece, n)
                self.book[window] += sign * n * 100_00
                self.elsewhere -= sign * each[CHIP] if piece == CHIP else 0

    @precondition(lambda self: self.tray >= OWED_CENTS // EACH[CHIP])
    @rule()
    def owes(self) -> None:
        """The table gives a patron chips for a counter check, which nobody pays: two people write it off."""
        serial, people = f"K-{len(self.written_off)}", {"dealer": "dealer.dan", "floorperson": "floor.fay"}
        self.pit(self.table.event("counter_check.issued", self.now(), serial=serial, cents=OWED_CENTS, **people))
        self.tray -= OWED_CENTS // EACH[CHIP]
        self.elsewhere += OWED_CENTS // EACH[CHIP]
        lost = {"serial": serial, "write_off_kind": "uncollectible", "cents": OWED_CENTS, "reason": "bankrupt"}
        number = self.does(WRITE_OFFS, lost, "credit.una")["check_write_off"]
        self.does(f"{WRITE_OFFS}/{number}/approve", None, "boss.cal")
        self.written_off[number] = OWED_CENTS

    @precondition(lambda self: any(self.written_off.values()))
    @rule(n=st.integers(1, 3), paid_in=st.sampled_from(("currency", "chips", "check", "deposit")))
    def recovers(self, n: int, paid_in: str) -> None:
        """Something of what was written off is paid; the check of a deposit lies with the bank."""
        number = next(number for number, cents in sorted(self.written_off.items()) if cents)
        n = min(n, self.written_off[number] // 100_00)
        paid = {"cents": n * 100_00, "paid_in": paid_in}
        step = self.does(f"{WRITE_OFFS}/{number}/recover", paid, "cage.ann")["step"]
        self.recoveries[step] = (number, paid_in, n)
        self.recovered(number, paid_in, n)

    def recovered(self, number: int, paid_in: str, n: int) -> None:
        """So many hundreds were recovered; negative: they were not."""
        self.written_off[number] -= n * 100_00
        kind = {"currency": NOTE, "chips": CHIP, "check": CHECK}.get(paid_in)
        if kind is not None:
            count = n * (100_00 // EACH[kind])
            self.lies["cage"][kind] += count
            self.book["cage"] += n * 100_00
            self.elsewhere -= count if kind == CHIP else 0

    @precondition(lambda self: self.recoveries)
    @rule(which=st.integers(0, 5), cleared=st.booleans())
    def ends_recovery(self, which: int, cleared: bool) -> None:
        """A bank pays what it was paid by, or does not; what was entered by mistake is void."""
        steps = sorted(self.recoveries)
        step = steps[which % len(steps)]
        number, paid_in, n = self.recoveries[step]
        kind = {"currency": NOTE, "chips": CHIP}.get(paid_in)
        how = "void" if kind is not None else "clear" if cleared else "return"
        if kind is not None and self.lies["cage"][kind] < n * 100_00 // EACH[kind]:
            return
        del self.recoveries[step]
        why = {} if how == "clear" else {"reason": "no funds, or another patron's"}
        self.does(f"/counter-checks/{PROPERTY}/redemptions/{step}/{how}", why, "cage.bob")
        if how != "clear":
            self.recovered(number, paid_in, -n)

    @rule(location=locations, n=st.integers(-3, 3), kind=st.sampled_from((NOTE, CHIP)))
    def vanishes(self, location: str, n: int, kind: str) -> None:
        """Pieces vanish, or turn up; nobody records it."""
        n = min(n, self.lies[location][kind])
        self.lies[location][kind] -= n
        self.gone[location] += EACH[kind] * n
        self.elsewhere += n if kind == CHIP else 0

    @rule(location=locations, rejected=st.booleans())
    def counts(self, location: str, rejected: bool) -> None:
        """A location is counted; perhaps the first count is rejected."""
        if rejected:
            number = self.entered(location, Pieces({NOTE: 1}))
            self.does(f"{AT_CAGE}/counts/{number}/reject", {"reason": "a strap was closed"}, "cage.bob")
        self.count(location)

    def entered(self, location: str, pieces: Pieces) -> int:
        """One person counts a location."""
        found = contents(pieces)
        counted = {"location": location, "contents": found, "cashier": "cage.ann", "is_empty": not found}
        number: int = self.does(f"{AT_CAGE}/counts", counted, "cage.ann")["count"]
        return number

    def count(self, location: str) -> dict[str, Any]:
        """Two people count a location."""
        number = self.entered(location, self.lies[location])
        why = {"reason": "counted twice"}
        self.book[location] = money(self.lies[location])
        self.chips_known[location] = self.lies[location][CHIP]
        if location == "vault":
            self.in_vault = self.lies[location].copy()
        return self.does(f"{AT_CAGE}/counts/{number}/verify", why, "cage.bob")

    @rule(which=st.integers(0, 50))
    def asks_again(self, which: int) -> None:
        """A command is sent again under its key: the answer is the same, and nothing happens."""
        path, body, person, key = self.sent[-1 - which % len(self.sent)]
        before = self.of_desks()
        self.desk.done(path, body, person=person, key=key)
        assert before == self.of_desks()

    def of_desks(self) -> list[str]:
        """The kinds of what was recorded, without what the service states of a table's win in its own time."""
        return [entry.draft.kind for entry in self.desk.entries() if entry.draft.kind != "win.stated"]

    @precondition(lambda self: self.withheld)
    @rule()
    def tells(self) -> None:
        """The pit tells of what it kept back, twice."""
        told = self.told()
        self.desk.pit(*told)
        self.desk.pit(*told)
        self.played["told twice"] += 1

    @rule()
    def restarts(self) -> None:
        """The process that reads the pit ends, and another one goes on."""
        self.desk.desk.restart()
        self.both.publish()

    @invariant()
    def every_chip_is_somewhere(self) -> None:
        """After each step the sheet has chips where they were counted, or taken since; all others are outstanding."""
        [row] = rows_of(self.both.report("cage-accountability"), "float")
        under_way = sum(pieces[CHIP] for giver, _, pieces in self.under_way.values() if giver != "manufacturer")
        at_cage = sum(self.chips_known.values())
        outstanding = IN_SERVICE + self.put_in - at_cage - self.tray_known - under_way
        assert (self.put_in, at_cage, self.tray_known, under_way, outstanding) == tuple(
            row[name] for name in ("put_in", "at_cage", "at_tables", "in_transit", "outstanding")
        )

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
        assert self.bank == balances.get(("", "bank", "outside"), 0)
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
        [row] = rows_of(report, "float")
        waits = sum(pieces[CHIP] for giver, _, pieces in self.under_way.values() if giver != "manufacturer")
        names = ("brought_forward", "put_in", "at_cage", "at_tables", "in_transit", "outstanding")
        assert (IN_SERVICE, self.put_in, there[CHIP], self.tray, waits, self.elsewhere) == tuple(
            row[name] for name in names
        )
        [checks] = rows_of(report, "counter_checks")
        lost = len(self.written_off) * OWED_CENTS
        assert (lost, lost - sum(self.written_off.values()), 0) == tuple(
            checks[name] or 0 for name in ("written_off_cents", "recovered_cents", "closing_cents")
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
    assert {"transfers", "receive", "verify", "refused", "recover"} <= played.keys()
    assert any(played[f"{kind} by instrument"] for kind, (_, leaves) in EXCHANGED.items() if leaves == NOTE), played
