"""Journals of the general ledger, and the files of them: balanced, reversed, and read by hledger and beancount."""

import csv
import io
import subprocess
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Final, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.reporting.domain.ledger_journals import (
    Destination,
    JournalLine,
    LedgerJournal,
    journals_of,
    lines_of,
)
from services.reporting.framework.figures import Figure
from services.reporting.rendering.ledger_files import LEDGER_FORMATS, LedgerFormatName, write_journals
from services.reporting.rendering.ledger_files.ledger_file import LedgerFile
from services.reporting.rendering.ledger_files.plain_text import account_name
from shared.contracts.rejection import Rejected
from tests.support.ledger_mappings import approved_mapping
from tests.support.programs import beancount_of, hledger_of, iif_of

DAY: Final = date(2026, 11, 20)
SEALED: Final = datetime(2026, 11, 21, 12, tzinfo=UTC)
CHART: Final = approved_mapping().chart

Moved = list[tuple[Destination, int]]

_DESTINATIONS = st.builds(
    Destination, st.sampled_from(sorted(CHART)), st.sampled_from(("", "300")), st.sampled_from(("", "310"))
)
_CENTS = st.integers(-(10**9), 10**9)


@st.composite
def balanced(draw: st.DrawFn) -> Moved:
    """What was posted on some accounts, which comes to nothing altogether."""
    moved = draw(st.lists(st.tuples(_DESTINATIONS, _CENTS), max_size=12))
    rest = -sum(cents for _, cents in moved)
    return [*moved, (draw(_DESTINATIONS), rest)]


def lines(moved: Moved) -> tuple[JournalLine, ...]:
    """The lines of a journal."""
    return lines_of((destination, Figure(cents)) for destination, cents in moved)


def file_of(days: Sequence[Sequence[Moved]]) -> LedgerFile:
    """A file of days, each with its versions: as sealed, and as restated."""
    journals: list[LedgerJournal] = []
    last: Moved = []
    for number, versions in enumerate(days):
        known = [(SEALED + timedelta(hours=hours), lines(moved)) for hours, moved in enumerate(versions)]
        journals.extend(journals_of(DAY + timedelta(days=number), known))
        last += versions[-1]
    charts = {DAY + timedelta(days=number): CHART for number in range(len(days))}
    return LedgerFile("riverside", 'Riverside "Casino"', "USD", max(charts), charts, journals, lines(last))


def sums(file: LedgerFile) -> dict[str, int]:
    """What the journals of a file come to by account, without those that come to nothing."""
    found: Counter[str] = Counter()
    for journal in file.journals:
        for line in journal.lines:
            found[account_name(CHART[line.destination.account])] += line.cents.value
    return {name: cents for name, cents in found.items() if cents}


MONTH = file_of(
    [
        [
            [(Destination("1010", "", ""), 125_00 + day), (Destination("4010", "300", "310"), -125_00 - day)],
            [(Destination("1010", "", ""), 120_00), (Destination("4020", "300", ""), -120_00)],
        ][: 1 + (day % 7 == 0)]
        for day in range(30)
    ]
)
"""Thirty days, of which each seventh was restated."""


@given(st.lists(balanced(), min_size=1, max_size=4))
def test_every_journal_balances_and_the_day_comes_to_its_last_version(versions: list[Moved]) -> None:
    """However often it is restated: debits are credits in each, and all of them together are what is known last."""
    journals = list(journals_of(DAY, [(SEALED, lines(moved)) for moved in versions]))
    assert [0] * len(journals) == [sum(line.cents.value for line in journal.lines) for journal in journals]
    together = lines_of((line.destination, line.cents) for journal in journals for line in journal.lines)
    assert lines(versions[-1]) == together


def test_a_restatement_reverses_the_journal_before_it() -> None:
    """Line by line under the same day; the numbers go on, and those of earlier journals stay."""
    first, reversal, again = journals_of(
        DAY, [(SEALED, lines(moved)) for moved in ([(Destination("1010", "", ""), 5)],) * 2]
    )
    assert ["GL261120-1", "GL261120-1R", "GL261120-2"] == [one.number for one in (first, reversal, again)]
    assert [(one.destination, -one.cents.value) for one in first.lines] == [
        (one.destination, one.cents.value) for one in reversal.lines
    ]
    assert {DAY} == {one.gaming_day for one in (first, reversal, again)}


def test_beancount_holds_the_month_as_the_journals_do(tmp_path: Path) -> None:
    """`bean-check` takes the file, with its assertions of balances; every account comes to what the journals do."""
    assert sums(MONTH) == beancount_of(write_journals(MONTH, "beancount"), tmp_path)


def test_hledger_holds_the_month_as_the_journals_do(tmp_path: Path) -> None:
    """`hledger check` takes the file, strictly; every account comes to what the journals do."""
    assert sums(MONTH) == hledger_of(write_journals(MONTH, "hledger"), tmp_path)


@pytest.mark.parametrize(("name", "read"), [("beancount", beancount_of), ("hledger", hledger_of)])
def test_a_journal_that_is_not_what_was_posted_is_found(
    name: LedgerFormatName, read: Callable[[bytes, Path], dict[str, int]], tmp_path: Path
) -> None:
    """A planted wrong mapping: a line of one journal on another account balances, and contradicts the assertions."""
    journal = MONTH.journals[4]
    wrong = replace(journal.lines[0], destination=Destination("1120", "", ""))
    journals = [replace(one, lines=(wrong, *one.lines[1:])) if one is journal else one for one in MONTH.journals]
    with pytest.raises(subprocess.CalledProcessError) as refused:
        read(write_journals(replace(MONTH, journals=journals), name), tmp_path)
    said = refused.value.stderr + refused.value.stdout
    assert "Assets:1010" in said or "Assets:1120" in said


def test_each_program_has_the_amounts_of_every_line() -> None:
    """The columns of each layout, and debits and credits that are those of the journals."""
    cents = [line.cents.value for journal in MONTH.journals for line in journal.lines]
    for name, debit, credit in (("csv", "debit", "credit"), ("netsuite", "Debit", "Credit")):
        rows = table(cast("LedgerFormatName", name))
        assert cents == [_cents(row[debit]) - _cents(row[credit]) for row in rows]
    small = file_of([[[(Destination("1010", "", ""), 7), (Destination("4010", "300", "310"), -7)]]])
    for name, amount in (("xero", "*Amount"), ("sage", "Amount")):
        assert [7, -7] == [_cents(row[amount]) for row in table(cast("LedgerFormatName", name), small)]
    assert ["2", "2"] == [row["Number of Distributions"] for row in table("sage", small)]
    [first, second] = table("xero", small)
    assert ("20/11/2026", "1010", "", "4010", "300", "310") == (
        *(first["*Date"], first["*AccountCode"], first["TrackingOption1"]),
        *(second["*AccountCode"], second["TrackingOption1"], second["TrackingOption2"]),
    )


def test_quickbooks_reads_a_transaction_of_lines_that_sum_to_zero() -> None:
    """Three rows name the columns; the first line is TRNS, the others SPL, and ENDTRNS is behind them."""
    rows = [line.split("\t") for line in write_journals(MONTH, "iif").decode("cp1252").split("\r\n")]
    columns = ["TRNSID", "TRNSTYPE", "DATE", "ACCNT", "CLASS", "AMOUNT", "DOCNUM", "MEMO"]
    assert [["!TRNS", *columns], ["!SPL", "SPLID", *columns[1:]], ["!ENDTRNS"]] == rows[:3]
    assert ["TRNS", "", "GENERAL JOURNAL", "11/20/2026", CHART["1010"].title, "", "125.00", "GL261120-1"] == rows[3][:8]
    assert [
        "SPL",
        "",
        "GENERAL JOURNAL",
        "11/20/2026",
        "Table games - wagers and payouts",
        "300:310",
        "-125.00",
    ] == rows[4][:7]
    assert ["ENDTRNS"] == rows[5]
    assert len(MONTH.journals) == sum(row == ["ENDTRNS"] for row in rows)


def test_quickbooks_has_no_account_below_another() -> None:
    """However an account is titled: a colon would be that between a parent and its child."""
    titled = {account.account: account.title for account in CHART.values() if ":" in account.title}
    assert titled, "an account of the example has a colon"
    days = [[[(Destination(account, "", ""), 100_00 + number), (Destination("1010", "", ""), -100_00 - number)]]
            for number, account in enumerate(titled)]  # fmt: skip
    found = iif_of(write_journals(file_of(days), "iif"))
    assert {1} == {len(place) for place in found}
    names = {CHART[account].title.replace(":", " -") for account in titled} | {CHART["1010"].title}
    assert names == {name for (name,) in found}
    assert [100_00 + number for number in range(len(titled))] == sorted(cents for cents in found.values() if cents > 0)


def test_titles_are_written_whatever_marks_they_have(tmp_path: Path) -> None:
    """Colons, commas, quotes, the marks of comments and formulas: every program reads the amounts of the journals."""
    marked = (
        'Cash: "cage", vault; a|b \\',
        "=1+1, 'tips'",
        "*Tips* (pool) [a] {b} @",
        "# rake; type: X, c",
        "Größe – “q” €",
    )
    chart = {
        number: account.model_copy(update={"title": f"{marked[place % len(marked)]} {number}"})
        for place, (number, account) in enumerate(sorted(CHART.items()))
    }
    used = sorted(chart)[: 2 * len(marked)]
    days = [
        [[(Destination(number, "300", "310"), 100 + cents), (Destination(used[0], "", ""), -100 - cents)]]
        for cents, number in enumerate(used[1:])
    ]
    file = file_of(days)
    file = replace(file, charts=dict.fromkeys(file.charts, chart), title='Riverside "C": a; b, c \\')
    expected = sums(file)
    assert expected == hledger_of(write_journals(file, "hledger"), tmp_path)
    assert expected == beancount_of(write_journals(file, "beancount"), tmp_path)
    titles = {f"{chr(39) * title.startswith('=')}{title}" for title in (chart[number].title for number in used)}
    assert titles == {row["account_title"] for row in table("csv", file)}
    of_iif = iif_of(write_journals(file, "iif"))
    assert sorted(expected.values()) == sorted(of_iif.values())
    assert {1} == {len(place) for place in of_iif}


def test_a_file_that_a_program_does_not_take_is_refused() -> None:
    """Xero takes 300 lines in a file."""
    many = replace(MONTH, journals=[*MONTH.journals] * 5)
    with pytest.raises(Rejected, match="xero takes 300 in a file: ask for a shorter period"):
        write_journals(many, "xero")


@pytest.mark.parametrize("name", LEDGER_FORMATS)
@pytest.mark.parametrize("change", [{"title": "Vault"}, {"kind": "clearing"}])
def test_each_journal_has_the_accounts_of_its_own_day(name: LedgerFormatName, change: dict[str, str]) -> None:
    """What the first day has is in a file of two days as it is in one of its own, or that file is refused."""
    moved = [(Destination("1010", "", ""), 7), (Destination("4010", "", ""), -7)]
    first, both = file_of([[moved]]), file_of([[moved], [moved]])
    changed = {**CHART, "1010": CHART["1010"].model_copy(update=change)}
    both = replace(both, charts={**both.charts, DAY + timedelta(days=1): changed})
    if name in ("hledger", "beancount"):
        with pytest.raises(Rejected, match=r"account 1010 is 'Currency .* before gaming day 2026-11-21 and "):
            write_journals(both, name)
    else:
        assert write_journals(both, name).startswith(write_journals(first, name))


@pytest.mark.parametrize("name", LEDGER_FORMATS)
def test_the_same_journals_have_the_same_bytes(name: LedgerFormatName) -> None:
    """In every format, and without a journal, too."""
    assert write_journals(MONTH, name) == write_journals(MONTH, name)
    assert write_journals(replace(MONTH, journals=(), balances=(), charts={}), name)


def table(name: LedgerFormatName, file: LedgerFile = MONTH) -> list[dict[str, str]]:
    """The rows of a CSV file."""
    return list(csv.DictReader(io.StringIO(write_journals(file, name).decode())))


def _cents(text: str) -> int:
    return int(text.replace(".", "")) if text else 0
