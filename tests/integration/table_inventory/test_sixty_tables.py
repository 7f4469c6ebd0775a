"""A casino of sixty tables, forty of them counted, with ratings, credit and a cage: no false case.

Every figure is that of a spreadsheet, which is made of what was counted, by hand as it were: it knows no window, no
movement and no statement.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any, Final

import pytest
from openpyxl import Workbook, load_workbook

from services.reporting.reports import REPORTS
from shared.runtime.http.roles import READ_REPORTS
from tests.integration.table_inventory.beside_tables import (
    BROUGHT_FORWARD,
    CHIP_CENTS,
    IN_SERVICE,
    SETTINGS,
    BesideTables,
    chips_at_cage,
    expected_cage,
    expected_credit,
    expected_owing,
    expected_ratings,
)
from tests.integration.table_inventory.day import PAPER
from tests.integration.table_inventory.second_ledger import SecondLedger
from tests.support import Databases
from tests.support.nightly import most_at_night
from tests.support.pit import DAY, PROPERTY, Rounds, Table, at, chips
from tests.support.properties import property_event
from tests.support.twins import LATER, World, world_of

PEOPLE: Final = {"dealer": "dealer.dan", "floorperson": "floor.fay"}
FIRST: Final = date.fromisoformat(DAY)
COMPARED: Final = 7
"""Of so many days every report is compared, of all of them the books."""
OVER_CENTS: Final = 1_000_00
COLUMNS: Final = ("day", "table", "play", "opener", "fills", "credits", "closer", "currency", "checks", "tips")
WORKED: Final = ("day", "dealer", "minutes")
DEALERS: Final = tuple(f"dealer.{number:02}" for number in range(1, 8))
GAMES: Final = (("CR", "craps"), ("RL", "roulette"), ("MB", "minibaccarat"), ("BS", "big-six"))


def tables() -> dict[str, dict[str, Any]]:
    """Twenty tables that report rounds; of each other game ten that are counted, and report some of their sales."""
    found: dict[str, dict[str, Any]] = {f"BJ-{number:02}": {} for number in range(1, 21)}
    for place, (name, game) in enumerate(GAMES):
        sales = ("each", "over", "none", "none")[place]
        for number in range(1, 11):
            found[f"{name}-{number:02}"] = {"game": game, "play": "counted", "sales": sales}
    return found


TABLES: Final = tables()
_OF_A_DAY: Final = [name for name, report in REPORTS.items() if "day" in report.periods]


@pytest.fixture
def world(databases: Databases) -> Iterator[World]:
    """Table inventory, vigorish and reporting of a property with these tables."""
    with world_of(databases) as found:
        for desk, sequence in ((found.inventory.desk, 3), (found.books.desk, 4), (found.vigorish, 2)):
            said = {"tips_pool": {"period": "day"}, **SETTINGS}
            desk.feed("properties", property_event(PROPERTY, TABLES, sequence=sequence, version=3, **said))
        yield found


@dataclass
class Casino:
    """The tables, what lies in their trays, and the sheet on which somebody writes what was counted."""

    world: World
    random: Random

    def __post_init__(self) -> None:
        self.streams = {name: Table(name) for name in TABLES}
        self.tray = {name: CHIP_CENTS * self.random.randint(320, 800) for name in TABLES}
        self.rounds, self.paper = Rounds(), 5000
        self.book = Workbook()
        assert self.book.active is not None
        self.sheet = self.book.active
        self.sheet.append(COLUMNS)
        self.worked = self.book.create_sheet("worked")
        self.worked.append(WORKED)
        self.beside = BesideTables(self.world.inventory, self.random, self.book)

    def play(self, day: date, hours: float) -> None:
        """Play a day of all tables, have its boxes counted by two people, and its win stated; then close the cage."""
        self.world.inventory.clock.now = at(hours)
        if day == FIRST:
            self.beside.begin(day)
        boxes = [self._play_table(name, day, hours) for name in TABLES]
        self.beside.rate(day, hours, TABLES)
        self.world.inventory.clock.now = at(hours + 12)
        desk = self.world.inventory.desk
        path = f"/drop-counts/{PROPERTY}"
        opened = desk.post("/drop-counts", {"property": PROPERTY, "gaming_day": f"{day}"}, person="count.sue").json()
        for name, exchange, figures in boxes:
            for person in ("count.sue", "count.tom"):
                body = {"table": name, "exchange": exchange, "figures": figures}
                assert desk.post(f"{path}/{opened['count']}/boxes", body, person=person).is_success
        self.world.inventory.done(f"{path}/{opened['count']}/conclude", person="count.sue")
        self.world.inventory.clock.now = at(hours + 13)
        self.beside.collect(day)
        notes = (note for _, _, figures in boxes for note in figures["currency"])
        self.beside.end(day, sum(note["cents"] * note["count"] for note in notes))
        self.world.inventory.clock.now = at(hours + 23)  # the pool's gaming day is over
        self._share_tips(day)
        self.world.inventory.state()
        self.world.inventory.state_ratings()

    def _share_tips(self, day: date) -> None:
        """Two people agree on the hours of the dealers, who share what was collected."""
        minutes = {dealer: self.random.randint(60, 600) for dealer in DEALERS}
        for dealer, worked in minutes.items():
            self.worked.append((f"{day}", dealer, worked))
        hours = [{"dealer": dealer, "minutes": worked} for dealer, worked in minutes.items()]
        path = f"/tip-hours/{PROPERTY}/{day}"
        self.world.inventory.done(path, {"hours": hours, "reason": "the time clock"}, person="audit.kim")
        self.world.inventory.done(f"{path}/1/approve", person="control.eve")

    def _play_table(self, name: str, day: date, hours: float) -> tuple[str, int, dict[str, Any]]:
        stream, said = self.streams[name], TABLES[name]
        stream.day = f"{day}"
        opener, won = self.tray[name], CHIP_CENTS * self.random.randint(-60, 100)
        sold = [100_00 * self.random.randint(1, 25) for _ in range(self.random.randint(1, 3))]
        checks = 1_000_00 if self.random.random() < 0.2 else 0
        fill = 12_000_00 if opener < 10_000_00 else 0
        closer = opener + fill - sum(sold) - checks + won
        events = [stream.opened(at(hours), chips(c2500=opener // CHIP_CENTS), game=said.get("game", "blackjack"))]
        if checks:
            serial = f"CC-{day}-{name}"
            self.beside.prepare(day, serial, name)
            check = {"serial": serial, "cents": checks, **PEOPLE}
            events.append(stream.event("counter_check.issued", at(hours + 0.5), **check))
        reported = [cents for cents in sold if _is_reported(said.get("sales", "each"), cents)]
        events += [stream.sold(at(hours + 1 + number / 10), cents) for number, cents in enumerate(reported)]
        events += stream.box_off(at(hours + 7.6), f"{name}-{day}", f"{name}-{day + timedelta(days=1)}")
        exchange, tips = stream.sequence - 1, self.random.randint(1, 90_00)
        collected = {"cents": tips, "collected_by": "tips.jo", "observed_by": "floor.fay"}
        events.append(stream.event("tips.collected", at(hours + 7.8), **collected))
        if said.get("play") != "counted":
            won_by_rounds = {"handle": 10_000_00, "payout": 10_000_00 - won}
            round_id = f"r-{day}-{name}"
            posted = self.rounds.posted(stream, at(hours + 6), round_id, **won_by_rounds)
            self.world.inventory.settle(posted)
            self.world.books.desk.feed("settlements", posted)
        if fill:
            self.paper += 1
            slip = {
                "table": name,
                "gaming_day": f"{day}",
                "number": self.paper,
                "contents": chips(c2500=fill // CHIP_CENTS),
            }
            self.world.inventory.clock.now = at(hours + 3.5)
            entered = PAPER | slip | {"occurred_at": at(hours + 3).isoformat()}
            assert self.world.inventory.desk.post("/manual-slips", entered, person="cage.bob").is_success
            self.beside.fill(day, fill)
        self.world.pit(*events, stream.closed(at(hours + 8), chips(c2500=closer // CHIP_CENTS)))
        self.tray[name] = closer
        row = (f"{day}", name, said.get("play", "rounds"), opener, fill, 0, closer, sum(sold), checks, tips)
        self.sheet.append(row)
        notes = [{"cents": 100_00, "count": sum(sold) // 100_00}]
        figures: dict[str, Any] = {"currency": notes}
        if checks:
            figures["counter_checks"] = [{"serial": f"CC-{day}-{name}", "cents": checks}]
        return name, exchange, figures

    def written(self, path: Path) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of each sheet as they are read again from their file: of the counts, the hours, and more."""
        self.sheet.title = "counted"
        self.book.save(path)
        return {one.title: _named(list(one.iter_rows(values_only=True))) for one in load_workbook(path).worksheets}

    def report(self, name: str, day: date) -> dict[str, Any]:
        """Return a report of a gaming day."""
        person = "audit.kim" if REPORTS[name].role == READ_REPORTS else "cage.lou"
        path = f"/reports/{name}?property={PROPERTY}&gaming_day={day}&known_at={LATER}"
        answer = self.world.books.get(f"{path}&period={REPORTS[name].periods[0]}", person=person)
        assert answer.status_code == 200, (name, answer.text)
        content: dict[str, Any] = answer.json()["content"]
        return content

    def seal(self, day: date) -> dict[str, Any]:
        """Three people close a gaming day of which nothing is to be resolved."""
        path, desk = f"/gaming-days/{PROPERTY}/{day}", self.world.inventory
        desk.done(f"{path}/preliminary", {}, person="audit.kim")
        desk.done(f"{path}/audited", person="audit.lou")
        report: dict[str, Any] = desk.done(f"{path}/final", person="control.eve")["report"]
        return report


def _named(sheet: list[tuple[Any, ...]]) -> list[dict[str, Any]]:
    header, *rows = sheet
    return [dict(zip(map(str, header), row, strict=True)) for row in rows]


def _is_reported(sales: str, cents: int) -> bool:
    return sales == "each" or (sales == "over" and cents > OVER_CENTS)


def _win(row: dict[str, Any]) -> int:
    """The formula of § 601a.9, as a cell of the sheet would have it."""
    drop: int = row["currency"] + row["checks"]
    won: int = row["closer"] + row["credits"] + drop - row["opener"] - row["fills"]
    return won


def _rows(content: dict[str, Any], name: str) -> list[dict[str, Any]]:
    [section] = [one for one in content["sections"] if one["name"] == name]
    rows: list[dict[str, Any]] = section["rows"]
    return rows


@pytest.mark.timeout(1800)  # a month of people at their desks, one after the other
@pytest.mark.parametrize("days", most_at_night((1, 30), but={1}))
def test_sixty_tables_of_which_forty_are_counted(world: World, tmp_path: Path, days: int) -> None:
    """No case, every identity, and reports, tax and books that equal the spreadsheet; each day is sealed."""
    casino = Casino(world, Random(46))
    dates = [FIRST + timedelta(days=number) for number in range(days)]
    for number, day in enumerate(dates):
        casino.play(day, 24.0 * number)
        assert [] == world.inventory.variances(f"{day}")
        assert [] == world.inventory.read(f"/gaming-days/{PROPERTY}/{day}/follow-ups")["items"]
        world.inventory.clock.now = at(24.0 * (number + 1))
        casino.seal(day)
    world.publish()
    sheets = casino.written(tmp_path / "counted.xlsx")
    sheet, worked = sheets["counted"], sheets["worked"]
    for day in dates[:COMPARED]:
        _compare_beside(casino, day, sheets)
        of_day = [row for row in sheet if row["day"] == f"{day}"]
        _compare_day(casino, day, of_day)
        _compare_tips(casino, day, of_day, {row["dealer"]: row["minutes"] for row in worked if row["day"] == f"{day}"})
    _compare_books(world, sheet, casino.tray)
    _compare_ledger(casino, dates, sheet, tmp_path)


def _compare_day(casino: Casino, day: date, sheet: list[dict[str, Any]]) -> None:
    expected = {row["table"]: (row["play"], row["opener"], row["closer"], _win(row)) for row in sheet}
    said = {
        row["table"]: (row["play"], row["opener_cents"], row["closer_cents"], row["win_cents"])
        for row in _rows(casino.report("master-game", day), "tables")
    }
    assert expected == said
    summary = casino.report("drop-and-win", day)
    explained = {
        row["table"]: (row["counted_win_cents"], row["unexplained_cents"]) for row in _rows(summary, "differences")
    }
    assert {row["table"]: (_win(row) if row["play"] == "counted" else 0, 0) for row in sheet} == explained
    _compare_shifts(casino, day, sheet)
    won, tax = sum(map(_win, sheet)), casino.report("tax", day)
    assert [won] == [row["revenue_cents"] for row in _rows(tax, "days") if row["revenue_class"] == "banking"]
    layers = [row for row in _rows(tax, "layers") if row["amount_cents"] is not None]
    assert layers
    for layer in layers:
        rate = Fraction(layer["rate"].removesuffix("%")) / (100 if "%" in layer["rate"] else 1)
        due = 0 if layer["layer"] == "fully_automated_tax" else won  # none of the tables is
        assert (due, round(due * rate)) == (layer["base_cents"], layer["amount_cents"]), layer
    variances = casino.report("count-variances", day)
    assert [] == [row for name in ("inventories", "boxes") for row in _rows(variances, name) if row["variance_cents"]]
    exceptions = casino.report("exceptions", day)
    assert "variance" not in {row["kind"] for name in ("open", "over") for row in _rows(exceptions, name)}
    not_settled = {row["table"] for row in _rows(casino.report("win-as-settled", day), "not_settled")}
    assert {row["table"] for row in sheet if row["play"] == "counted"} == not_settled
    identities = [one for name in _OF_A_DAY for one in casino.report(name, day)["identities"]]
    broken = {one["name"]: one["left"] - one["right"] for one in identities if not one["holds"]}
    assert 20 == broken.pop("open tables"), "those that report rounds have filed no rules here"
    assert set(broken) <= {"handle and lines", "payout and lines"}, broken  # the rounds here have no lines


def _compare_beside(casino: Casino, day: date, sheets: dict[str, list[dict[str, Any]]]) -> None:
    """Ratings, what patrons owe, and the cage: each row of a report is that of the sheets, and none is missing."""
    rated = _rows(casino.report("ratings", day), "ratings")
    names = ("seconds", "average_bet_cents", "theoretical_win_cents")
    assert expected_ratings(sheets["rated"], day) == {
        row["patron"]: tuple(row[name] for name in names) for row in rated
    }
    assert {None} == {row["problems"] for row in rated}
    owed, credit = expected_credit(sheets["credit"], day), casino.report("credit-activity", day)
    assert [owed] == [{name: row[f"{name}_cents"] or 0 for name in owed} for row in _rows(credit, "days")]
    issued = {row["serial"] for row in sheets["credit"] if (row["day"], row["step"]) == (f"{day}", "issued")}
    approved = [
        row for row in _rows(casino.report("access", day), "overrides") if row["kind"] == "credit_line.approved"
    ]
    assert 2 * len(issued) == len(approved), "each check has a line of its own, which two people approved"
    assert expected_owing(sheets["credit"], day) == {
        row["serial"]: (row["age_days"], row["left_cents"]) for row in _rows(credit, "owed")
    }
    accounted = casino.report("cage-accountability", day)
    places = {row["location"]: row for row in _rows(accounted, "locations")}
    for place in ("cage", "vault"):
        expected = expected_cage(sheets["cage"], place, day)
        assert expected == {name: places[place][f"{name}_cents"] or 0 for name in expected}, place
    assert [owed] == [{name: row[f"{name}_cents"] or 0 for name in owed} for row in _rows(accounted, "counter_checks")]
    at_tables = sum(row["closer"] for row in sheets["counted"] if row["day"] == f"{day}") // CHIP_CENTS
    at_cage = chips_at_cage(sheets["cage"], day)
    in_service = BROUGHT_FORWARD + IN_SERVICE
    assert [(in_service, at_cage, at_tables, 0, in_service - at_cage - at_tables)] == [
        tuple(row[name] for name in ("in_service", "at_cage", "at_tables", "in_transit", "outstanding"))
        for row in _rows(accounted, "float")
    ]
    counted = [row for row in sheets["counted"] if row["day"] <= f"{day}"]
    assert {
        "tables": (sum(row["fills"] for row in counted), 0),
        "count room": (sum(row["currency"] for row in counted), 0),
        "accounts": (0, 0),
    } == {row["of"]: (row["theirs_cents"], row["between_cents"]) for row in _rows(accounted, "others")}


def _compare_shifts(casino: Casino, day: date, sheet: list[dict[str, Any]]) -> None:
    """Each table was open for eight hours of one shift: its sheet has the row of the spreadsheet, an hour an eighth."""
    summary = casino.report("pit-summary", day)
    names = ("opener_cents", "fills_cents", "credits_cents", "closer_cents", "drop_cents", "win_cents")
    assert {
        row["table"]: (
            *(row[name] for name in ("play", "opener", "fills", "credits", "closer")),
            row["currency"] + row["checks"],
            _win(row),
        )
        for row in sheet
    } == {row["table"]: (row["play"], *(row[name] for name in names)) for row in _rows(summary, "tables")}
    for section in ("pits", "shifts", "whole_pits"):
        assert [(60, sum(map(_win, sheet)))] == [(row["tables"], row["win_cents"]) for row in _rows(summary, section)]
    expected = {row["table"]: (row["currency"] + row["checks"], _win(row)) for row in sheet}
    assert {table: ("8.00", *(round(Fraction(cents, 8)) for cents in both)) for table, both in expected.items()} == {
        row["table"]: (row["open_hours"], row["drop_per_open_hour_cents"], row["win_per_open_hour_cents"])
        for row in _rows(casino.report("pace", day), "open_hours")
    }


def _compare_tips(casino: Casino, day: date, sheet: list[dict[str, Any]], minutes: dict[str, int]) -> None:
    """Each share is the exact one rounded down, and a cent more for those who lost most by that; all of it is paid."""
    pooled = sum(row["tips"] for row in sheet)
    exact = {dealer: Fraction(pooled * worked, sum(minutes.values())) for dealer, worked in minutes.items()}
    paid = {dealer: int(share) for dealer, share in exact.items()}
    for dealer in sorted(exact, key=lambda one: (int(exact[one]) - exact[one], one))[: pooled - sum(paid.values())]:
        paid[dealer] += 1
    report = casino.report("tips-pool", day)
    assert [(pooled, pooled)] == [(row["pooled_cents"], row["paid_cents"]) for row in _rows(report, "pools")]
    assert paid == {row["dealer"]: row["share_cents"] for row in _rows(report, "shares")}
    assert {row["table"]: row["tips"] for row in sheet} == {
        row["table"]: row["tips_cents"] for row in _rows(report, "collected")
    }


def _compare_ledger(casino: Casino, dates: list[date], sheet: list[dict[str, Any]], folder: Path) -> None:
    """A program that shares nothing with us has the journal's balances and the sheet's revenue, or says where not."""
    ledger = SecondLedger(casino.world, dates)
    ledger.map_legs(version=1)
    found = ledger.balances(folder)
    assert ledger.of_journals(won_by_rounds := sum(_win(row) for row in sheet if row["play"] == "rounds")) == found
    by_count = sum(_win(row) for row in sheet if row["play"] == "counted")
    assert (-won_by_rounds, -by_count, sum(casino.tray.values())) == (
        found["Income:4010"],
        found["Income:4050"],
        found["Assets:1120"],
    )
    last = sum(_win(row) for row in sheet if row["play"] == "counted" and row["day"] == f"{dates[-1]}")
    ledger.map_legs(version=2, table_inventory=("counted_win", "4060"))
    planted = ledger.balances(folder)
    assert {"Income:4050": last, "Income:4060": -last} == {
        name: cents for name in {*found, *planted} if (cents := planted.get(name, 0) - found.get(name, 0))
    }


def _compare_books(world: World, sheet: list[dict[str, Any]], tray: dict[str, int]) -> None:
    balances = world.inventory.balances()

    def of(leg: str, table: str) -> int:
        return sum(cents for key, cents in balances.items() if (key[0], key[2]) == (table, leg))

    for name in TABLES:
        mine = [row for row in sheet if row["table"] == name]
        counted = sum(map(_win, mine)) if TABLES[name].get("play") == "counted" else 0
        assert (tray[name], -counted, 0) == (of("inventory", name), of("counted_win", name), of("box", name))
    assert not [key for key in balances if key[2] in ("inventory_variance", "drop_variance")]
