"""What-if of table minimums: handle and theoretical win of recorded rounds under another minimum. Pure; cents.

A seat that wagered less than another minimum would have either raised the wager or left. The records cannot show which,
so the two cases are computed separately.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from typing import Any, Final, Literal, NamedTuple
from zoneinfo import ZoneInfo

from shared.contracts.submissions import SubmissionApproved
from shared.rules import catalogue, returns
from shared.rules.errors import Refused
from shared.rules.submission import select

Assumption = Literal["raised", "left"]

BOOKS: Final = (
    "The books show what each seat wagered in each round, and what of it counted in the handle: void lines and wagers "
    "against a bank do not."
)
ASSUMED: Final[Mapping[Assumption, str]] = {
    "raised": (
        "Assumed: whoever wagered less than the minimum raises that wager to it, and with it in proportion all other "
        "wagers that are not optional; optional wagers, and the number of rounds, stay."
    ),
    "left": (
        "Assumed: whoever wagered less than the minimum leaves with all of the seat's wagers, and nobody takes the "
        "place; the number of rounds stays."
    ),
}
"""The assumptions about seats below the minimum. A lower minimum is assumed to attract no additional seats."""

_BANK: Final = "bank"
_DEALER_SEAT: Final = 0


class Rate(NamedTuple):
    """The house edge of a wager; None if it is neither computed nor stated.

    Source `exact`: the edge is computed. Source `stated`: it is 1 less the licensee's stated payback.
    """

    offered: str
    house_edge: Fraction | None
    source: Literal["exact", "stated"] | None


@dataclass(frozen=True)
class Rates:
    """The house edges of the wagers on offer under one version of a submission."""

    version: int
    wagers: Mapping[str, Rate]

    @classmethod
    def of(cls, approved: SubmissionApproved) -> "Rates":
        """Return the rates of an approved version."""
        selection = select(catalogue(approved.regulation), approved.submission)
        return cls(
            approved.version,
            {name: _rate(approved, name, offer.wager.offered) for name, offer in selection.offers.items()},
        )

    def is_optional(self, wager: str) -> bool:
        """Return whether a seat may play without the wager. A wager that belongs to another wager is not optional."""
        return wager in self.wagers and self.wagers[wager].offered == "optional"

    def main_cents(self, wagers: Mapping[str, int]) -> int | None:
        """Return a seat's main wager in cents: the smallest of its required wagers, or None if it has none.

        A table's minimum applies to the main wager.
        """
        required = (
            cents
            for wager, cents in wagers.items()
            if wager in self.wagers and self.wagers[wager].offered == "required"
        )
        return min(required, default=None)


def _rate(approved: SubmissionApproved, wager: str, offered: str) -> Rate:
    try:
        return Rate(offered, 1 - returns(approved.regulation, wager, approved.submission).mean, "exact")
    except Refused:
        stated = approved.stated_paybacks.get(wager)
        return Rate(offered, None, None) if stated is None else Rate(offered, 1 - Fraction(stated) / 100, "stated")


class Hour(NamedTuple):
    """An hour of the property's clock (0-23), at tables with this minimum on their signs (None: no minimum)."""

    minimum_cents: int | None
    hour: int


class _Stakes(NamedTuple):
    """The key for summing stakes: hour, main wager of the seat (None: no required wager), submission and wager."""

    hour: Hour
    main_cents: int | None
    submission: str
    wager: str


@dataclass(slots=True)
class Figures:
    """The number of seats that wagered (counted once per round), their handle and theoretical win; exact cents.

    `rated` is the part of the handle whose wagers have a house edge.
    """

    seats: int = 0
    handle: Fraction = Fraction(0)
    rated: Fraction = Fraction(0)
    theoretical: Fraction = Fraction(0)

    def __iadd__(self, other: "Figures") -> "Figures":
        self.seats += other.seats
        self.handle += other.handle
        self.rated += other.rated
        self.theoretical += other.theoretical
        return self

    def as_document(self) -> dict[str, int]:
        """Return the figures in whole cents, each rounded once, half to even."""
        return {
            "seats": self.seats,
            "handle_cents": round(self.handle),
            "rated_handle_cents": round(self.rated),
            "theoretical_win_cents": round(self.theoretical),
        }


@dataclass(slots=True)
class Compared:
    """Figures as recorded, and if seats below the minimum raised their wagers or left; `below` counts these seats."""

    below: int = 0
    recorded: Figures = field(default_factory=Figures)
    raised: Figures = field(default_factory=Figures)
    left: Figures = field(default_factory=Figures)

    def __iadd__(self, other: "Compared") -> "Compared":
        self.below += other.below
        self.recorded += other.recorded
        self.raised += other.raised
        self.left += other.left
        return self

    def as_document(self) -> dict[str, Any]:
        """Return the comparison as JSON."""
        sides = {name: getattr(self, name).as_document() for name in ("recorded", "raised", "left")}
        return {"seats_below": self.below, **sides}


class Spread:
    """Sums of the wagers of recorded rounds by hour, minimum on the sign, and size of the seat's main wager."""

    def __init__(self, rates: Mapping[str, Rates]) -> None:
        """Create empty sums; `rates` maps the hash of each submission to its rates."""
        self._rates = rates
        self._stakes: defaultdict[_Stakes, int] = defaultdict(int)
        self._seats: defaultdict[tuple[Hour, int | None], int] = defaultdict(int)
        self.rounds = 0

    def add(self, said: Mapping[str, Any], minimum_cents: int | None, zone: ZoneInfo) -> None:
        """Add a round, given the data of the entry that posted it. Raises: KeyError if its submission has no rates."""
        self.rounds += 1
        submission = said["submission"]["hash"]
        rates = self._rates[submission]
        hour = Hour(minimum_cents, datetime.fromisoformat(said["closed_at"]).astimezone(zone).hour)
        main = {seat["seat"]: rates.main_cents(seat["wagers"]) for seat in said["record"]["seats"]}
        wagered = set()
        for line in said["lines"]:
            seat, wager = line["seat"], line["wager"]
            if line.get("paid_by", "house") != "house" or line["outcome"] == "void":
                continue
            if wager == _BANK or seat == _DEALER_SEAT:
                continue
            wagered.add(seat)
            self._stakes[_Stakes(hour, main.get(seat), submission, wager)] += line["stake"]
        for seat in wagered:
            self._seats[hour, main.get(seat)] += 1

    def handle_cents(self) -> int:
        """Return the handle of all added rounds, in cents."""
        return sum(self._stakes.values())

    def stakes(self) -> Iterator[tuple[int, int]]:
        """Yield (main wager in cents, number of seats with it, counted once per round), smallest wager first."""
        found: defaultdict[int, int] = defaultdict(int)
        for (_, main), seats in self._seats.items():
            if main is not None:
                found[main] += seats
        yield from sorted(found.items())

    def edges(self) -> Iterator[tuple[int, str, Rate | None]]:
        """Yield (submission version, wager, rate) for each wager with a handle; no rate for a part of another wager."""
        named = {(one.submission, one.wager) for one, cents in self._stakes.items() if cents}
        for submission, wager in sorted(named, key=lambda one: (self._rates[one[0]].version, one[1])):
            rates = self._rates[submission]
            yield rates.version, wager, rates.wagers.get(wager)

    def under(self, minimum_cents: int) -> dict[Hour, Compared]:
        """Return the comparison under another minimum, by hour and by the minimum on the sign."""
        found: defaultdict[Hour, Compared] = defaultdict(Compared)
        for (hour, main), seats in self._seats.items():
            is_below = main is not None and main < minimum_cents
            found[hour] += Compared(
                seats if is_below else 0, Figures(seats), Figures(seats), Figures(0 if is_below else seats)
            )
        for one, cents in self._stakes.items():
            is_below = one.main_cents is not None and one.main_cents < minimum_cents
            handle = Fraction(cents)
            raised = handle
            if is_below and one.main_cents and not self._rates[one.submission].is_optional(one.wager):
                raised = handle * Fraction(minimum_cents, one.main_cents)
            found[one.hour] += Compared(
                0, self._of(one, handle), self._of(one, raised), self._of(one, Fraction(0) if is_below else handle)
            )
        return dict(sorted(found.items(), key=lambda item: (item[0].minimum_cents or 0, item[0].hour)))

    def _of(self, stakes: _Stakes, handle: Fraction) -> Figures:
        rate = self._rates[stakes.submission].wagers.get(stakes.wager)
        if rate is None or rate.house_edge is None:
            return Figures(0, handle)
        return Figures(0, handle, handle, handle * rate.house_edge)


def as_document(spread: Spread, minimums_cents: Iterable[int]) -> dict[str, Any]:
    """Return the what-if as JSON: recorded figures, assumptions, and the result for each minimum."""
    return {
        "rounds": spread.rounds,
        "books": BOOKS,
        "assumed": dict(ASSUMED),
        "stakes": [{"main_cents": main, "seats": seats} for main, seats in spread.stakes()],
        "edges": [
            {
                "version": version,
                "wager": wager,
                "house_edge": None if rate is None or rate.house_edge is None else str(rate.house_edge),
                "source": None if rate is None else rate.source,
            }
            for version, wager, rate in spread.edges()
        ],
        "minimums": [_of_minimum(spread, cents) for cents in sorted(set(minimums_cents))],
    }


def _of_minimum(spread: Spread, minimum_cents: int) -> dict[str, Any]:
    hours, whole = spread.under(minimum_cents), Compared()
    for one in hours.values():
        whole += one
    return {
        "minimum_cents": minimum_cents,
        "total": whole.as_document(),
        "hours": [
            {"sign_cents": hour.minimum_cents, "hour": f"{hour.hour:02}:00", **one.as_document()}
            for hour, one in hours.items()
        ],
    }
