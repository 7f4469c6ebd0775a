"""What a casino has besides its tables: rated patrons, counter checks on credit lines, and a cage with a vault.

All of it is written on sheets as it happens, piece by piece; what reports should say is added up from these alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from fractions import Fraction
from itertools import count
from random import Random
from typing import Any, Final

from openpyxl import Workbook

from tests.integration.table_inventory.test_check_collection import written_off
from tests.integration.table_inventory.test_credit_lines import CHECKS, CREDIT, RULES, granted, prepared
from tests.integration.table_inventory.test_locations import AT_CAGE, LOCATIONS, SETS, currency, house
from tests.support.pit import PROPERTY, InventoryDesk, at
from tests.support.ratings import TERMS, RatedTable

CHIP_CENTS: Final = 25_00
NOTE_CENTS: Final = 100_00
CHECK_CENTS: Final = 1_000_00
BROUGHT_FORWARD: Final = 100_000
IN_SERVICE: Final = 200_000
"""Chips in service, of which the cage has so many after each day:"""
AT_CAGE_CHIPS: Final = 20_000
EDGES: Final = {"blackjack": "0.5", "craps": "1.41", "roulette": "5.26", "minibaccarat": "1.06", "big-six": "15"}
DECISIONS: Final = 60
SETTINGS: Final[Mapping[str, Any]] = {
    **RULES,
    "cage_locations": LOCATIONS,
    "chip_sets": SETS,
    "rated_games": [{"game": game, "terms": [TERMS | {"house_edge": edge}]} for game, edge in EDGES.items()],
}
"""What the document of the property has besides its tables."""

CREDIT_COLUMNS: Final = ("day", "serial", "step", "cents")
CAGE_COLUMNS: Final = ("day", "location", "step", "chips", "notes")
RATED_COLUMNS: Final = ("day", "patron", "game", "seconds", "decisions", "bet")
Row = Mapping[str, Any]


@dataclass
class BesideTables:
    """The people at the desks of a day, the sheets, and the pieces that lie at the cage and in the vault."""

    inventory: InventoryDesk
    random: Random
    book: Workbook
    _rated: dict[str, RatedTable] = field(default_factory=dict)
    _lies: dict[str, list[int]] = field(default_factory=lambda: {"cage": [0, 0], "vault": [0, 0]})
    _owing: list[str] = field(default_factory=list)
    _paid: Any = field(default_factory=count)

    def __post_init__(self) -> None:
        """Begin the sheets."""
        for name, columns in (("credit", CREDIT_COLUMNS), ("cage", CAGE_COLUMNS), ("rated", RATED_COLUMNS)):
            self.book.create_sheet(name).append(columns)

    def write(self, sheet: str, day: date, *cells: Any) -> None:
        """Write a row on a sheet."""
        self.book[sheet].append((f"{day}", *cells))

    # --- credit ---

    def prepare(self, day: date, serial: str, table: str) -> None:
        """Give a patron a credit line, and prepare a counter check within it."""
        granted(self.inventory, CHECK_CENTS, f"p-{serial}")
        self.inventory.done(f"{CREDIT}/checks", prepared(serial, CHECK_CENTS, f"p-{serial}", table), person="pit.kai")
        self.write("credit", day, serial, "issued", CHECK_CENTS)
        self._owing.append(serial)

    def collect(self, day: date) -> None:
        """Patrons pay their checks in every way, or do not."""
        for serial in self._owing:
            match next(self._paid) % 5:
                case 0:
                    self._redeem(day, serial, CHECK_CENTS, "currency")
                case 1:
                    self._redeem(day, serial, CHECK_CENTS // 2, "chips")
                case 2:
                    self._settle_deposit(day, serial, "clear", {})
                case 3:
                    self._settle_deposit(day, serial, "return", {"reason": "no funds"})
                    self._lose(day, serial)
        self._owing.clear()

    def _redeem(self, day: date, serial: str, cents: int, paid_in: str) -> int:
        body = {"cents": cents, "paid_in": paid_in}
        step: int = self.inventory.done(f"{CHECKS}/{serial}/redeem", body, person="cage.ann")["step"]
        self.write("credit", day, serial, "deposited" if paid_in == "deposit" else "redeemed", cents)
        if paid_in != "deposit":
            of_chips = paid_in == "chips"
            pieces = (cents // CHIP_CENTS, 0) if of_chips else (0, cents // NOTE_CENTS)
            self._move(day, "cage", "from_patrons", *pieces)
        return step

    def _settle_deposit(self, day: date, serial: str, how: str, why: Mapping[str, str]) -> None:
        step = self._redeem(day, serial, CHECK_CENTS, "deposit")
        self.inventory.done(f"{CHECKS}/redemptions/{step}/{how}", dict(why), person="cage.bob")
        if how == "return":
            self.write("credit", day, serial, "returned", CHECK_CENTS)

    def _lose(self, day: date, serial: str) -> None:
        """Four tenths are written off, one of them is recovered; three more are paid."""
        part = CHECK_CENTS // 10
        number = written_off(self.inventory, serial, 4 * part)
        self.write("credit", day, serial, "written_off", 4 * part)
        recovered = {"cents": part, "paid_in": "currency"}
        self.inventory.done(f"/check-write-offs/{PROPERTY}/{number}/recover", recovered, person="cage.ann")
        self.write("credit", day, serial, "recovered", part)
        self._move(day, "cage", "from_patrons", 0, part // NOTE_CENTS)
        self._redeem(day, serial, 3 * part, "currency")

    # --- cage ---

    def begin(self, day: date) -> None:
        """Chips came and come into service, money comes from the bank; both places are counted for the first time."""
        before = {"gaming_day": f"{day}", "contents": _pieces(BROUGHT_FORWARD, 0), "source": "chip inventory ledger"}
        self.inventory.done(f"/chips-in-service/{PROPERTY}", before, person="audit.kim")
        self.inventory.done(f"/chips-in-service/{PROPERTY}/1/approve", person="control.eve")
        self._pass(day, "manufacturer", "vault", IN_SERVICE, 0)
        self._pass(day, "vault", "cage", AT_CAGE_CHIPS, 0)
        self._pass(day, "bank", "cage", 0, 2_000)
        for place in self._lies:
            self._count(day, place)

    def fill(self, day: date, cents: int) -> None:
        """The cage sent chips to a table."""
        self._move(day, "cage", "to_tables", -(cents // CHIP_CENTS), 0)

    def end(self, day: date, found_cents: int) -> None:
        """What the count room found comes into the vault; the cage gets chips, gives notes, is a note over or short."""
        self._pass(day, "count_room", "vault", 0, found_cents // NOTE_CENTS)
        filled = AT_CAGE_CHIPS - self._lies["cage"][0]
        if filled > 0:
            self._pass(day, "vault", "cage", filled, 0)
        self._pass(day, "cage", "vault", 0, self.random.randint(1, 50))
        self._lies["cage"][1] += self.random.choice((-1, 1))
        for place in self._lies:
            self._count(day, place)

    def _pass(self, day: date, giver: str, receiver: str, chips: int, notes: int) -> None:
        contents = _pieces(chips, notes)
        wanted = {"giver": giver, "receiver": receiver, "contents": contents}
        number = self.inventory.done(f"{AT_CAGE}/transfers", wanted, person="cage.ann")["transfer"]
        self.inventory.done(f"{AT_CAGE}/transfers/{number}/receive", person="cage.bob")
        if giver in self._lies:
            self._move(day, giver, "issued", -chips, -notes)
        if receiver in self._lies:
            self._move(day, receiver, "received", chips, notes)

    def _move(self, day: date, place: str, step: str, chips: int, notes: int) -> None:
        self._lies[place][0] += chips
        self._lies[place][1] += notes
        self.write("cage", day, place, step, chips, notes)

    def _count(self, day: date, place: str) -> None:
        contents = _pieces(*self._lies[place])
        counted = {"location": place, "contents": contents, "cashier": "cage.ann", "is_empty": not contents}
        number = self.inventory.done(f"{AT_CAGE}/counts", counted, person="cage.ann")["count"]
        self.inventory.done(f"{AT_CAGE}/counts/{number}/verify", {"reason": "counted twice"}, person="cage.bob")
        self.write("cage", day, place, "counted", *self._lies[place])

    # --- ratings ---

    def rate(self, day: date, hours: float, tables: Mapping[str, Mapping[str, Any]]) -> None:
        """A system rates patrons at some tables; the last of them at the desk, with a bet that a supervisor puts right.

        The round of a table that reports rounds is closed six hours after the day began.
        """
        names = self.random.sample(sorted(tables), 6)
        for name in names[:-1]:
            said, patron, bet = tables[name], f"p-{day}-{name}", 5_00 * self.random.randint(1, 60)
            until, pause = self.random.randint(4 * 3600, 7 * 3600), self.random.randint(60, 3600)
            begins, two, ends = at(hours + 1), at(hours + 2), at(hours + 1 + until / 3600)
            again = at(hours + 2 + pause / 3600)
            rated = self._rated.setdefault(name, RatedTable(name))
            rating = f"R-{day}-{name}"
            self.inventory.rate(
                rated.opened(begins, rating, patron, average_bet_cents=bet),
                rated.event("paused", two, rating),
                rated.event("resumed", again, rating),
                rated.event("closed", ends, rating),
            )
            seconds = round((ends - begins - (again - two)).total_seconds())
            counted = said.get("play") == "counted"
            played = Fraction(DECISIONS * seconds, 3600) if counted else int(begins < at(hours + 6) <= ends)
            self.write("rated", day, patron, said.get("game", "blackjack"), seconds, str(played), bet)
        self._rate_at_desk(day, hours, names[-1], tables[names[-1]])

    def _rate_at_desk(self, day: date, hours: float, name: str, said: Mapping[str, Any]) -> None:
        patron, path = f"p-{day}-{name}", f"/ratings/{PROPERTY}"
        self.inventory.clock.now = at(hours + 9)
        opening = {"property": PROPERTY, "table": name, "patron": patron, "average_bet_cents": 500_00}
        rating = self.inventory.done("/ratings", opening, person="floor.fay")["rating"]
        self.inventory.clock.now = at(hours + 11)
        self.inventory.done(f"{path}/{rating}/close", {}, person="floor.fay")
        right = {"step": "desk/1", "instead": {"average_bet_cents": 50_00}, "reason": "a zero too many"}
        self.inventory.done(f"{path}/{rating}/overrule", right, person="floor.sup")
        played = Fraction(DECISIONS * 2) if said.get("play") == "counted" else 0
        self.write("rated", day, patron, said.get("game", "blackjack"), 7200, str(played), 50_00)


def _pieces(chips: int, notes: int) -> list[dict[str, Any]]:
    return [*([house(CHIP_CENTS, chips)] if chips else []), *(currency(notes) if notes else [])]


def _cents(row: Row) -> int:
    worth: int = row["chips"] * CHIP_CENTS + row["notes"] * NOTE_CENTS
    return worth


def expected_ratings(rated: Iterable[Row], day: date) -> dict[str, tuple[int, int, int]]:
    """Return the seconds, the average bet and the theoretical win of each patron who was rated on a gaming day."""
    return {
        row["patron"]: (
            row["seconds"],
            row["bet"],
            round(row["bet"] * Fraction(row["decisions"]) * Fraction(EDGES[row["game"]]) / 100),
        )
        for row in rated
        if row["day"] == f"{day}"
    }


def expected_credit(credit: Sequence[Row], day: date) -> dict[str, int]:
    """Return what was owed on counter checks before a gaming day, what changed it, and what was owed after it."""

    def of(step: str, rows: Iterable[Row]) -> int:
        return sum(row["cents"] for row in rows if row["step"] == step)

    def owed(rows: Sequence[Row]) -> int:
        came, left = ("issued", "returned"), ("redeemed", "deposited", "written_off")
        return sum(of(step, rows) for step in came) - sum(of(step, rows) for step in left)

    today = [row for row in credit if row["day"] == f"{day}"]
    before = owed([row for row in credit if row["day"] < f"{day}"])
    steps = ("issued", "returned", "redeemed", "deposited", "written_off", "recovered")
    return {"opening": before, **{step: of(step, today) for step in steps}, "closing": before + owed(today)}


def expected_owing(credit: Iterable[Row], day: date) -> dict[str, tuple[int, int]]:
    """Return the age in days and the amount of each check on which something is owed at the end of a gaming day."""
    left: dict[str, int] = {}
    issued: dict[str, date] = {}
    for row in credit:
        if row["day"] > f"{day}" or row["step"] == "recovered":
            continue
        sign = 1 if row["step"] in ("issued", "returned") else -1
        left[row["serial"]] = left.get(row["serial"], 0) + sign * row["cents"]
        issued.setdefault(row["serial"], date.fromisoformat(row["day"]))
    return {serial: ((day - issued[serial]).days, cents) for serial, cents in left.items() if cents}


def expected_cage(cage: Sequence[Row], place: str, day: date) -> dict[str, int]:
    """Return what lay at a place before a gaming day, what came and went, what was over or short, and was counted."""
    here = [row for row in cage if row["location"] == place]
    counts = [row for row in here if row["step"] == "counted" and row["day"] <= f"{day}"]
    before = [row for row in counts if row["day"] < f"{day}"]
    steps = ("received", "issued", "to_tables", "from_patrons")
    found = {step: sum(_cents(row) for row in here if row["step"] == step and row["day"] == f"{day}") for step in steps}
    found |= {"before": _cents(before[-1]) if before else 0, "counted": _cents(counts[-1])}
    return found | {"over_short": 2 * found["counted"] - sum(found.values())}


def chips_at_cage(cage: Iterable[Row], day: date) -> int:
    """Return how many chips lay at the cage and in the vault by the last counts up to a gaming day."""
    last = {row["location"]: row["chips"] for row in cage if row["step"] == "counted" and row["day"] <= f"{day}"}
    return sum(last.values())
