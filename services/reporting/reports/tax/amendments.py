"""Amended returns: a filed return, its next version, and the differences by line. Pure; cents."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import TypeAlias, TypeVar

from services.reporting.reports.tax.returns import PeriodSheet, TaxReturn, due_cents
from services.reporting.reports.tax.sheets import DailySheet
from shared.jurisdictions.model import ClassOfRevenue

KeyT = TypeVar("KeyT", bound=Hashable)
Sheet: TypeAlias = DailySheet | PeriodSheet


@dataclass(frozen=True, slots=True)
class Amended:
    """A figure of a return, in cents: as filed, and current."""

    original_cents: int
    current_cents: int

    @property
    def difference_cents(self) -> int:
        """Return the amendment: the current figure less the filed one."""
        return self.current_cents - self.original_cents


@dataclass(frozen=True, slots=True)
class AmendedClass:
    """The amended revenue of a class, and the amended part that counts."""

    revenue_class: ClassOfRevenue
    revenue: Amended
    counted: Amended


@dataclass(frozen=True, slots=True)
class AmendedLayer:
    """The amended base and amount of a layer of tax, for one rate."""

    layer: str
    rate: Fraction
    base: Amended
    amount: Amended


@dataclass(frozen=True, slots=True)
class AmendedShare:
    """The amended amount of one party's part in a division of revenue."""

    share: str
    party: str
    part: Fraction
    amount: Amended


@dataclass(frozen=True, slots=True)
class AmendedLines:
    """All amended lines of a gaming day or a period, including lines that did not change."""

    classes: tuple[AmendedClass, ...]
    layers: tuple[AmendedLayer, ...]
    shares: tuple[AmendedShare, ...]


@dataclass(frozen=True, slots=True)
class AmendedReturn:
    """A version of a return compared with the previous version: its lines, the changed gaming days, the amounts due.

    The differences of the days sum to the differences of the lines, and these sum to the differences of the amounts due
    by payee.
    """

    version: int
    lines: AmendedLines
    days: Mapping[date, AmendedLines]
    due: Mapping[str, Amended]


def amended(original: TaxReturn, current: TaxReturn) -> AmendedReturn:
    """Compare the next version of a return with the previous one.

    Raises: ValueError if the versions differ in property or period, or are not consecutive.
    """
    before, after = original.sheet, current.sheet
    if _identity(before) != _identity(after):
        raise ValueError(
            f"the return of {_identity(after)} amends none of {_identity(before)}: give both of one period"
        )
    if current.version != original.version + 1:
        raise ValueError(
            f"version {current.version} does not follow version {original.version}: it must be {original.version + 1}"
        )
    days = zip(before.sheets, after.sheets, strict=True)
    return AmendedReturn(
        version=current.version,
        lines=differences(before, after),
        days={then.gaming_day: differences(then, now) for then, now in days if then != now},
        due=_amended(due_cents(before), due_cents(after)),
    )


def _identity(sheet: PeriodSheet) -> str:
    return f"{sheet.property}, {sheet.kind} of {sheet.first} to {sheet.last}"


def differences(before: Sheet, after: Sheet) -> AmendedLines:
    """Return every line that either version of a sheet has, with the figures of both versions."""
    revenue, counted = _beside(_revenue, before, after), _beside(_counted, before, after)
    bases, amounts = _beside(_bases, before, after), _beside(_amounts, before, after)
    shares = _beside(_shares, before, after)
    return AmendedLines(
        tuple(AmendedClass(name, revenue[name], counted[name]) for name in revenue),
        tuple(AmendedLayer(*key, bases[key], amounts[key]) for key in bases),
        tuple(AmendedShare(*key, amount) for key, amount in shares.items()),
    )


def _revenue(sheet: Sheet) -> Iterator[tuple[ClassOfRevenue, int]]:
    return ((line.revenue_class, line.revenue_cents) for line in sheet.classes)


def _counted(sheet: Sheet) -> Iterator[tuple[ClassOfRevenue, int]]:
    return ((line.revenue_class, line.counted_cents) for line in sheet.classes)


def _bases(sheet: Sheet) -> Iterator[tuple[tuple[str, Fraction], int]]:
    return (((line.layer, line.rate), line.base_cents) for line in sheet.layers)


def _amounts(sheet: Sheet) -> Iterator[tuple[tuple[str, Fraction], int]]:
    return (((line.layer, line.rate), line.amount_cents) for line in sheet.layers)


def _shares(sheet: Sheet) -> Iterator[tuple[tuple[str, str, Fraction], int]]:
    return (((line.share, line.party, line.part), line.amount_cents) for line in sheet.shares)


def _beside(figures: Callable[[Sheet], Iterable[tuple[KeyT, int]]], before: Sheet, after: Sheet) -> dict[KeyT, Amended]:
    """Return the figures of both versions, summed by key; a figure is 0 if its version lacks the key."""
    return _amended(_sums(figures(before)), _sums(figures(after)))


def _amended(was: Mapping[KeyT, int], now: Mapping[KeyT, int]) -> dict[KeyT, Amended]:
    return {name: Amended(was.get(name, 0), now.get(name, 0)) for name in {**was, **now}}


def _sums(amounts: Iterable[tuple[KeyT, int]]) -> dict[KeyT, int]:
    found: dict[KeyT, int] = {}
    for name, cents in amounts:
        found[name] = found.get(name, 0) + cents
    return found
