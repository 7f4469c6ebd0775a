"""Credit activity: counter checks issued, paid, deposited, returned and written off; amounts outstanding by age."""

import asyncio
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import pairwise
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Identity, Section, fill
from services.reporting.framework.figures import Figure, total
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.cells import total_of
from services.reporting.reports.common.credit_flows import FLOW_COLUMNS, change_in, change_of, credit_flows
from services.reporting.reports.counter_checks.checks_on_hand import STEPS, HeldCheck, held_checks, left_before
from shared.contracts.inventory import PitRecorded
from shared.contracts.properties import AGEING_DAYS

DAYS: Final = Section(
    name="days",
    title="By gaming day",
    key=("gaming_day",),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        *FLOW_COLUMNS,
    ),
)

AGEING: Final = Section(
    name="ageing",
    title="By age",
    key=("age",),
    columns=(
        Column(name="age", title="Age group", formula="days since the first issuance, in the property's age groups"),
        Column(name="checks", title="Checks", unit="count", added=True),
        Column(name="left_cents", title="Outstanding", unit="cents", added=True),
    ),
)

OWED: Final = Section(
    name="owed",
    title="Outstanding at the end",
    key=("serial",),
    columns=(
        Column(name="serial", title="Serial no."),
        Column(name="drawer", title="Drawn by", formula="the patron who drew the check, by reference"),
        Column(
            name="first_day",
            title="First issued on",
            unit="day",
            formula="gaming day; for a check that replaced others, that of the earliest",
        ),
        Column(
            name="age_days",
            title="Age in days",
            unit="count",
            formula="days from the first issuance to the last gaming day of the period",
        ),
        Column(name="age", title="Age group"),
        Column(name="left_cents", title="Outstanding", unit="cents", added=True),
    ),
)


@dataclass(frozen=True, slots=True)
class Group:
    """An age group of checks, from `first` to `last` days, inclusive (`last` is None: no upper limit)."""

    first: int
    last: int | None

    def __str__(self) -> str:
        return f"{self.first} and more" if self.last is None else f"{self.first} to {self.last}"

    def has(self, days: int) -> bool:
        """Return whether an age is in the group."""
        return self.first <= days and (self.last is None or days <= self.last)


def groups_of(ageing_days: Sequence[int]) -> list[Group]:
    """Return the age groups that end with the given ages, and the group of all greater ages.

    >>> [str(group) for group in groups_of((7, 30))]
    ['0 to 7', '8 to 30', '31 and more']
    """
    ends = [-1, *ageing_days]
    return [Group(before + 1, last) for before, last in pairwise(ends)] + [Group(ends[-1] + 1, None)]


async def _fill(books: Books) -> Content:
    flows, before, held = await asyncio.gather(credit_flows(books), left_before(books), held_checks(books))
    rules = books.place.document.credit_lines
    groups = groups_of(AGEING_DAYS if rules is None else rules.ageing_days)
    owed = [one for one in held if one.left.value]
    last = books.question.last
    sections = (
        fill(DAYS, _days(flows, before)),
        fill(AGEING, _ageing(owed, groups, last)),
        fill(OWED, [_owed(one, groups, last) for one in owed]),
    )
    return Content(sections, tuple(_identities(before, *sections)))


def _days(flows: Mapping[date, Mapping[str, Figure]], before: Figure) -> Iterator[dict[str, Any]]:
    for day, sums in flows.items():
        opening, before = before, before + change_of(sums)
        yield {"gaming_day": day, "opening_cents": opening, **sums, "closing_cents": before}


def _ageing(owed: Sequence[HeldCheck], groups: Sequence[Group], last: date) -> Iterator[dict[str, Any]]:
    for group in groups:
        of_group = [one for one in owed if group.has(one.age_days(last).value)]
        yield {"age": str(group), "checks": len(of_group), "left_cents": total(one.left for one in of_group)}


def _owed(one: HeldCheck, groups: Sequence[Group], last: date) -> dict[str, Any]:
    age_days = one.age_days(last)
    return {
        "serial": one.serial,
        "drawer": one.drawer,
        "first_day": one.first_day,
        "age_days": age_days,
        "age": str(next(group for group in groups if group.has(age_days.value))),
        "left_cents": one.left,
    }


def _identities(before: Figure, days: Filled, ageing: Filled, owed: Filled) -> Iterator[Identity]:
    says = (
        "outstanding before + issued + returned unpaid - redeemed - deposited - written off equals "
        "outstanding at the end"
    )
    yield Identity("outstanding", before + change_in(days), total_of(owed, "left_cents"), says)
    yield Identity(
        "by age",
        total_of(ageing, "left_cents"),
        total_of(owed, "left_cents"),
        "the age groups together contain every outstanding check once",
    )


CREDIT_ACTIVITY: Final = Report(
    name="credit-activity",
    title="Credit activity and ageing",
    about=(
        "Counter check activity by gaming day: issued, redeemed, deposited, returned unpaid, written off, "
        "consolidated and recovered; and the amount outstanding at the end, by the age groups that the "
        "property defines (`credit_lines`). A replacement check has the age of the earliest check that it "
        "replaced."
    ),
    sections=(DAYS, AGEING, OWED),
    sources=(PitRecorded, *STEPS),
    fill=_fill,
    signatures=("Credit", "Revenue audit"),
)
