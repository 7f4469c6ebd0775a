"""The general ledger of a sealed and restated day: beside the journal of table inventory, and in other programs."""

import csv
import io
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

from shared.contracts.legs import LEGS
from tests.integration.reporting.test_currency import Till
from tests.integration.table_inventory.day import BOX, FOUND, PAPER, play_a_day
from tests.integration.table_inventory.test_check_collection import WRITE_OFFS, written_off
from tests.integration.table_inventory.test_credit_lines import CHECKS
from tests.integration.table_inventory.test_locations import AT_CAGE, LOCATIONS, currency
from tests.support import Databases
from tests.support.asgi import assert_problem
from tests.support.both_books import LATER, BothBooks, both_books
from tests.support.desk import Message
from tests.support.ledger_mappings import PROGRAM_ROOTS, mapping_document, mapping_event, remapped
from tests.support.pit import DAY, PROPERTY, at, inventory_desk
from tests.support.programs import beancount_of, hledger_of
from tests.support.reporting import held, identities_of, rows_of
from tests.support.services import settled_database
from tests.support.table_days import TableDays

PATH = f"/gaming-days/{PROPERTY}/{DAY}"
FILE = f"/general-ledger/journals?property={PROPERTY}&gaming_day={DAY}&known_at={quote(LATER)}"

ALL_READ = datetime.fromisoformat(LATER)
NEXT_DAY = str(date.fromisoformat(DAY) + timedelta(days=1))


@pytest.fixture
def url(databases: Databases) -> Iterator[str]:
    """A database with the schemas of both services."""
    url = settled_database(databases, "table-inventory", "reporting")
    yield url
    databases.drop(url)


@pytest.fixture
def both(url: str) -> Iterator[BothBooks]:
    """A day at a table that is counted; no mapping was filed."""
    with inventory_desk(url) as desk, both_books(url, desk) as found:
        found.has_only("BJ-01", cage_locations=LOCATIONS)
        play_a_day(desk)
        desk.count_boxes(("BJ-01", BOX, FOUND))
        yield found


def map_legs(both: BothBooks, **changes: Any) -> None:
    """Let reporting know of an approved mapping, that of the documentation unless it is changed."""
    both.books.desk.feed("properties", mapping_event(PROPERTY, sequence=9, **changes))


def seal(both: BothBooks) -> None:
    """Seal the day."""
    both.ledger.done(f"{PATH}/preliminary", {}, person="audit.kim")
    both.ledger.done(f"{PATH}/audited", person="audit.lou")
    both.ledger.done(f"{PATH}/final", person="control.eve")


def restate(both: BothBooks) -> None:
    """Enter a fill on paper, an hour after the seal and again later what an adjustment changes."""
    desk = both.ledger
    desk.clock.now = at(26)
    desk.done("/manual-slips", PAPER, person="cage.bob")
    both.publish()
    adjusted = {"table": "BJ-01", "shift": "day", "figure": "currency", "cents": -100_00, "reason": "a note twice"}
    number = desk.done(f"{PATH}/adjustments", adjusted, person="audit.kim")["adjustment"]
    desk.clock.now = at(28)
    desk.done(f"{PATH}/adjustments/{number}/approve", person="control.eve")


def amount(row: Mapping[str, Any]) -> int:
    """The signed amount of a row with two sides."""
    return (row["debit_cents"] or 0) - (row["credit_cents"] or 0)


def by_account(rows: list[dict[str, Any]]) -> dict[str, int]:
    """What rows come to by account, without those that come to nothing."""
    found: Counter[str] = Counter()
    for row in rows:
        found[row["account"]] += amount(row)
    return {account: cents for account, cents in found.items() if cents}


def posted(both: BothBooks) -> dict[str, int]:
    """The trial balance of the day in the journal of table inventory itself, by leg."""
    found: Counter[str] = Counter()
    for entry in both.ledger.entries():
        if str(entry.draft.gaming_day) == DAY:
            for account, cents in entry.draft.postings:
                found[account.leg] += cents
    return {leg: cents for leg, cents in found.items() if cents}


def test_the_trial_balance_is_that_of_the_service(both: BothBooks) -> None:
    """By leg, with what rounds moved; debits are credits, and the sides of the chips of rounds meet."""
    map_legs(both)
    seal(both)
    report = both.report("general-ledger")
    found = {row["leg"]: amount(row) for row in rows_of(report, "trial_balance") if row["service"] == "table-inventory"}
    assert posted(both) == {leg: cents for leg, cents in found.items() if cents}
    assert {"rounds": 0} == {row["transfer"]: row["cents"] for row in rows_of(report, "transfers")}
    assert {True} == {*held(report).values()}
    assert ("final", 1) == (report["stage"], report["version"])


def test_a_sealed_day_is_a_balanced_journal(both: BothBooks) -> None:
    """Of the figures that were sealed: the drop as counted, chips of a fill and a credit, and the win of the rounds."""
    map_legs(both)
    seal(both)
    report = both.report("general-ledger")
    journal = rows_of(report, "journals")
    assert {("GL261120-1", "posting", DAY, 1)} == {
        (row["journal"], row["kind"], row["gaming_day"], row["version"]) for row in journal
    }
    assert 0 == sum(map(amount, journal))
    found = by_account(journal)
    [master] = rows_of(both.report("master-game"), "tables")
    assert (master["currency_cents"], master["counter_checks_cents"]) == (found["1010"], found["1210"])
    assert master["credits_cents"] - master["fills_cents"] == found["1110"]
    [rounds] = [row for row in rows_of(report, "trial_balance") if row["leg"] == "rounds"]
    assert master["win_cents"] == rounds["credit_cents"]
    assert by_account(rows_of(report, "balances")) == found
    assert "1910" not in found


def test_a_written_off_counter_check_is_a_cost_less_what_is_recovered(both: BothBooks) -> None:
    """What was paid of it is money, what was written off is not owed any more, and the rest is."""
    both.ledger.clock.now = at(26)
    both.ledger.done(f"{CHECKS}/CC-1/redeem", {"cents": 100_00, "paid_in": "currency"}, person="cage.ann")
    lost = written_off(both.ledger, "CC-1", 500_00)
    paid = {"cents": 200_00, "paid_in": "currency"}
    both.ledger.done(f"{WRITE_OFFS}/{lost}/recover", paid, person="cage.ann")
    map_legs(both)
    following = str(date.fromisoformat(DAY) + timedelta(days=1))
    found = {
        (row["leg"], row["account"]): row["cents"]
        for row in rows_of(both.report("general-ledger", following), "postings")
    }
    assert {
        ("check_payments", "1115"): 300_00,
        ("checks_redeemed", "1210"): -600_00,
        ("checks_written_off", "5070"): 500_00,
        ("checks_recovered", "5070"): -200_00,
    } == found
    assert (400_00, 400_00) == identities_of(both.report("cage-accountability", following))["counter checks"]


def test_the_money_of_the_cage_is_what_its_books_have(both: BothBooks) -> None:
    """Whatever patrons, tables and the bank move, and wherever; what patrons deposited is owed to them."""
    desk = both.ledger
    wanted = {"giver": "bank", "receiver": "drawer-1", "contents": currency(200)}
    number = desk.done(f"{AT_CAGE}/transfers", wanted, person="cage.ann")["transfer"]
    desk.done(f"{AT_CAGE}/transfers/{number}/receive", person="cage.bob")
    desk.done(f"{CHECKS}/CC-1/redeem", {"cents": 100_00, "paid_in": "currency"}, person="cage.ann")
    movements: tuple[tuple[str, str, int, dict[str, Any]], ...] = (
        ("drawer-1", "front_money_deposit", 1_234_00, {}),
        ("cage", "safekeeping_deposit", 70_00, {}),
        ("cage", "front_money_withdrawal", 34_00, {}),
        ("drawer-1", "chip_purchase", 300_00, {}),
        ("cage", "check_cashed", 200_00, {}),
        ("drawer-1", "winnings_paid", 500_00, {}),
        ("drawer-1", "casino_check_purchase", 90_00, {}),
        ("cage", "wire_paid", 40_00, {}),
        ("cage", "travel_reimbursed", 25_00, {}),
        ("cage", "other_in", 11_00, {"purpose": "a lost locker key"}),
        ("drawer-1", "foreign_currency_bought", 60_00, {"foreign_country": "CA"}),
        ("drawer-1", "currency_exchange", 1_000_00, {}),
        ("drawer-1", "tournament_fee", 75_00, {}),
        ("cage", "tournament_prize", 45_00, {"medium": "instrument"}),
        ("drawer-1", "winnings_paid", 15_00, {"medium": "instrument"}),
        ("cage", "chip_redemption", 35_00, {"medium": "instrument"}),
    )
    for window, kind, cents, more in movements:
        moved = {"property": PROPERTY, "window": window, "patron": "p-1", "kind": kind, "cents": cents} | more
        desk.done("/cage-movements", moved, person="cage.ann")
    map_legs(both)
    day = desk.read(f"{AT_CAGE}/books")["items"]
    found: Counter[str] = Counter()
    for gaming_day in (DAY, str(date.fromisoformat(DAY) + timedelta(days=1))):
        for row in rows_of(both.report("general-ledger", gaming_day), "postings"):
            found[row["account"]] += row["cents"]
    assert sum(book["cents"] for book in day) == found["1110"] + found["1115"]
    assert (-1_270_00, 515_00, 60_00, -11_00) == tuple(found[account] for account in ("2040", "1320", "1116", "2060"))
    assert -20_000_00 - 15_00 - 35_00 - 45_00 - 90_00 + 40_00 == found["1015"]  # what the bank gave, paid and received
    assert {True} == {*held(both.report("general-ledger", str(date.fromisoformat(DAY) + timedelta(days=1)))).values()}


def test_a_restatement_reverses_what_was_posted_before(both: BothBooks) -> None:
    """A journal and its reversal come to nothing, and the last one is left; the journal as sealed stays as it was."""
    map_legs(both)
    seal(both)
    sealed, at_seal = rows_of(both.report("general-ledger"), "journals"), both.ledger.clock.now.isoformat()
    restate(both)
    report = both.report("general-ledger")
    by_journal: dict[str, dict[str, int]] = {}
    for row in rows_of(report, "journals"):
        by_journal.setdefault(row["journal"], {})[row["account"]] = amount(row)
    numbers = list(by_journal)
    assert ["GL261120-1", "GL261120-1R", "GL261120-2", "GL261120-2R", "GL261120-3"] == numbers
    for number in numbers[::2][:-1]:
        assert by_journal[number] == {account: -cents for account, cents in by_journal[f"{number}R"].items()}
    assert by_journal["GL261120-3"] == by_account(rows_of(report, "balances"))
    assert posted(both)["drop"] == sum(by_journal["GL261120-3"][account] for account in ("1010", "1210"))
    assert sealed == rows_of(report, "journals")[: len(sealed)]
    assert sealed == rows_of(both.report("general-ledger", known_at=at_seal), "journals")
    assert {True} == {*held(report).values()}


@pytest.mark.parametrize(("name", "read"), [("beancount", beancount_of), ("hledger", hledger_of)])
def test_a_second_ledger_holds_the_day_as_the_journals_do(
    both: BothBooks, name: str, read: Callable[[bytes, Path], dict[str, int]], tmp_path: Path
) -> None:
    """Sealed and restated, the program takes the file and has the balance of each account; nothing else is in it."""
    map_legs(both)
    seal(both)
    restate(both)
    report = both.report("general-ledger")
    kinds = {row["account"]: PROGRAM_ROOTS[row["kind"]] for row in rows_of(report, "balances")}
    expected = {
        f"{kinds[account]}:{account}": cents for account, cents in by_account(rows_of(report, "balances")).items()
    }
    both.books.read_until(ALL_READ)
    answer = both.books.get(f"{FILE}&as={name}")
    assert 200 == answer.status_code, answer.text
    assert f"general-ledger-{PROPERTY}-{DAY}." in answer.headers["content-disposition"]
    assert expected == read(answer.content, tmp_path)


def test_a_line_leads_to_the_entries_that_it_follows_from(both: BothBooks) -> None:
    """Of a journal before a restatement, those that were known then; each with what it contributes."""
    map_legs(both)
    seal(both)
    restate(both)
    report = both.report("general-ledger")
    for number in ("GL261120-1", "GL261120-3"):
        [row] = [one for one in rows_of(report, "journals") if (one["journal"], one["account"]) == (number, "1010")]
        cell = f"journals/{row['id']}/debit_cents"
        told = both.books.explain("general-ledger", cell, f"&known_at={quote(LATER)}")
        assert row["debit_cents"] == told["value"] == sum(entry["value"] for entry in told["entries"])
        assert {"table-inventory"} == {entry["service"] for entry in told["entries"]}


def test_a_planted_wrong_mapping_is_found(both: BothBooks) -> None:
    """Chips of rounds that are sent elsewhere than they come from leave two clearing accounts that are not 0."""
    rules = remapped("table-inventory", "rounds", account="1920")["rules"]
    map_legs(both, rules=rules)
    seal(both)
    found = by_account(rows_of(both.report("general-ledger"), "balances"))
    assert 0 != found["1910"] == -found["1920"]


def test_nothing_is_written_of_what_is_missing(both: BothBooks) -> None:
    """A day that is not sealed, one without a mapping, and a leg that the mapping has no rule for: each is named."""
    both.publish()
    assert_problem(both.books.get(f"{FILE}&as=csv"), 409, "no gaming day of these is sealed")
    seal(both)
    both.publish()
    assert_problem(both.books.get(f"{FILE}&as=csv"), 409, f"no general-ledger mapping is in effect on gaming day {DAY}")
    report = both.report("general-ledger")
    assert [] == rows_of(report, "journals")
    assert "no general-ledger mapping is in effect" in report["content"]["marks"][0]["note"]
    rules = [rule for rule in remapped("vigorish", "waived")["rules"] if rule["leg"] != "drop"]
    map_legs(both, rules=rules)
    refused = both.books.get(f"{FILE}&as=hledger")
    assert_problem(refused, 409, "table-inventory drop: the mapping has no rule for it")
    report = both.report("general-ledger")
    assert not held(report)["postings without a rule"]
    assert ("preliminary", []) == (report["stage"], rows_of(report, "journals"))


def test_a_journal_is_exported_once_all_that_was_recorded_up_to_the_seal_is_read(both: BothBooks) -> None:
    """Nothing is written while an entry from before the seal may still come, and its journal has what came."""
    map_legs(both)
    seal(both)
    both.publish()
    assert_problem(both.books.get(FILE), 409, "has been read, how far is not known yet: try again later")
    sealed_at = both.ledger.clock.now
    both.books.read_until(sealed_at + timedelta(seconds=29))
    until = (sealed_at - timedelta(seconds=1)).isoformat()
    assert_problem(both.books.get(FILE), 409, f"has been read, only up to {until}: try again later")
    both.books.desk.feed("accounts", *bought_in(12_000_00))
    both.books.read_until(sealed_at + timedelta(seconds=30))
    exported = both.books.get(FILE)
    assert 200 == exported.status_code, exported.text
    rows = list(csv.DictReader(io.StringIO(exported.text)))
    assert {"GL261120-1"} == {row["journal"] for row in rows}
    assert ["12000.00"] == [row["credit"] for row in rows if row["account"] == "2010"]
    restate(both)
    both.publish()
    assert_problem(both.books.get(FILE), 409, f"only up to {sealed_at.isoformat()}: try again later")
    at_seal = f"/general-ledger/journals?property={PROPERTY}&gaming_day={DAY}&known_at={quote(sealed_at.isoformat())}"
    assert exported.content == both.books.get(at_seal).content
    both.books.read_until(ALL_READ)
    assert both.books.get(FILE).text.startswith(exported.text)


def test_a_journal_has_the_titles_of_its_own_day(both: BothBooks) -> None:
    """Over a change of the mapping, the journal of a day is as it was exported that day, or nothing is written."""
    map_legs(both)
    both.books.desk.feed("accounts", *bought_in(12_000_00, days=2))
    seal(both)
    both.publish()
    both.books.read_until(ALL_READ)
    titles = {"1010": "Money of wagering accounts", "1340": "Currency and counter checks as counted"}
    accounts = [one | {"title": titles.get(one["account"], one["title"])} for one in mapping_document()["accounts"]]
    begins = f"{NEXT_DAY}T09:00:00Z"
    swapped = mapping_event(PROPERTY, sequence=10, version=2, effective_from=begins, accounts=accounts)
    both.books.desk.feed("properties", swapped)
    both.books.desk.feed("inventory", *TableDays(PROPERTY, shard=9).sealed(NEXT_DAY))
    month = f"{FILE}&period=month&partial=true"
    for name in ("csv", "iif", "xero", "netsuite", "sage"):
        of_day, of_month = (both.books.get(f"{path}&as={name}") for path in (FILE, month))
        assert (200, 200) == (of_day.status_code, of_month.status_code), of_month.text
        assert of_month.content.startswith(of_day.content)
        assert len(of_month.content) > len(of_day.content)
    for name in ("hledger", "beancount"):
        assert 200 == both.books.get(f"{FILE}&as={name}").status_code
        changed = f"account 1340 is 'Money of wagering accounts' (asset) before gaming day {NEXT_DAY}"
        assert_problem(both.books.get(f"{month}&as={name}"), 409, changed)


def test_a_period_that_has_not_ended_is_written_only_if_asked_for(both: BothBooks) -> None:
    """The refusal names its last sealed day; asked for, the file ends with that day, whatever the next days have."""
    map_legs(both)
    seal(both)
    both.publish()
    both.books.read_until(ALL_READ)
    of_day = both.books.get(FILE)
    assert 200 == of_day.status_code, of_day.text
    month, partial = (f"{FILE}&period=month{more}" for more in ("", "&partial=true"))
    last = f"the last sealed gaming day of these is {DAY}, and they end with 2026-11-30"
    assert_problem(both.books.get(month), 409, last)
    assert of_day.text == both.books.get(partial).text
    both.books.desk.feed("accounts", *bought_in(12_000_00, days=2))
    assert_problem(both.books.get(month), 409, f"gaming day {NEXT_DAY} is not sealed")
    written = {row["gaming_day"] for row in csv.DictReader(io.StringIO(both.books.get(partial).text))}
    assert {DAY} == written
    both.books.desk.feed("inventory", *TableDays(PROPERTY, shard=9).sealed("2026-11-22"))
    assert_problem(both.books.get(partial), 409, f"gaming day {NEXT_DAY} is not sealed")


def bought_in(cents: int, days: int = 1) -> Iterator[Message]:
    """The entries of a wagering account into which cash was paid on the day, and on each that follows."""
    till = Till()
    opened = till.opened("ga-2")
    paid = [till.paid(cents // 100, "ga-2", day=day) for day in range(days)]
    for entry in paid:
        entry["postings"] = f"//cash={cents} //available={-cents}"
    for entry in (opened, *paid):
        entry["data"]["property"] = PROPERTY
        yield entry


def test_every_leg_of_the_journal_is_in_the_catalogue(both: BothBooks) -> None:
    """Those that the day posts on, whatever they are."""
    assert posted(both).keys() <= LEGS["table-inventory"].keys()
