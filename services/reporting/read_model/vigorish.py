"""Measures of the vigorish ledger: assessed, collected, waived and returned. Pure; cents.

The item of an assessed amount is a `Line` as text; the item of an amount collected, waived or returned is an `Act`.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Final

from services.reporting.read_model.measures import Amount, adds
from shared.contracts.exact import share
from shared.contracts.vigorish import (
    AssessedLine,
    VigorishAssessed,
    VigorishCollection,
    VigorishReturn,
    VigorishTakenBack,
    VigorishVoided,
    VigorishWaiver,
)

ASSESSED: Final = (
    *("vigorish_lines", "vigorish_stake_cents", "vigorish_base_cents", "vigorish_exact_nanocents"),
    *("vigorish_assessed_cents", "vigorish_disagreeing"),
)
"""The sums over assessed lines: number, stakes, amounts won, amounts won x rate, vigorish owed, discrepancies."""

_BANKS: Final = ("bank", "co_bank")


@dataclass(frozen=True, slots=True, order=True)
class Line:
    """The terms under which vigorish was assessed: game, wager, debtor, rate, rounding.

    >>> Line.of_item(Line("pai-gow-poker", "pai_gow_poker", "player", "0.05", "none").item).rate
    '0.05'
    """

    game: str
    wager: str
    owed_by: str
    rate: str
    rounding: str

    @property
    def item(self) -> str:
        """Return the five fields separated by spaces, which is the `item` of an assessed amount."""
        return " ".join((self.game, self.wager, self.owed_by, self.rate, self.rounding))

    @classmethod
    def of_item(cls, item: str) -> "Line":
        """Return the terms encoded in the item of an assessed amount."""
        return cls(*item.split(" "))

    @property
    def debtor(self) -> str:
        """Return the debtor as tables report it: `bank` (also for a co-bank) or `player`."""
        return "bank" if self.owed_by in _BANKS else "player"


@dataclass(frozen=True, slots=True, order=True)
class Act:
    """The debtor (`bank` for the bank or a co-bank, else `player`) and dealer of a table's action on vigorish.

    The dealer is empty if the table did not report it.

    >>> Act.of_item(Act("player", "dealer 1").item).dealer
    'dealer 1'
    """

    debtor: str
    dealer: str

    @property
    def item(self) -> str:
        """Return debtor and dealer separated by a space, which is the `item` of an amount."""
        return f"{self.debtor} {self.dealer}"

    @classmethod
    def of_item(cls, item: str) -> "Act":
        """Return the debtor and dealer encoded in the item of an amount."""
        debtor, _, dealer = item.partition(" ")
        return cls(debtor, dealer)


@adds(VigorishAssessed)
def assessed(fact: VigorishAssessed) -> Iterator[Amount]:
    """Yield the amounts of the vigorish that a round assessed."""
    for line in fact.lines:
        yield from _line(fact, line, 1)


@adds(VigorishTakenBack)
def taken_back(fact: VigorishTakenBack) -> Iterator[Amount]:
    """Yield the amounts of the vigorish that a reversed round assessed, with the opposite sign."""
    for line in fact.lines:
        yield from _line(fact, line, -1)


def _line(fact: VigorishAssessed | VigorishTakenBack, line: AssessedLine, sign: int) -> Iterator[Amount]:
    kind = Line(fact.game, line.wager, line.owed_by, line.rate, line.rounding)
    values = (
        *(1, line.stake_cents, line.base_cents, share(line.base_cents, Fraction(line.rate))),
        *(line.cents, 0 if line.agrees else 1),
    )
    for measure, value in zip(ASSESSED, values, strict=True):
        yield Amount(measure, sign * value, fact.table, item=kind.item)


@adds(VigorishCollection, VigorishWaiver, VigorishReturn, VigorishVoided)
def settled(fact: VigorishCollection | VigorishWaiver | VigorishReturn | VigorishVoided) -> Iterator[Amount]:
    """Yield the amount that a table collected, waived or returned; for a void, the reversal of that amount."""
    act = Act("bank" if fact.bank else "player", fact.dealer_id or "")
    here = partial(Amount, table=fact.table, shift=fact.shift, item=act.item)
    match fact:
        case VigorishVoided():
            yield here(_SETTLED[fact.settled], -fact.cents)
        case VigorishCollection():
            yield here("vigorish_collected_cents", fact.cents)
        case VigorishWaiver():
            yield here("vigorish_not_collected_cents", fact.cents)
        case VigorishReturn():
            yield here("vigorish_returned_cents", fact.cents)


_SETTLED: Final = {
    "vigorish.collected": "vigorish_collected_cents",
    "vigorish.waived": "vigorish_not_collected_cents",
    "vigorish.returned": "vigorish_returned_cents",
}
"""The measure of each action of a table, keyed by the kind of pit event."""
