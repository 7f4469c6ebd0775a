"""Golden days: scripts of which a difference was found, or that show what is right, played before a ledger."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Generic, TypeVar

from shared.contracts.property_snapshot import PropertySnapshot
from tests.days.acts import Act, moment_of, read_acts
from tests.days.comparing import Ledger, place_of
from tests.support.records import read

LedgerT = TypeVar("LedgerT", bound=Ledger)

FIRST: Final = date(2026, 11, 20)
DAYS: Final[Mapping[str, Mapping[str, Any]]] = {
    path.stem: read(path) for path in sorted((Path(__file__).parents[1] / "golden" / "days").glob("*.yaml"))
}
_LATER: Final = timedelta(days=3)


@dataclass(frozen=True, slots=True)
class Part(Generic[LedgerT]):
    """A part of a golden day: its acts, those of all parts so far, what is expected after it, and when that is."""

    ledger: LedgerT
    acts: list[Act]
    so_far: list[Act]
    expect: Mapping[Any, Any]
    now: datetime


def first_day(name: str) -> date:
    """Return the gaming day on which a golden day begins."""
    day: date = DAYS[name].get("first", FIRST)
    return day


def parts(name: str, ledger: Callable[[PropertySnapshot, date], LedgerT]) -> Iterator[Part[LedgerT]]:
    """Return the parts of a golden day, one after the other, for a ledger of its property."""
    golden = DAYS[name]
    at, day = place_of(**golden.get("property", {})), first_day(name)
    first = datetime.combine(day, datetime.min.time(), at.zone)
    told, so_far = ledger(at, day), list[Act]()
    for part in (golden, *golden.get("then", ())):
        acts = list(read_acts(part["acts"], first, "day", len(so_far)))
        so_far += acts
        now = moment_of(part["now"], first) if "now" in part else max(one.at for one in so_far) + _LATER
        yield Part(told, acts, so_far, part["expect"], now)
