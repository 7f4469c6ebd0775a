"""Currency reports and logs (FinCEN 112, Multiple Transaction Log): what persons moved in a gaming day. Pure; cents."""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import ceil
from operator import attrgetter
from typing import Final, Literal, NamedTuple, get_args

from services.reporting.domain.law import Applied
from shared.jurisdictions import Pack
from shared.jurisdictions.forms import CurrencyReport

Direction = Literal["in", "out"]
"""Into the casino, or out of it to the person."""

Department = Literal["account", "cage", "table"]
"""Where currency is moved; each has a log of its own."""

Standing = Literal["below", "near", "reached"]
"""Where an amount stands to a threshold."""

WARNING_SHARE: Final = Fraction(4, 5)
"""The share of a threshold from which on a total is near it: the property's own choice, no law."""


class CashMovement(NamedTuple):
    """What a person paid in or was paid, cents, at a place: an account, the cage, a table.

    `kind` says what for (a buy-in, a redemption of chips), `reference` where it is recorded. `patron` is a reference
    without meaning here, None where nobody is known: what one such person did cannot be told from what another did.
    """

    patron: str | None
    property: str
    gaming_day: date
    moment: datetime
    direction: Direction
    cents: int
    kind: str
    department: Department
    place: str
    reference: str
    medium: Literal["currency", "instrument"] = "currency"


class LogEntry(NamedTuple):
    """A movement, and what the person had moved in and out in the gaming day when it was over, cents."""

    movement: CashMovement
    in_cents: int
    out_cents: int


@dataclass(frozen=True, slots=True)
class Held:
    """What holds for a report on a gaming day: its form, the amounts that a total is compared to, by which law.

    `file_by` is the last day on which the report is filed in time, counted from the gaming day, None where none is
    filed. `filed` is the law of what is due: where nothing is filed, it says no more than `applied`.
    """

    report: str
    form: str
    gaming_day: date
    threshold_cents: int
    near_cents: int
    reached_cents: int
    is_each_alone: bool
    file_by: date | None
    applied: tuple[Applied, ...]
    filed: tuple[Applied, ...]

    def standing(self, cents: int) -> Standing:
        """Return where an amount stands to the threshold."""
        return "reached" if cents >= self.reached_cents else "near" if cents >= self.near_cents else "below"


class CurrencyTotal(NamedTuple):
    """Movements that a report takes as one, added up, and where they stand to its threshold.

    `reached` is to be reported or logged, `near` is not but may soon be.
    """

    held: Held
    cents: int
    standing: Standing
    entries: Sequence[LogEntry]

    @property
    def first(self) -> CashMovement:
        """Return the first of the movements, all of which are of one person, gaming day and direction."""
        return self.entries[0].movement

    @property
    def file_by(self) -> date | None:
        """Return the last day on which the report is filed in time; None where none is filed or nothing is reached."""
        return self.held.file_by if self.standing == "reached" else None

    @property
    def applied(self) -> tuple[Applied, ...]:
        """Return the law by which it is reported, or is not."""
        return self.held.filed if self.standing == "reached" else self.held.applied


def currency_totals(
    law: Pack, report: str, movements: Iterable[CashMovement], *, warning_share: Fraction = WARNING_SHARE
) -> tuple[CurrencyTotal, ...]:
    """Return the totals of a report of the pack, such as `ctr`, in the order of their first movements.

    In and out are added up apart, over all places of a property where the person is known. Movements of persons whom
    nobody knows stand alone. `warning_share` of the threshold and more is near it.

    Raises: KeyError for a report that the pack does not have; LookupError for a day of which it does not know the law;
    ValueError for a movement of no money.
    """
    rule = law.currency_reports[report]
    ordered = in_order([one for one in movements if one.medium == rule.medium])
    held = {day: _held(law, report, day, warning_share) for day in sorted({one.gaming_day for one in ordered})}
    together: dict[Hashable, list[LogEntry]] = {}
    for number, entry in enumerate(_running(ordered)):
        one = entry.movement
        if one.patron is None or held[one.gaming_day].is_each_alone:
            together[number] = [entry]
        else:
            together.setdefault((one.property, one.patron, one.gaming_day, one.direction), []).append(entry)
    return tuple(_total(held[entries[0].movement.gaming_day], entries) for entries in together.values())


def department_logs(totals: Iterable[CurrencyTotal]) -> dict[Department, tuple[LogEntry, ...]]:
    """Return the log of each department: its movements in the totals that reached the threshold, by moment.

    The running totals of an entry count what the person moved in other departments too.
    """
    entries = [entry for total in totals if total.standing == "reached" for entry in total.entries]
    entries.sort(key=_order_of_entries)
    return {
        name: tuple(entry for entry in entries if entry.movement.department == name) for name in get_args(Department)
    }


def in_order(movements: Iterable[CashMovement]) -> tuple[CashMovement, ...]:
    """Return movements by moment, those of one moment by place and reference.

    Raises: ValueError for one of no money: a movement back is one in the other direction.
    """
    found = sorted(movements, key=_order)
    for one in found:
        if one.cents <= 0:
            raise ValueError(f"{one.reference}: {one.cents} cents moved nothing; give what moved, and its direction")
    return tuple(found)


_order: Final = attrgetter("moment", "property", "place", "reference")
_order_of_entries: Final = attrgetter("movement.moment", "movement.property", "movement.place", "movement.reference")


def reached_cents(rule: CurrencyReport, day: date) -> int:
    """Return the least amount, cents, that is to be reported on a gaming day: the threshold, or what is above it."""
    return rule.threshold_cents.on(day).value + (rule.reached == "above")


def _running(movements: Iterable[CashMovement]) -> Iterable[LogEntry]:
    """Give movements with what the person has moved in the gaming day so far; of nobody known, that alone."""
    moved: dict[tuple[str, str, date], dict[Direction, int]] = {}
    for one in movements:
        so_far: dict[Direction, int] = {"in": 0, "out": 0}
        if one.patron is not None:
            so_far = moved.setdefault((one.property, one.patron, one.gaming_day), so_far)
        so_far[one.direction] += one.cents
        yield LogEntry(one, so_far["in"], so_far["out"])


def _held(law: Pack, report: str, day: date, warning_share: Fraction) -> Held:
    rule = law.currency_reports[report]
    threshold, together = rule.threshold_cents.on(day), rule.together.on(day)
    within = None if rule.file_within_days is None else rule.file_within_days.on(day)
    applied = (
        Applied.of(f"forms.{rule.form}", law.forms[rule.form].on(day)),
        Applied.of(f"currency_reports.{report}.threshold_cents", threshold),
        Applied.of(f"currency_reports.{report}.together", together),
    )
    filed = () if within is None else (Applied.of(f"currency_reports.{report}.file_within_days", within),)
    return Held(
        report=report,
        form=rule.form,
        gaming_day=day,
        threshold_cents=threshold.value,
        near_cents=ceil(threshold.value * warning_share),
        reached_cents=reached_cents(rule, day),
        is_each_alone=together.value == "each_alone",
        file_by=None if within is None else day + timedelta(days=within.value),
        applied=applied,
        filed=applied + filed,
    )


def _total(held: Held, entries: Sequence[LogEntry]) -> CurrencyTotal:
    cents = sum([entry.movement.cents for entry in entries])
    return CurrencyTotal(held, cents, held.standing(cents), entries)
