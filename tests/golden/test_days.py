"""Every golden day is its own test: figures by shift and day, what is missing, and the reference sees the same.

A script of `acts` says what people do (`tests.days.acts`), in the order in which it is reported; `expect` has, by
gaming day (0 is the first), the figures that matter, and everything that is missing: of the first table, and of another
one under its name; under `meter`, what is said of the meter. `then` goes on.
"""

from collections.abc import Mapping
from datetime import date, datetime, timedelta
from typing import Any

import pytest

from services.table_inventory.domain.days import in_words
from services.table_inventory.domain.win import of_day
from shared.contracts.win import Missing
from tests.days.acts import TABLES
from tests.days.books import Books
from tests.days.comparing import Seen, books_of, differences
from tests.days.golden import DAYS, first_day, parts
from tests.days.meter import Metered


@pytest.mark.parametrize("name", DAYS)
def test_a_golden_day(name: str) -> None:
    """What is stated after each act adds up to what is expected at the end, and to what the reference has seen."""
    for part in parts(name, books_of):
        books, now = part.ledger, part.now
        for act in part.acts:
            books.take(act)
            books.state(min(act.at, now))
        books.state(now)
        of = {TABLES[0]: {number: one for number, one in part.expect.items() if isinstance(number, int)}}
        of |= {table: one for table, one in part.expect.items() if table in TABLES}
        for table, number in [(table, number) for table, by_day in of.items() for number in sorted(by_day)]:
            _require(books, table, first_day(name), number, now, of[table][number])
        for number, metered in part.expect.get("meter", {}).items():
            assert books.metered(first_day(name) + timedelta(days=number)) == Metered(**metered)
        assert [] == list(differences(books, Seen.of(books.place, part.so_far, now), now))


def test_each_golden_day_says_why() -> None:
    """No script is without a reason and an expectation."""
    assert [name for name, golden in DAYS.items() if not (golden.get("why") and golden.get("expect"))] == []


def _require(books: Books, table: str, first: date, number: int, now: datetime, expected: Mapping[str, Any]) -> None:
    day = first + timedelta(days=number)
    wins = books.tables[table].wins(day, now)
    missing = {one for of, it in books.standing[table].items() if of[0] == day for one in it.missing}
    assert sorted(expected.get("missing", [])) == sorted(_written(one, books, first) for one in missing)
    if "day" in expected:
        whole = of_day(books.provisions, wins)
        found = {name: getattr(whole, f"{name}_cents") for name in expected["day"]}
        assert expected["day"] == found
    for shift, figures in expected.get("shifts", {}).items():
        stated = books.standing[table][day, shift].sums.model_dump()
        assert figures == {name: stated.get(f"{name}_cents", stated.get(name)) for name in figures}


def _written(missing: Missing, books: Books, first: date) -> str:
    """Return what is missing as scripts write it: what, which, and since when on the clock of the property."""
    assert in_words("T", missing, books.place.zone), "it can be said"
    since = missing.since.astimezone(books.place.zone)
    days = (since.date() - first).days
    return f"{missing.what}{missing.name and ' '}{missing.name} since {f'+{days} ' if days else ''}{since:%H:%M}"
