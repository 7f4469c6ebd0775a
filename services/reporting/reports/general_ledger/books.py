"""The general ledger of a period: amounts posted, the mapping in effect, and the journals of the days."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from services.reporting.domain.ledger_journals import Destination, JournalLine, LedgerJournal, journals_of, lines_of
from services.reporting.framework.figures import Figure
from services.reporting.read_model.general_ledger import (
    LedgerVersion,
    Placed,
    mappings_of,
    placed_on,
    posted,
    versions_of,
)
from services.reporting.read_model.reading import Books
from services.reporting.reports.common.cells import require_whole
from shared.contracts.general_ledger import LedgerMappingApproved


@dataclass(frozen=True, slots=True)
class LedgerPeriod:
    """The general ledger of the queried gaming days: posted amounts and mapping by day, and journals of sealed days.

    A day has no journals if it has no mapping, or if the mapping has no rule for a leg with amounts.
    """

    placed: Mapping[date, Sequence[Placed]]
    mappings: Mapping[date, LedgerMappingApproved | None]
    sealed: Sequence[date]
    journals: Sequence[LedgerJournal]

    def until(self, last: date) -> "LedgerPeriod":
        """Return the general ledger of the days up to `last`, a sealed gaming day with no later one sealed."""
        return LedgerPeriod(
            {day: placed for day, placed in self.placed.items() if day <= last},
            {day: mapping for day, mapping in self.mappings.items() if day <= last},
            self.sealed,
            self.journals,
        )

    @property
    def unmapped(self) -> list[Placed]:
        """Return the posted amounts for which the mapping has no rule."""
        return [one for placed in self.placed.values() for one in placed if one.rule is None]

    @property
    def balances(self) -> tuple[JournalLine, ...]:
        """Return the latest known balances over the sealed days, by account, department and cost center."""
        return lines_of(moved for day in self.sealed for moved in _moved(self.placed.get(day, ())))


async def ledger_of(books: Books) -> LedgerPeriod:
    """Return the general ledger of the queried gaming days. Raises: Rejected if a table or a game is queried."""
    require_whole(books, "a journal is of a property")
    now = await posted(books)
    mappings = await mappings_of(books)
    placed = {day: placed_on(books, day, mappings(day), legs) for day, legs in now.items()}
    versions = await versions_of(books, mappings, placed)
    journals = [one for day, known in sorted(versions.items()) for one in _journals(day, known)]
    return LedgerPeriod(
        placed, {day: mappings(day) for day in sorted({*placed, *versions})}, sorted(versions), journals
    )


def _journals(day: date, versions: Sequence[LedgerVersion]) -> list[LedgerJournal]:
    if any(one.rule is None for version in versions for one in version.placed):
        return []
    return list(journals_of(day, [(one.known_at, lines_of(_moved(one.placed))) for one in versions]))


def _moved(placed: Sequence[Placed]) -> list[tuple[Destination, Figure]]:
    return [(Destination.of(one.rule), one.cents) for one in placed if one.rule is not None]
