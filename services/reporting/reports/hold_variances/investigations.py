"""Investigations of holds that deviate from their base: owner and conclusion."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from services.reporting.framework.figures import Cell
from services.reporting.read_model.reading import Books, Listed
from shared.contracts.investigations import (
    InvestigationAssigned,
    InvestigationConcluded,
    InvestigationOpened,
    Subject,
)


@dataclass(frozen=True, slots=True)
class Investigation:
    """An investigation of a hold: the facts of its opening, last assignment and conclusion, if any."""

    opened: Listed
    assigned: Listed | None = None
    concluded: Listed | None = None

    @property
    def cells(self) -> dict[str, Any]:
        """Return the investigation's status as cells of a report."""
        last = self.concluded or self.assigned or self.opened
        concluded = None if self.concluded is None else self.concluded.fact
        return {
            "investigation": Cell(str(self.opened.fact.investigation), (self.opened.entry,)),
            "owner": Cell(last.fact.owner, (last.entry,)),
            "conclusion": None
            if self.concluded is None
            else Cell(self.concluded.fact.conclusion, (self.concluded.entry,)),
            "concluded_at": None if concluded is None else concluded.concluded_at,
        }


async def investigations_of(books: Books) -> Mapping[tuple[Subject, str], Investigation]:
    """Return each subject's last investigation opened for the queried month, keyed by (`table` or `game`, name)."""
    steps: dict[int, dict[str, Listed]] = {}
    for one in await books.all_facts(InvestigationOpened, InvestigationAssigned, InvestigationConcluded):
        steps.setdefault(one.fact.investigation, {})[one.kind.rpartition(".")[2]] = one
    found = [Investigation(**each) for _, each in sorted(steps.items())]
    month = f"{books.question.last:%Y-%m}"
    return {(one.opened.fact.what, one.opened.fact.subject): one for one in found if one.opened.fact.month == month}
