"""Quarters of random revenue against a second calculation of what is due, written from the statutes alone.

Rates are those of 4 Pa.C.S. §§ 13A62, 13A63 (with the additional 2% since 1 August 2016) and of R.I. Gen. Laws
§ 42-61.2-7: they stand here a second time, because a test that read the packs would repeat their errors.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from random import Random
from typing import Final

import pytest

from services.reporting.reports.tax.gross_revenue import DayRevenue
from services.reporting.reports.tax.returns import due_cents, period_sheet
from services.reporting.reports.tax.sheets import daily_sheets
from shared.jurisdictions import PeriodKind
from shared.jurisdictions.model import ClassOfRevenue
from tests.unit.reporting.revenues import PENNSYLVANIA, RHODE_ISLAND, won

DAYS: Final = 92
COMMONWEALTH, LOCAL = "Commonwealth of Pennsylvania", "host county and municipality, through the Department of Revenue"
TABLES: Final[Mapping[ClassOfRevenue, int]] = {"banking": 4, "non_banking": 2, "fully_automated": 2, "contest": 3}


def quarter(random: Random, first: date, *, classes: Sequence[ClassOfRevenue], name: str) -> list[DayRevenue]:
    """Ninety-two days on which tables win and lose, some days without play, some amounts of a cent or none."""
    return [
        won(first + timedelta(days=number), cents, of, f"{of}-{table}", name)
        for number in range(DAYS)
        for of in classes
        for table in range(TABLES[of])
        if random.random() < 0.7
        for cents in [random.choice((random.randint(-900_000, 1_000_000), random.randint(-60, 60), 0))]
    ]


def percent(base: int, rate: int) -> int:
    """Return a percentage of whole cents, half a cent up."""
    return (base * rate * 2 + 100) // 200


def counted(rows: Sequence[DayRevenue], day: date) -> dict[str, int]:
    """Return the revenue of each class that is taxed: a class that lost counts as zero, and so does each contest."""
    sums: Counter[tuple[str, str]] = Counter()
    for row in rows:
        if row.gaming_day == day:
            sums[row.revenue_class, row.table if row.revenue_class == "contest" else ""] += row.cents
    found: Counter[str] = Counter(dict.fromkeys(TABLES, 0))
    for (of, _), cents in sums.items():
        found[of] += max(cents, 0)
    return dict(found)


def due_of_pennsylvania(rows: Sequence[DayRevenue], day: date) -> dict[str, int]:
    """Return what a day owes each payee."""
    of = counted(rows, day)
    whole = sum(of.values())
    rates = [(12, whole), (34, of["fully_automated"]), *([(2, whole)] if day >= date(2016, 8, 1) else [])]
    return {COMMONWEALTH: sum(percent(base, rate) for rate, base in rates), LOCAL: percent(whole, 2)}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("first", [date(2016, 6, 6), date(2026, 10, 1), date(2027, 12, 1)])
def test_pennsylvanias_days_and_returns_are_those_of_a_second_calculation(seed: int, first: date) -> None:
    """Day by day and week by week, over a change of the rate, a year's end and a leap day."""
    rows = quarter(Random(f"{seed} {first}"), first, classes=tuple(TABLES), name="riverside")
    days = [first + timedelta(days=number) for number in range(DAYS)]
    expected = {day: due_of_pennsylvania(rows, day) for day in days}
    last = days[-1]
    for sheet in daily_sheets(PENNSYLVANIA, rows, first, last):
        due: Counter[str] = Counter()
        for line in sheet.layers:
            due[line.payee] += line.amount_cents
        assert expected[sheet.gaming_day] == dict(due), sheet.gaming_day
    monday = first - timedelta(days=first.weekday())
    for week in range(DAYS // 7):
        of_week = [monday + timedelta(days=7 * week + number) for number in range(7)]
        assert {
            payee: sum(expected[day][payee] for day in of_week if day in expected) for payee in (COMMONWEALTH, LOCAL)
        } == due_cents(period_sheet(PENNSYLVANIA, rows, "week", of_week[0]))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["week", "month", "quarter"])
def test_rhode_islands_shares_are_those_of_a_second_calculation(seed: int, kind: PeriodKind) -> None:
    """Of every day 15.5%, 83.5% and 1%; the cents left over go to the largest parts of a cent, the state first."""
    first = date(2026, 10, 1)
    rows = quarter(Random(seed), first, classes=("banking", "non_banking"), name="lakeside")
    found: dict[date, dict[str, int]] = {}
    for sheet in daily_sheets(RHODE_ISLAND, rows, first, date(2026, 12, 31)):
        whole = sum(counted(rows, sheet.gaming_day).values())
        parts = {"state": whole * 155, "operator": whole * 835, "town": whole * 10}
        expected = {party: thousandths // 1000 for party, thousandths in parts.items()}
        rests = sorted(parts, key=lambda party: -(parts[party] % 1000))
        for party in rests[: whole - sum(expected.values())]:
            expected[party] += 1
        found[sheet.gaming_day] = {line.party: line.amount_cents for line in sheet.shares}
        assert expected == found[sheet.gaming_day], sheet.gaming_day
    period = period_sheet(RHODE_ISLAND, rows, kind, date(2026, 11, 18))
    of_period = [day for day in found if period.first <= day <= period.last]
    assert {party: sum(found[day][party] for day in of_period) for party in ("state", "operator", "town")} == {
        line.party: line.amount_cents for line in period.shares
    }
