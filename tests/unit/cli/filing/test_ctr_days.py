"""The file of two hundred gaming days at random, read by a reader of its own: what persons moved is on its lines."""

import os
from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta
from importlib import import_module
from math import ceil
from random import Random
from typing import Any, Final, NamedTuple

import pytest

from services.cli.filing.ctr_batch import CtrActivity, Line, ctr_batch
from services.reporting.domain.federal.currency import CashMovement, currency_totals, lines_of
from shared.contracts.cage import DIRECTIONS, Direction
from shared.jurisdictions import pack
from tests.support.filings import FILER
from tests.unit.cli.filing.test_ctr_batch import BOTH, BY_LINE, WAYS, details, read, texts
from tests.unit.reporting.cash import DAY, paid

SEED: Final = 20261120
DAYS: Final = 200
LAW: Final = pack("us-federal")
SPECIFIED: Final = {
    "other in": ("locker rental", "lost property"),
    "other out": ("lost property", "a wager that was taken back"),
    "foreign currency bought": ("CA", "MX"),
    "foreign currency sold": ("CA", "GB"),
}


class Moved(NamedTuple):
    """What somebody moved, in the words of the cage: an exchange is one thing, in and out."""

    person: str
    kind: str
    cents: int
    specified: str


KINDS: Final = sorted({kind for kind, _ in WAYS})
EXCHANGES: Final = {kind.replace("_", " ") for kind, direction in DIRECTIONS.items() if direction == "both"}


def ways(kind: str) -> Iterator[Direction]:
    """Yield where the money of a kind goes."""
    for way in BOTH:
        if (kind, way) in WAYS:
            yield way


def of_day(random: Random) -> list[Moved]:
    """Return what three persons move on a day, often around the threshold."""
    found = []
    for number in range(random.randint(0, 12)):
        kind = random.choice(KINDS)
        cents = random.choice((random.randint(1, 999_999), 500_000, 500_001, 1_000_000, 1_000_001))
        said = random.choice(SPECIFIED.get(kind, ("",)))
        found.append(Moved(f"p-{number % 3}", kind, cents, said))
    return found


def as_report_has_it(moved: list[Moved], number: int) -> Iterator[CashMovement]:
    """Yield the movements of a day in the currency report: an exchange twice under one reference."""
    for at, (person, kind, cents, said) in enumerate(moved):
        for way in ways(kind):
            more = {"direction": way, "kind": kind, "specified": said, "reference": f"{number}/{at}"}
            yield paid(1, day=number, minutes=at, patron=person, **more)._replace(cents=cents)


def activities(movements: list[CashMovement]) -> list[CtrActivity]:
    """Return the reports of gaming days, as they are prepared from the currency report."""
    found: dict[tuple[date, str], list[Line]] = {}
    for total in currency_totals(LAW, "ctr", movements):
        if total.standing == "reached":
            lines = found.setdefault((total.first.gaming_day, total.first.patron or ""), [])
            for line in lines_of(total):
                one = line.movements[0]
                lines.append(Line(one.kind, one.direction, len(line.movements), line.cents, specified=one.specified))
    return [CtrActivity(day, None, lines, reference=person) for (day, person), lines in found.items()]


def expected(moved: list[Moved]) -> dict[str, Counter[tuple[str, int, str, str]]]:
    """Return the lines of each person's report of a day: added up from what was moved, and from nothing else."""
    sums, cents = Counter[tuple[str, Direction]](), Counter[tuple[str, Direction, str, str, str]]()
    for one in moved:
        for way in ways(one.kind):
            sums[one.person, way] += one.cents
            code = BY_LINE[one.kind, way]
            text = "" if code not in ("997", "998") else one.specified or one.kind
            country = one.specified if code in ("53", "54") else ""
            cents[one.person, way, code, text, country] += one.cents
    found: dict[str, Counter[tuple[str, int, str, str]]] = {}
    for (person, direction, code, text, country), total in cents.items():
        if sums[person, direction] > 10_000_00:
            found.setdefault(person, Counter())[code, ceil(total / 100), text, country] += 1
    return found


def test_what_two_hundred_days_moved_is_on_the_lines_of_their_reports() -> None:
    """Each line, total and country; an exchange on both sides; valid by the schema, where CTR_SCHEMA names it."""
    random, reports, exchanged = Random(SEED), 0, 0
    schema = os.environ.get("CTR_SCHEMA")
    etree: Any = None if schema is None else import_module("lxml.etree")
    valid = None if schema is None else etree.XMLSchema(file=schema)
    for number in range(DAYS):
        moved = of_day(random)
        filed = activities(list(as_report_has_it(moved, number)))
        wanted = expected(moved)
        assert wanted.keys() == {one.reference for one in filed}, f"seed {SEED}, day {number}"
        if not filed:
            continue
        content = ctr_batch(FILER, filed, filed_on=DAY + timedelta(days=number + 1))
        if valid is not None:
            valid.assertValid(etree.fromstring(content))
        batch = read(content)
        found = [one for one in batch if one.tag.endswith("}Activity")]
        for report, activity in zip(filed, found, strict=True):
            lines = wanted[report.reference]
            assert lines == details(activity), f"seed {SEED}, day {number}, {report.reference}"
            dollars = sum(one[1] * times for one, times in lines.items())
            boxes = texts(activity, "TotalCashInReceiveAmountText") + texts(activity, "TotalCashOutAmountText")
            assert dollars == sum(int(text or 0) for text in boxes)
            reports += 1
        exchanged += sum(one.kind in EXCHANGES for one in moved)
    assert min(reports, exchanged) > DAYS / 2


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_has_a_side(kind: str) -> None:
    """And an exchange has both."""
    assert (2 if kind in EXCHANGES else 1) == len(list(ways(kind)))
