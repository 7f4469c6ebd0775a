"""Who won: as accounts say it of electronic wagers, and as cashiers recorded it of any other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from services.reporting.books.patrons import patrons_of
from services.reporting.books.reading import Books, Listed
from services.reporting.books.winnings import Won
from shared.contracts.accounts import PatronTaxResidenceSet
from shared.contracts.cage import WinnerIdentified

SOURCES: Final = (WinnerIdentified, PatronTaxResidenceSet)
"""What is recorded of winners."""

_Win = tuple[date, str, str, int, str]
"""The name of a win: (gaming day, table, round, seat, wager)."""


@dataclass(frozen=True, slots=True)
class Winners:
    """What is known of winners: what was last recorded of each win, whose accounts are, and where patrons are taxed."""

    recorded: Mapping[_Win, Listed]
    patrons: Mapping[str, str]
    residences: Mapping[str, str]

    def of(self, won: Won) -> Listed | None:
        """Return what was recorded of a win; None where nothing was."""
        line = won.line
        return self.recorded.get((line.gaming_day, line.table, line.round_id, line.seat, line.wager))

    def patron(self, won: Won) -> str | None:
        """Return who won, by reference; None where nobody is known."""
        recorded = self.of(won)
        return self.patrons.get(won.account or "") if recorded is None else str(recorded.fact.patron)

    def residence(self, won: Won) -> str | None:
        """Return the country in which the winner is a resident for tax; None where that is not known."""
        recorded, patron = self.of(won), self.patron(won)
        said = None if recorded is None else recorded.fact.tax_residence
        return said or (None if patron is None else self.residences.get(patron))


async def winners_of(books: Books, won: Iterable[Won], first: date) -> Winners:
    """Return what is known of the winners of kept lines, from a gaming day on."""
    anywhere = books.asked(table=None)
    recorded = {
        (one.fact.gaming_day, one.fact.table, one.fact.round_id, one.fact.seat, one.fact.wager): one
        for one in await anywhere.facts(WinnerIdentified, first=first)
    }
    residences = {one.fact.patron: one.fact.country for one in await anywhere.all_facts(PatronTaxResidenceSet)}
    return Winners(recorded, await patrons_of(books, (one.account for one in won if one.account)), residences)
