"""Currency reports and logs (FinCEN 112, Multiple Transaction Log): transactions by person and day. Pure; cents."""

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from fractions import Fraction
from math import ceil
from typing import Final, Literal, NamedTuple, get_args

from services.reporting.domain.law import Applied
from shared.contracts.cage import Direction
from shared.contracts.currency_lines import MovedCurrency, dollars_by_line
from shared.contracts.instruments import Instrument
from shared.jurisdictions import Pack

Department = Literal["account", "cage", "table"]
"""The department of a currency transaction; each has a log of its own."""

Standing = Literal["below", "near", "reached"]
"""The position of an amount relative to a threshold."""

WARNING_SHARE: Final = Fraction(4, 5)
"""The share of a threshold from which a total counts as near it: the property's choice, not law."""


class CashMovement(NamedTuple):
    """A currency transaction of a person, in cents, at an account, the cage, or a table.

    `kind` is its purpose (a buy-in, a redemption of chips), `reference` its record. `patron` is an opaque reference, or
    None for an unknown person; two transactions with None may be by different persons. A transaction conducted for
    others counts for the `conductor` and for each person in `on_behalf_of`, with the same reference. Both fields are
    empty if the person acts for nobody else. An exchange of currency is two transactions with the same reference, in
    and out.

    `specified` is the purpose of a transaction without a line of its own on the form, or the country of foreign
    currency. `by` is the employee who recorded it, at the cage; `instrument` describes a monetary instrument.
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
    conductor: str | None = None
    on_behalf_of: tuple[str, ...] = ()
    specified: str = ""
    by: str = ""
    instrument: Instrument | None = None


class LogEntry(NamedTuple):
    """A transaction, and the person's totals in and out on the gaming day up to and including it, in cents."""

    movement: CashMovement
    in_cents: int
    out_cents: int


@dataclass(frozen=True, slots=True)
class Held:
    """The rules of a report on a gaming day: form, threshold and warning amounts, and deadline.

    `file_by` is the filing deadline for the gaming day, None if nothing is filed. `applied` are the values of law
    behind the amounts; `filed` adds the value behind the deadline, if there is one.
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
        """Return whether an amount has `reached` the threshold, is `near` it, or is `below` both amounts."""
        return "reached" if cents >= self.reached_cents else "near" if cents >= self.near_cents else "below"


class CurrencyTotal(NamedTuple):
    """Transactions that a report aggregates, their sum, and the sum's standing relative to the threshold.

    A total that is `reached` must be reported or logged; one that is `near` need not be reported yet.
    """

    held: Held
    cents: int
    standing: Standing
    entries: Sequence[LogEntry]

    @property
    def first(self) -> CashMovement:
        """Return the first transaction; all of the transactions have the same person, gaming day and direction."""
        return self.entries[0].movement

    @property
    def file_by(self) -> date | None:
        """Return the filing deadline; None if nothing is filed or the threshold is not reached."""
        return self.held.file_by if self.standing == "reached" else None

    @property
    def applied(self) -> tuple[Applied, ...]:
        """Return the values of law that decide whether the total is reported and, if so, by when."""
        return self.held.filed if self.standing == "reached" else self.held.applied


class CurrencyLine(NamedTuple):
    """The transactions of one line of a form: same kind, specification, conductor and beneficiaries."""

    movements: Sequence[CashMovement]

    @property
    def cents(self) -> int:
        """Return the sum of the transactions, in cents."""
        return sum(one.cents for one in self.movements)


def lines_of(total: CurrencyTotal) -> list[CurrencyLine]:
    """Return the lines of the form for a total, in the order of their first transactions."""
    lines: dict[tuple[str, str, str | None, tuple[str, ...]], list[CashMovement]] = {}
    for entry in total.entries:
        one = entry.movement
        lines.setdefault((one.kind, one.specified, one.conductor, one.on_behalf_of), []).append(one)
    return [CurrencyLine(movements) for movements in lines.values()]


def dollars_of(total: CurrencyTotal) -> int:
    """Return a total in whole dollars, as on its form: each line is rounded up separately."""
    moved = (
        MovedCurrency(one.kind, one.direction, one.specified, one.cents)
        for one in (each.movement for each in total.entries)
    )
    return sum(dollars_by_line(moved).values())


def currency_totals(
    law: Pack, report: str, movements: Iterable[CashMovement], *, warning_share: Fraction = WARNING_SHARE
) -> tuple[CurrencyTotal, ...]:
    """Return the totals of a report of the pack, such as `ctr`, in the order of their first transactions.

    In and out are totaled separately. If the person is known, a total covers all departments of a property;
    transactions of unknown persons are not aggregated. A total is near the threshold if it is at least `warning_share`
    of it.

    Raises: KeyError for a report that the pack does not have; LookupError for a day without law in the pack; ValueError
    for a transaction without money.
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


_Reported = tuple[str, str, date]
"""A property, a person, and a gaming day: the key of a person's report."""


def reported_with(
    totals: Iterable[CurrencyTotal], sent: Collection[tuple[str, date]] = frozenset()
) -> dict[_Reported, str]:
    """Return, for each redundant report, the person whose report already contains all of its transactions.

    Keys are (property, person, gaming day). Only totals that reached a report's threshold are considered.

    A transaction conducted for another person is in the totals of both persons. The report with more transactions is to
    be filed. If both reports have the same transactions, a report that was already sent takes precedence (`sent` has
    the persons and days of such reports), then the report of the person for whom they were conducted. The filed report
    names everybody who took part.
    """
    found: dict[tuple[str, date], dict[_Reported, list[CashMovement]]] = {}
    for total in totals:
        one = total.first
        if total.standing == "reached" and one.patron is not None:
            key = one.property, one.patron, one.gaming_day
            moved = found.setdefault((one.property, one.gaming_day), {}).setdefault(key, [])
            moved += (entry.movement for entry in total.entries)
    return {key: whole for reports in found.values() for key, whole in _covered(reports, sent)}


def _covered(
    reports: Mapping[_Reported, Sequence[CashMovement]], sent: Collection[tuple[str, date]]
) -> Iterator[tuple[_Reported, str]]:
    """Yield each redundant report of a gaming day, with the person whose report already contains its transactions."""

    def first(key: _Reported) -> tuple[int, bool, bool, str]:
        conducts = all(one.conductor == one.patron for one in reports[key])
        return -len(reports[key]), key[1:] not in sent, conducts, key[1]

    standing: list[tuple[str, frozenset[tuple[str, Direction]]]] = []
    for key in sorted(reports, key=first):
        own = frozenset((one.reference, one.direction) for one in reports[key])
        whole = next((person for person, moved in standing if own <= moved), None)
        if whole is None:
            standing.append((key[1], own))
        else:
            yield key, whole


def department_logs(totals: Iterable[CurrencyTotal]) -> dict[Department, tuple[LogEntry, ...]]:
    """Return each department's log: the department's transactions in totals that reached the threshold, oldest first.

    The running totals of an entry include the person's transactions in other departments.
    """
    entries = [entry for total in totals if total.standing == "reached" for entry in total.entries]
    entries.sort(key=lambda entry: _order(entry.movement))
    return {
        name: tuple(entry for entry in entries if entry.movement.department == name) for name in get_args(Department)
    }


def in_order(movements: Iterable[CashMovement]) -> tuple[CashMovement, ...]:
    """Return transactions ordered by time, then by place, reference and person.

    Raises: ValueError for a transaction without a positive amount: a reversal is a transaction in the other direction.
    """
    found = sorted(movements, key=_order)
    for one in found:
        if one.cents <= 0:
            raise ValueError(f"{one.reference}: {one.cents} cents moved nothing; give what moved, and its direction")
    return tuple(found)


def _order(one: CashMovement) -> tuple[datetime, str, str, str, str]:
    return one.moment, one.property, one.place, one.reference, one.patron or ""


def _running(movements: Iterable[CashMovement]) -> Iterable[LogEntry]:
    """Yield each movement of currency with the totals so far, in and out, of its patron on its gaming day, in cents.

    A movement without a patron is not added to others: its totals are its own amount.
    """
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
        reached_cents=rule.reached_cents(day),
        is_each_alone=together.value == "each_alone",
        file_by=None if within is None else day + timedelta(days=within.value),
        applied=applied,
        filed=applied + filed,
    )


def _total(held: Held, entries: Sequence[LogEntry]) -> CurrencyTotal:
    cents = sum([entry.movement.cents for entry in entries])
    return CurrencyTotal(held, cents, held.standing(cents), entries)
