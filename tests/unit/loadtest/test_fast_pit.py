"""The pit of a month: its figures follow from the rounds of the same month to the cent, but for what is stolen."""

from collections import Counter, defaultdict
from datetime import date
from itertools import pairwise
from typing import Any, Final

import pytest

from loadtest.floor.games import pit
from loadtest.floor.pit import PitDay
from loadtest.floor.pit_items import Overpaying
from loadtest.traffic.casino import Casino, Schedule, casino
from loadtest.traffic.synthetic_month import month, pit_month
from services.reporting.domain.evidence import Evidence
from services.reporting.domain.statistics import observe_count
from shared.contracts.pit import EVENTS, PitReader
from shared.contracts.settlements import SettlementPosted
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import PIT_EVENTS, SETTLEMENTS

DAYS: Final = (date(2026, 5, 8), date(2026, 5, 9))
ROUNDS: Final = 90
READER: Final = Reader(SETTLEMENTS, SettlementPosted)


@pytest.fixture(scope="module")
def where() -> Casino:
    """A casino of a dozen tables."""
    return casino("bayside", pit(12), DAYS[0])


def days(where: Casino, gaming_days: tuple[date, ...] = DAYS, **terms: Any) -> list[PitDay]:
    """Return the days of the pit."""
    terms = {"rounds_per_table_day": ROUNDS, "seed": 7, "rounds_in_pool": 20} | terms
    return list(pit_month(where, gaming_days=gaming_days, **terms))


def test_the_win_of_a_table_is_that_of_the_rounds_of_the_month(where: Casino) -> None:
    """Closer + credits + drop - opener - fills, and what the messages of the same month moved in chips."""
    moved: Counter[tuple[date, str]] = Counter()
    for _, value in month(where, gaming_days=DAYS, rounds_per_table_day=ROUNDS, seed=7, rounds_in_pool=20):
        data = READER.decode(value).data
        moved[data.gaming_day, data.table] += sum(one.chips_cents for one in data.totals)
    for one in days(where):
        for table, money in one.tables.items():
            assert moved[one.gaming_day, table] == money.rounds_win
            assert money.rounds_win - money.coupons_paid - money.waived + money.variance == money.win


def test_what_the_tables_send_can_be_read(where: Casino) -> None:
    """Openers, counts, boxes and closers, in dense streams in the order of time."""
    reader = PitReader(PIT_EVENTS, *EVENTS)
    [first, _] = days(where)
    numbers = {slip: number for number, slip in enumerate(first.slips, start=1)}
    events = [reader.decode(report.value) for report in first.reports(numbers)]
    kinds = Counter(event.type for event in events)
    assert (12, 12, 12, 24) == tuple(
        kinds[kind] for kind in ("table.opened", "table.counted", "table.closed", "box.exchanged")
    )
    for before, after in pairwise(events):
        if before.source == after.source:
            assert before.sequence + 1 == after.sequence
            assert before.time <= after.time


def test_a_dealer_who_overpays_is_found_among_those_who_share_the_tables(where: Casino) -> None:
    """Short counts speak against everybody who dealt there, but nobody is at as many of them as the thief."""
    thief = Schedule(where, ROUNDS, 7).dealer(4, DAYS[0], 0)
    fortnight = tuple(date(2026, 5, day) for day in range(8, 22))
    by_dealer: dict[str, Evidence] = defaultdict(Evidence)
    for one in days(where, fortnight, overpaying=Overpaying(thief, 5_00)):
        for counted in (count for counts in one.counts.values() for count in counts):
            for dealer in counted.dealers:
                by_dealer[dealer] = observe_count(by_dealer[dealer], counted.variance_cents)
    found = {dealer: evidence for dealer, evidence in by_dealer.items() if evidence.finding().alarm}
    assert {thief} == found.keys()
    assert len(by_dealer) > 24
