"""Variances: counted less expected, with owner and resolution. Amounts are cents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from services.reporting.framework.figures import Cell, Figure, Value
from services.reporting.read_model.reading import Books, Listed
from shared.contracts.inventory import DayFinal, VarianceKind, VarianceOwned, VarianceResolved
from shared.contracts.property_snapshot import PropertySnapshot

Status = Literal["none", "open", "owned", "resolved", "changed"]
Level = Literal["noted", "report", "authority"]

CaseKey = tuple[date, str, VarianceKind, int]
"""The key of a variance: (gaming day, table, kind, number of the count, the box exchange or the slip)."""


@dataclass(frozen=True, slots=True)
class Case:
    """The case of a variance that has an owner."""

    owned: Listed | None = None
    resolved: Listed | None = None

    def status(self, cents: int, *parts: int) -> Status:
        """Return the status of a variance of this amount; `changed`: another amount was resolved.

        With parts, such as instruments, it may exist even if they sum to zero.
        """
        if self.resolved is not None:
            return "resolved" if self.resolved.fact.cents == cents else "changed"
        if not any((cents, *parts)):
            return "none"
        return "open" if self.owned is None else "owned"

    @property
    def owner(self) -> str | None:
        """Return who explains it, or did."""
        said = self.owned or self.resolved
        return None if said is None else str(said.fact.owner)

    @property
    def resolved_at(self) -> datetime | None:
        """Return when it was resolved."""
        return None if self.resolved is None else self.resolved.fact.resolved_at

    def cells(self, cents: int, *parts: int) -> dict[str, Value | Figure | Cell]:
        """Return the case of a variance of this amount, as cells of a report."""
        entries = tuple(said.entry for said in (self.owned, self.resolved) if said is not None)
        return {
            "status": Cell(self.status(cents, *parts), entries),
            "owner": self.owner,
            "conclusion": None if self.resolved is None else self.resolved.fact.conclusion,
            "resolved_at": self.resolved_at,
        }


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of variances of gaming days, and which of these days are sealed."""

    by_key: Mapping[CaseKey, Case]
    sealed: frozenset[date]

    def of(self, key: CaseKey) -> Case:
        """Return what became of a variance."""
        return self.by_key.get(key, Case())

    def is_open_after_seal(self, key: CaseKey, cents: int, *parts: int) -> bool:
        """Return whether a variance is not resolved, and its day is sealed."""
        return key[0] in self.sealed and self.of(key).status(cents, *parts) in ("open", "owned", "changed")


async def cases_of(books: Books) -> Cases:
    """Return the cases of the question's gaming days."""
    said = await books.facts(VarianceOwned, VarianceResolved)
    sealed = frozenset(listed.fact.gaming_day for listed in await books.facts(DayFinal))
    return Cases(_by_key(said), sealed)


def _by_key(said: Iterable[Listed]) -> dict[CaseKey, Case]:
    """Return cases by the last statements on each, in the order of recording."""
    found: dict[CaseKey, dict[str, Any]] = {}
    for listed in said:
        fact = listed.fact
        step = "resolved" if isinstance(fact, VarianceResolved) else "owned"
        found.setdefault((fact.gaming_day, fact.table, fact.variance, fact.number), {})[step] = listed
    return {key: Case(**steps) for key, steps in found.items()}


def level_of(place: PropertySnapshot, day: date, cents: int) -> Level:
    """Return the level of a variance under the property's law, or its own limits."""
    if abs(cents) >= place.limit_cents("variance_authority_cents", day):
        return "authority"
    return "report" if abs(cents) > place.limit_cents("variance_report_cents", day) else "noted"
