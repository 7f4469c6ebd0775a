"""What a settled round shows to the tests of `statistics` and `raised_stakes`: wagers, what they won, whose. Pure.

Lines and records are documents, as `settlement.posted` carries them.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from services.reporting.domain.statistics import Wagers
from shared.contracts.submissions import SubmissionApproved
from shared.rules.catalogue import catalogue
from shared.rules.submission import select

Line = Mapping[str, Any]
"""A line of a settlement, `shared.rules.Line.as_document`."""


@dataclass(slots=True)
class Observed:
    """What was staked on a wager type in a round, cents a stake, and what came back of it.

    `hits` are its winning lines by category, those of bonuses on top among them; `wins` counts the stakes that won.
    """

    stakes_cents: list[int] = field(default_factory=list)
    payout_cents: int = 0
    wins: int = 0
    hits: Counter[str] = field(default_factory=Counter)

    @property
    def wagers(self) -> Wagers:
        """Return the stakes, each decided by itself."""
        return Wagers.of(self.stakes_cents)

    @property
    def together(self) -> Wagers:
        """Return the stakes as one wager: cards that all seats share decide them, as those of the dealer."""
        return Wagers.of([sum(self.stakes_cents)] if self.stakes_cents else [])


def bonus_lines(approved: SubmissionApproved) -> dict[str, str]:
    """Return which wager earns the lines of each name that have no stake of their own, under a submission.

    Raises: Refused where the regulation does not allow what the submission selects.
    """
    offers = select(catalogue(approved.regulation), approved.submission).offers
    return {
        row.line: wager
        for wager, offer in offers.items()
        for row in offer.paytable.rows
        if row.line is not None and row.of is not None
    }


def observed(lines: Iterable[Line], bonuses: Mapping[str, str]) -> dict[str, Observed]:
    """Return what a round shows, by wager type; what did not count shows nothing, nor do the lines of a bank.

    `bonuses` are `bonus_lines`: what they pay is paid on the wager that earns it.
    """
    found: dict[str, Observed] = {}
    for line in lines:
        if line["outcome"] == "void" or line["paid_by"] != "house" or line["wager"] == "bank" or not line["seat"]:
            continue
        earned = line["wager"] in bonuses
        one = found.setdefault(bonuses.get(line["wager"], line["wager"]), Observed())
        one.payout_cents += line["payout"] + line["stake_returned"]
        if not earned:
            one.stakes_cents.append(line["stake"])
        if line["outcome"] in ("win", "push"):
            one.wins += not earned
            if "category" in line:
                one.hits[line["category"]] += 1
    return found


@dataclass(frozen=True, slots=True)
class Stake:
    """What a seat wagered before the cards, cents, and whether it won or lost in the end, doubles and splits included.

    `player` is whom the table system knows there.
    """

    seat: int
    player: str | None
    wager: str
    cents: int
    won: bool


def stakes(record: Mapping[str, Any], lines: Iterable[Line]) -> Iterator[Stake]:
    """Yield the stakes of a round, but those that came out even: they tell nothing of stake and outcome."""
    net: Counter[tuple[int, str]] = Counter()
    for line in lines:
        net[line["seat"], line["wager"]] += line["payout"] + line["stake_returned"] - line["stake"]
    for seat in record["seats"]:
        for wager, cents in seat["wagers"].items():
            result = net[seat["seat"], wager]
            if result:
                yield Stake(seat["seat"], seat.get("player"), wager, cents, result > 0)
