"""The general-ledger journals of a sealed gaming day: one as of its seal, and two for each later change. Pure.

For a change, one journal reverses the previous one, line by line, and another posts the day again under the next
number. So an exported journal never changes.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Literal, NamedTuple

from services.reporting.framework.figures import Figure, total
from shared.contracts.general_ledger import LedgerRule

JournalKind = Literal["posting", "reversal"]


class Destination(NamedTuple):
    """The destination of a posting: an account, a department and a cost center; the last two may be empty."""

    account: str
    department: str
    cost_center: str

    @classmethod
    def of(cls, rule: LedgerRule) -> "Destination":
        """Return the destination to which a rule of the mapping posts."""
        return cls(rule.account, rule.department or "", rule.cost_center or "")


@dataclass(frozen=True, slots=True)
class JournalLine:
    """A line of a journal: signed cents, debits positive."""

    destination: Destination
    cents: Figure


@dataclass(frozen=True, slots=True)
class LedgerJournal:
    """A journal: its number, its gaming day, its as-of time, and its lines, which sum to zero.

    `version` is 1 for the day as sealed. A reversal has the number of the journal that it reverses, followed by `R`.
    """

    number: str
    kind: JournalKind
    gaming_day: date
    version: int
    known_at: datetime
    lines: tuple[JournalLine, ...]


def lines_of(moved: Iterable[tuple[Destination, Figure]]) -> tuple[JournalLine, ...]:
    """Return the lines of a journal: one for each destination, ordered by destination, without sums of zero."""
    parts: dict[Destination, list[Figure]] = {}
    for destination, cents in moved:
        parts.setdefault(destination, []).append(cents)
    sums = ((destination, total(figures)) for destination, figures in sorted(parts.items()))
    return tuple(JournalLine(destination, cents) for destination, cents in sums if cents.value)


def journals_of(day: date, versions: Sequence[tuple[datetime, tuple[JournalLine, ...]]]) -> Iterator[LedgerJournal]:
    """Yield a gaming day's journals; `versions` are the day's versions in order, each as (as-of time, lines)."""
    for version, (known_at, lines) in enumerate(versions, 1):
        if version > 1:
            taken_back = tuple(JournalLine(line.destination, -line.cents) for line in versions[version - 2][1])
            number = f"{_number(day, version - 1)}R"
            yield LedgerJournal(number, "reversal", day, version, known_at, taken_back)
        yield LedgerJournal(_number(day, version), "posting", day, version, known_at, lines)


def _number(day: date, version: int) -> str:
    return f"GL{day:%y%m%d}-{version}"
