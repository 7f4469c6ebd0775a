"""The tax report on a real database: entries of the table inventory go in, layers, shares and dues come out."""

from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
import yaml

from shared.jurisdictions import keep_own_packs_in
from tests.support.asgi import assert_problem
from tests.support.properties import property_event
from tests.support.reporting import Books, names, rows_of
from tests.support.table_days import Entry, TableDays
from tests.unit.reporting.entries import DAY, total

ROOT = Path(__file__).parents[3] / "shared" / "jurisdictions"
TABLES = ("BJ-01", "BJ-02", "BJ-03")
WEDNESDAY, FRIDAY = "2026-11-18", DAY
WEEK = "&period=week"
SINCE = "since 2026-11-20 07:00"


AUTOMATED = property_event("riverside", TABLES, sequence=3, version=2, automated=["BJ-03"])
"""A version of the property one of whose tables is fully automated."""


def _automated_round(books: Books, won: int) -> Entry:
    """A round at that table: what accounts staked beyond what was credited to them, cents."""
    paid = 50_000 - won
    return books.posted(1, "BJ-03", [total(handle=50_000, payout=paid, account_staked=50_000, account_credited=paid)])


def _harbor(pack: str) -> Entry:
    """Another property of the installation, under the law of another pack."""
    return property_event("harbor", TABLES, sequence=3, packs=[pack, "us-federal"])


def _amounts(report: dict[str, Any]) -> dict[str, tuple[int, int]]:
    return {line["layer"]: names(line, "base_cents", "amount_cents") for line in rows_of(report, "layers")}


def _failing(report: dict[str, Any]) -> list[str]:
    return [one["name"] for one in report["content"]["identities"] if not one["holds"]]


def _of(books: Books, name: str, day: str, more: str = "") -> dict[str, Any]:
    answer = books.get(f"/reports/tax?property={name}&gaming_day={day}{more}")
    assert answer.status_code == 200, answer.text
    report: dict[str, Any] = answer.json()
    return report


def test_the_return_of_a_week_is_the_sum_of_its_daily_sheets(books: Books) -> None:
    """Each layer on the days that won; the loss of a day counts as zero; a fully automated table bears one more."""
    ledger = TableDays()
    books.desk.feed("properties", AUTOMATED)
    books.desk.feed(
        "inventory",
        *ledger.table_day("BJ-01", WEDNESDAY, closer=50_000),
        *ledger.table_day("BJ-01", drop=100_033),
        *ledger.table_day("BJ-02", closer=120_000),
    )
    books.publish(_automated_round(books, 10_000))
    report = books.report("tax", WEEK)
    assert [] == _failing(report)
    assert [
        ("banking", 2, 70_033, 120_033, None),
        ("non_banking", None, None, None, "nothing of this class is recorded in these gaming days"),
        ("fully_automated", 2, 10_000, 10_000, None),
        ("contest", None, None, None, "nothing of this class is recorded in these gaming days"),
    ] == [
        names(row, "revenue_class", "days", "revenue_cents", "counted_cents", "note")
        for row in rows_of(report, "classes")
    ]
    expected = {
        "state_tax": (130_033, 15_604),  # 15,603.96
        "additional_tax": (130_033, 2_601),  # 2,600.66
        "fully_automated_tax": (10_000, 3_400),
        "local_share": (130_033, 2_601),
    }
    assert expected == _amounts(report)
    assert [("week", 21_605, None), ("week", 2_601, None)] == [
        names(row, "filed", "due_cents", "note") for row in rows_of(report, "due")
    ]
    sheets = [_amounts(_of(books, "riverside", day)) for day in (WEDNESDAY, FRIDAY)]
    assert [(0, 0), (130_033, 15_604)] == [sheet["state_tax"] for sheet in sheets]
    marked = {mark["what"]: mark["columns"] for mark in report["content"]["marks"]}
    assert ["layers/amount_cents", "due/due_cents"] == marked["taxes.local_share.rate"]
    assert "formula of win" in marked
    assert not any("basis" in what for what in marked)
    assert not any("contest" in what for what in marked)
    month = rows_of(books.report("tax", "&period=month"), "due")
    assert {"part of the return of its week: an account, no return"} == {row["note"] for row in month}


def test_rake_and_contests_are_classes_of_their_own(books: Books) -> None:
    """Each contest counts alone, so that one that lost offsets nothing; a revision restates its day."""
    ledger = TableDays()
    books.desk.feed(
        "inventory",
        *ledger.table_day("BJ-01", drop=100_000),
        *ledger.raked("PK-01", rake=7_000, drop=50_000),
        ledger.contest("friday-50", fees=90_000, prizes=80_000),
        ledger.contest("friday-250", fees=20_000, prizes=26_000),
    )
    report = books.report("tax")
    assert [] == _failing(report)
    assert [
        ("banking", "win_formula", 100_000, 100_000),
        ("non_banking", "rake", 7_000, 7_000),
        ("fully_automated", "central_system", None, None),
        ("contest", "fees_less_prizes", 4_000, 10_000),
    ] == [names(row, "revenue_class", "basis", "revenue_cents", "counted_cents") for row in rows_of(report, "classes")]
    assert (117_000, 14_040) == _amounts(report)["state_tax"]
    found = books.explain("tax", "classes/non_banking/revenue_cents")
    assert [("rake_cents", 7_000)] == [names(one, "measure", "value") for one in found["entries"]]
    of_contests = books.explain("tax", "classes/contest/revenue_cents")["entries"]
    assert [90_000, 20_000, 80_000, 26_000] == [one["value"] for one in of_contests]
    before = books.get(books.path("tax", as_of := f"&known_at={quote(ledger.last_recorded.isoformat())}")).content
    books.desk.feed("inventory", ledger.contest("friday-250", 20_000, 25_000, before=(20_000, 26_000)))
    assert before == books.get(books.path("tax", as_of)).content
    assert 5_000 == rows_of(books.report("tax"), "classes")[3]["revenue_cents"]


def test_revenue_says_of_each_table_how_its_win_is_known(books: Books) -> None:
    """From rounds, or only counted, with the kind of its game; rake and contests have neither.

    Days of the period on which a table was not there yet say nothing of it.
    """
    tables: dict[str, dict[str, Any]] = {
        "BJ-01": {},
        "CR-01": {"game": "craps-a", "play": "counted"},
        "PK-01": {"game": "poker", "non_banking": True},
    }
    games = [{"game": "craps-a", "kind": "craps"}]
    begins = f"{DAY}T03:00:00-05:00"
    event = property_event("riverside", tables, sequence=3, version=2, games=games, effective_from=begins)
    books.desk.feed("properties", event)
    ledger = TableDays()
    books.desk.feed(
        "inventory",
        *ledger.table_day("BJ-01", WEDNESDAY, closer=50_000),
        *ledger.table_day("BJ-01", drop=100_000),
        *ledger.table_day("CR-01", drop=30_000),
        *ledger.raked("PK-01", rake=7_000, drop=50_000),
        ledger.contest("friday-50", fees=90_000, prizes=80_000),
    )
    report = books.report("tax", WEEK)
    assert [] == _failing(report)
    rows = rows_of(report, "tables")
    assert [
        ("banking", "BJ-01", "blackjack", None, "rounds", 2, rows[0]["revenue_cents"]),
        ("banking", "CR-01", "craps-a", "craps", "counted", 1, 30_000),
        ("non_banking", "PK-01", "poker", None, None, 1, 7_000),
        ("contest", "friday-50", None, None, None, 1, 10_000),
    ] == [names(row, "revenue_class", "name", "game", "kind", "play", "days", "revenue_cents") for row in rows]
    classes = {row["revenue_class"]: row["revenue_cents"] for row in rows_of(report, "classes")}
    assert classes["banking"] == rows[0]["revenue_cents"] + 30_000
    entries = books.explain("tax", f"tables/{rows[1]['id']}/revenue_cents", WEEK)["entries"]
    assert [30_000] == [one["value"] for one in entries]


def test_a_non_banking_table_has_no_win(books: Books) -> None:
    """Its drop is in no figure of the win; until its box is counted, its class has no revenue, and no other waits."""
    ledger = TableDays()
    poker = ledger.raked("PK-01", rake=7_000, drop=50_000)
    uncounted = ledger.statements.stated(ledger.last_recorded, "PK-02", DAY, non_banking=True, missing=["count B-1"])
    books.desk.feed("inventory", *ledger.table_day("BJ-01", drop=100_000), *poker, uncounted)
    uncounted_day = books.report("tax")
    assert [("banking", None, 100_000), ("non_banking", f"PK-02: count B-1 ({SINCE})", None)] == [
        names(row, "revenue_class", "missing", "revenue_cents") for row in rows_of(uncounted_day, "days")
    ]
    assert [100_000, None] == [row["revenue_cents"] for row in rows_of(uncounted_day, "classes")][:2]
    assert [None, None] == [_amounts(uncounted_day)["state_tax"][0], rows_of(uncounted_day, "due")[0]["due_cents"]]
    assert ["tables with a win"] == _failing(uncounted_day)
    [explained, *_] = books.explain("tax", "classes/banking/revenue_cents")["entries"]
    assert ("win_cents", 100_000) == names(explained, "measure", "value")
    books.desk.feed("inventory", ledger.stated("PK-02", non_banking=True, boxes=1, boxes_counted=1, rake=100))
    assert 7_100 == rows_of(books.report("tax"), "classes")[1]["revenue_cents"]
    assert [("BJ-01", 100_000)] == [
        names(row, "table", "win_cents") for row in rows_of(books.report("master-game"), "tables")
    ]


def test_what_was_sealed_has_rake_and_contests(books: Books) -> None:
    """The sealed report names them beside the win, and all of it is what the classes come to."""
    ledger = TableDays()
    other = {"rake": [{"final_rake_cents": 7_000}], "contests": [{"fees_cents": 9_000, "prizes_cents": 8_000}]}
    entries = [
        *ledger.table_day("BJ-01", drop=50_000),
        *ledger.raked("PK-01", rake=7_000),
        ledger.contest("friday-50", fees=9_000, prizes=8_000),
    ]
    *steps, final = ledger.sealed(final_win_cents=50_000)
    final["data"]["report"] |= other
    books.desk.feed("inventory", *entries, *steps, final)
    assert [] == _failing(books.report("tax"))


def test_two_jurisdictions_live_in_one_installation(books: Books) -> None:
    """Pennsylvania taxes; Rhode Island divides: all of it, to the cent, and one knows nothing of the other."""
    books.desk.feed("properties", _harbor("us-ri"))
    here, there = TableDays(), TableDays("harbor", shard=2)
    books.desk.feed("inventory", *here.table_day("BJ-01", drop=100_000), *there.table_day("BJ-01", drop=10_001))
    pennsylvania, rhode_island = books.report("tax"), _of(books, "harbor", FRIDAY)
    assert ([], []) == (_failing(pennsylvania), _failing(rhode_island))
    assert [("state", "0.155", 1_550), ("operator", "0.835", 8_351), ("town", "0.01", 100)] == [
        names(row, "party", "part", "amount_cents") for row in rows_of(rhode_island, "shares")
    ]
    assert ([], []) == (rows_of(rhode_island, "layers"), rows_of(pennsylvania, "shares"))
    assert 12_000 == _amounts(pennsylvania)["state_tax"][1]
    assert "parties" in {one["name"] for one in rhode_island["content"]["identities"]}


def test_a_table_that_is_not_counted_leaves_the_day_without_a_win(books: Books) -> None:
    """The sheet says which tables are missing, counts the other days alone, and an identity fails."""
    ledger = TableDays()
    running = ledger.stated("BJ-02", opener=100_000, missing=["closer", "drop"])
    books.desk.feed("inventory", *ledger.table_day("BJ-01", drop=50_000), running)
    day = books.report("tax")
    assert ["tables with a win"] == _failing(day)
    assert [(f"BJ-02: closer ({SINCE}), drop ({SINCE})", None, None)] == [
        names(row, "missing", "revenue_cents", "counted_cents") for row in rows_of(day, "days")
    ]
    assert {"state_tax": None, "additional_tax": None, "fully_automated_tax": 0, "local_share": None} == {
        line["layer"]: line["amount_cents"] for line in rows_of(day, "layers")
    }
    counted_alone = ledger.stated("BJ-03", "2026-11-17", currency=70_000, missing=["opener"])
    books.desk.feed("inventory", *ledger.table_day("BJ-01", WEDNESDAY, drop=10_000), counted_alone)
    week = books.report("tax", WEEK)
    assert (["tables with a win"], (10_000, 1_200)) == (_failing(week), _amounts(week)["state_tax"])
    [tuesday] = [row for row in rows_of(week, "days") if row["gaming_day"] == "2026-11-17"]
    assert (f"BJ-03: opener ({SINCE})", None) == names(tuesday, "missing", "revenue_cents")


def test_a_table_that_played_and_was_never_opened_is_missing(books: Books) -> None:
    """Its rounds say that there is revenue that nobody counted; the sheet waits for it."""
    books.desk.feed("inventory", *TableDays().table_day("BJ-01", drop=50_000))
    books.publish(books.posted(1, "BJ-02", [total(handle=50_000, payout=40_000)]))
    day = books.report("tax")
    assert ["tables with a win"] == _failing(day)
    assert [("BJ-02: counts", None)] == [names(row, "missing", "revenue_cents") for row in rows_of(day, "days")]
    assert None is _amounts(day)["state_tax"][1]


def test_a_tax_leads_to_the_entries_of_the_tables(books: Books) -> None:
    """Those of the classes that it taxes; of a table alone there is no tax."""
    ledger = TableDays()
    books.desk.feed("properties", AUTOMATED)
    books.desk.feed("inventory", *ledger.table_day("BJ-01", drop=100))
    books.publish(_automated_round(books, 200))
    found = books.explain("tax", f"layers/fully_automated_tax|{DAY}/amount_cents")
    assert (68, [50_000, 49_800]) == (found["value"], [entry["value"] for entry in found["entries"]])
    state = books.explain("tax", f"layers/state_tax|{DAY}/amount_cents")
    assert [("win_cents", 100)] == [
        names(entry, "measure", "value") for entry in state["entries"] if entry["measure"] == "win_cents"
    ]
    assert_problem(books.get(books.path("tax", "&table=BJ-01")), 404, "a whole property")


def test_a_sealed_report_that_says_something_else_is_found(books: Books) -> None:
    """What the table inventory sealed is independent of what is added up here."""
    ledger = TableDays()
    books.desk.feed("inventory", *ledger.table_day("BJ-01", drop=50_000), *ledger.sealed(final_win_cents=49_999))
    assert ["sealed days"] == _failing(books.report("tax"))


def _own(folder: Path, base: str, **changes: Any) -> Iterator[str]:
    """Have the installation its own pack, `atlantis`: another one with changes, and with a made-up game."""
    pack: Entry = yaml.safe_load((ROOT / base / "pack.yaml").read_text(encoding="utf-8"))
    game = next(iter(pack["equipment"].values()))
    pack |= {"id": "atlantis", "regulations": ["atlantis-dice"], "vigorish": {}} | changes
    pack |= {"equipment": {"atlantis-dice": game}}
    (folder / "atlantis").mkdir()
    (folder / "atlantis" / "pack.yaml").write_text(yaml.safe_dump(pack), encoding="utf-8")
    keep_own_packs_in(folder)
    yield "atlantis"
    keep_own_packs_in(None)


def _since(day: str, value: Any) -> Entry:
    return {"value": value, "effective_from": date.fromisoformat(day), "source": "§ 1", "status": "confirmed"}


def _tax(rates: Sequence[Entry], period: str, **more: Any) -> Entry:
    """A tax on banking games."""
    said = {"classes": ["banking"], "period": period, "rounding": "each_day"}
    return {
        "payee": "Atlantis",
        "rate": rates,
        **{name: [_since("2012-01-01", value)] for name, value in (said | more).items()},
    }


@pytest.fixture
def atlantis(tmp_path: Path) -> Iterator[str]:
    """The installation's own pack: that of Rhode Island, with a tax whose rate changes on Thursday."""
    rates = [_since("2012-01-01", "0.10"), _since("2026-11-19", "0.20")]
    yield from _own(tmp_path, "us-ri", taxes={"tithe": _tax(rates, "week")})


def test_law_is_data(books: Books, atlantis: str) -> None:
    """A rate of a made-up pack holds from its day on: the week has a line for each, with its source."""
    books.desk.feed("properties", _harbor(atlantis))
    ledger = TableDays("harbor")
    books.desk.feed(
        "inventory", *ledger.table_day("BJ-01", WEDNESDAY, drop=1_000), *ledger.table_day("BJ-01", drop=1_000)
    )
    report = _of(books, "harbor", FRIDAY, WEEK)
    assert [("0.1", "2026-11-18", 1_000, 100), ("0.2", "2026-11-22", 1_000, 200)] == [
        names(row, "rate", "last_day", "base_cents", "amount_cents") for row in rows_of(report, "layers")
    ]
    assert [300] == [row["due_cents"] for row in rows_of(report, "due")]


@pytest.fixture
def monthly(tmp_path: Path) -> Iterator[str]:
    """A pack whose tax by month has two brackets, and is paid one month ahead."""
    brackets = [{"above_cents": 0, "rate": "0.1"}, {"above_cents": 1_500, "rate": "0.2"}]
    rates = [_since("2012-01-01", {"over": "period", "brackets": brackets})]
    yield from _own(tmp_path, "us-ri", taxes={"fee": _tax(rates, "month", estimates={"months_ahead": 1})})


def test_what_was_paid_ahead_comes_off(books: Books, monthly: str) -> None:
    """A bracket a line; what is due waits for the month whose tax was paid ahead, and leads to the days of both."""
    books.desk.feed("properties", _harbor(monthly))
    ledger = TableDays("harbor")
    books.desk.feed("inventory", *ledger.table_day("BJ-01", drop=2_000))
    report = _of(books, "harbor", FRIDAY, "&period=month")
    assert [("0.1", 1_500, 150), ("0.2", 500, 100)] == [
        names(row, "rate", "base_cents", "amount_cents") for row in rows_of(report, "layers")
    ]
    assert [None] == [row["due_cents"] for row in rows_of(report, "due")]
    assert ["the tax of a month by which it is paid ahead is not in these books"] == [
        row["note"] for row in rows_of(report, "due")
    ]
    books.desk.feed("inventory", *ledger.table_day("BJ-01", "2026-10-30", drop=1_000))
    report = _of(books, "harbor", FRIDAY, "&period=month")
    assert [("2026-11-01", 250, "2026-10-01", 100, "2026-12-01", 1, 250, 150)] == [
        names(
            *(row, "month", "tax_cents", "paid_with", "paid_cents"),
            *("ahead_from", "ahead_months", "ahead_cents", "change_cents"),
        )
        for row in rows_of(report, "estimates")
    ]
    assert [250 + 250 - 100] == [row["due_cents"] for row in rows_of(report, "due")]
    assert [] == _failing(report)
