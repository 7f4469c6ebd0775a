"""The log of forms for reportable winnings: one per candidate, or per patron and day. Pure; cents."""

from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from datetime import date

from services.reporting.domain.federal.winnings import Candidate


@dataclass(frozen=True, slots=True)
class FormEntry:
    """A form to be completed: its number in the log, and the winnings on it.

    `regular_cents` is always withheld, `backup_cents` only if the winner gives no taxpayer identification number.
    `is_of_day` is whether the form combines all wins of a patron's gaming day, even if there is only one win.
    """

    number: int
    form: str
    property: str
    patron: str | None
    gaming_day: date
    year: int
    candidates: tuple[Candidate, ...]
    amount_cents: int
    regular_cents: int
    backup_cents: int
    is_of_day: bool


def forms(
    found: Iterable[Candidate], *, aggregated_on: Callable[[date], bool] | None = None, first_number: int = 1
) -> tuple[FormEntry, ...]:
    """Return the log of forms for candidates, in order, numbered from `first_number`.

    `aggregated_on` returns whether the licensee combines a patron's winnings on a gaming day in one form per calendar
    year of payment. Without `aggregated_on`, each win has its own form. Winnings of unknown persons are not combined,
    and winnings under a treaty are not combined with other winnings.
    """
    together: dict[tuple[Hashable, bool], list[Candidate]] = {}
    for number, candidate in enumerate(found):
        line = candidate.lines[0]
        key = (candidate.form, line.property, line.patron, line.gaming_day, line.paid_on.year, candidate.treaty)
        is_joined = line.patron is not None and aggregated_on is not None and aggregated_on(line.gaming_day)
        together.setdefault((key if is_joined else (*key, number), is_joined), []).append(candidate)
    return tuple(
        _entry(number, group, is_of_day=is_joined)
        for number, ((_, is_joined), group) in enumerate(together.items(), first_number)
    )


def _entry(number: int, group: list[Candidate], *, is_of_day: bool) -> FormEntry:
    first = group[0]
    line = first.lines[0]
    return FormEntry(
        number=number,
        form=first.form,
        property=line.property,
        patron=line.patron,
        gaming_day=line.gaming_day,
        year=line.paid_on.year,
        candidates=tuple(group),
        amount_cents=sum(one.amount_cents for one in group),
        regular_cents=_withheld(group, "regular"),
        backup_cents=_withheld(group, "backup"),
        is_of_day=is_of_day,
    )


def _withheld(group: Iterable[Candidate], kind: str) -> int:
    return sum(one.amount_cents for candidate in group for one in candidate.withholdings if one.kind == kind)
