"""Owners and resolutions of variances (counted less expected). Amounts are cents."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, Literal

from services.reporting.framework.figures import Cell, Figure, Value
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.spans import NEIGHBORS
from shared.contracts.inventory import DayFinal, VarianceKind, VarianceOwned, VarianceResolved
from shared.contracts.property_snapshot import PropertySnapshot

Status = Literal["none", "open", "owned", "resolved", "changed"]
Level = Literal["noted", "report", "authority"]

CaseName = tuple[str, VarianceKind, int]
"""The identity of a variance: table, kind, and the number of the count, the box exchange or the slip."""

CaseKey = tuple[date, str, VarianceKind, int]
"""The key of a variance: its gaming day, and its `CaseName`."""


@dataclass(frozen=True, slots=True)
class Case:
    """The case of a variance: its owner and its resolution, if any."""

    owned: Listed | None = None
    resolved: Listed | None = None

    def status(self, cents: int, *parts: int) -> Status:
        """Return the status of a variance of `cents`; `changed` means that the resolution was for a different amount.

        `parts` are the variances of a box in currency and in counter checks. There is a variance even if they sum to
        zero.
        """
        if self.resolved is not None:
            said = self.resolved.fact
            split = said.by_instrument
            if split is None or not parts:
                return "resolved" if said.cents == cents else "changed"
            return "resolved" if (split.get("currency", 0), split.get("counter_check", 0)) == parts else "changed"
        if not any((cents, *parts)):
            return "none"
        return "open" if self.owned is None else "owned"

    @property
    def owner(self) -> str | None:
        """Return the person responsible for explaining the variance; None if there is none."""
        said = self.owned or self.resolved
        return None if said is None else str(said.fact.owner)

    @property
    def resolved_at(self) -> datetime | None:
        """Return when the variance was resolved."""
        return None if self.resolved is None else self.resolved.fact.resolved_at

    def cells(self, cents: int, *parts: int) -> dict[str, Value | Figure | Cell]:
        """Return the report cells with status, owner and resolution of a variance of `cents`."""
        entries = tuple(said.entry for said in (self.owned, self.resolved) if said is not None)
        return {
            "status": Cell(self.status(cents, *parts), entries),
            "owner": self.owner,
            "conclusion": None if self.resolved is None else self.resolved.fact.conclusion,
            "resolved_at": self.resolved_at,
        }


@dataclass(frozen=True, slots=True)
class Cases:
    """The cases of variances, and the queried gaming days that are sealed.

    A case is looked up without the gaming day, because a variance may move to another day after an owner was assigned.
    `owned_on` are the keys of variances with an owner or a resolution recorded on the queried days.
    """

    by_name: Mapping[CaseName, Case]
    owned_on: frozenset[CaseKey]
    sealed: frozenset[date]

    def __contains__(self, key: CaseKey) -> bool:
        """Return whether the variance with this key has a case."""
        return key[1:] in self.by_name

    def of(self, key: CaseKey) -> Case:
        """Return the case of the variance with this key; an empty case if there is none."""
        return self.by_name.get(key[1:], Case())

    def is_open_after_seal(self, key: CaseKey, cents: int, *parts: int) -> bool:
        """Return whether a variance is still unresolved although its gaming day is sealed."""
        return key[0] in self.sealed and self.of(key).status(cents, *parts) in ("open", "owned", "changed")


async def cases_of(books: Books) -> Cases:
    """Return the cases of variances on the queried and the adjacent gaming days."""
    first, last = books.question.first - NEIGHBORS, books.question.last + NEIGHBORS
    said = await books.facts(VarianceOwned, VarianceResolved, first=first, last=last)
    sealed = frozenset(listed.fact.gaming_day for listed in await books.facts(DayFinal))
    keys = {(one.fact.gaming_day, *_name(one)) for one in said}
    owned_on = frozenset(key for key in keys if books.question.first <= key[0] <= books.question.last)
    return Cases(_by_name(said), owned_on, sealed)


def _name(listed: Listed) -> CaseName:
    fact = listed.fact
    return (fact.table, fact.variance, fact.number)


def _by_name(said: Iterable[Listed]) -> dict[CaseName, Case]:
    """Return cases by name, each with its last assigned owner and last resolution; `said` is in order of recording."""
    found: dict[CaseName, dict[str, Any]] = {}
    for listed in said:
        step = "resolved" if isinstance(listed.fact, VarianceResolved) else "owned"
        found.setdefault(_name(listed), {})[step] = listed
    return {name: Case(**steps) for name, steps in found.items()}


def level_of(place: PropertySnapshot, day: date, cents: int) -> Level:
    """Return the level of a variance in cents (noted, report, authority) under the limits of law or the property."""
    if abs(cents) >= place.limit_cents("variance_authority_cents", day):
        return "authority"
    return "report" if abs(cents) > place.limit_cents("variance_report_cents", day) else "noted"
