"""What the wagers that rules submissions offer bring back, and so the house edge of each. Pure and exact."""

import json
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

from shared.contracts.submissions import SubmissionApproved
from shared.rules import Returns, returns
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.returns import Hit, Won
from shared.rules.submission import select


@dataclass(frozen=True)
class HouseEdge:
    """What comes back of a cent wagered under a submission (its hash), exactly; or why nobody can count it.

    `offered` is as the catalogue says: `required` of every player of a hand, `always` on offer, or `optional`.
    """

    submission: str
    wager: str
    offered: str
    paytable: str | None
    returns: Returns | None
    reason: str | None = None

    @cached_property
    def house_edge(self) -> Fraction | None:
        """Return what the house keeps of a cent: 1 less the payback."""
        return None if self.returns is None else 1 - self.returns.mean


def edges_of(approved: SubmissionApproved) -> list[HouseEdge]:
    """Return the house edge of each wager on offer.

    Raises: Refused where the regulation does not allow what the submission selects.
    """
    found = []
    for wager, offer in select(catalogue(approved.regulation), approved.submission).offers.items():
        edge = partial(HouseEdge, approved.hash, wager, offer.wager.offered, offer.paytable.name)
        try:
            found.append(edge(returns(approved.regulation, wager, approved.submission)))
        except Refused as refused:
            found.append(edge(None, str(refused)))
    return found


def returns_as_text(distribution: Returns) -> str:
    """Return a distribution as JSON: category, what comes back, bonus, and probability of each win.

    >>> coin = Returns.counted([(1, Won("heads", Fraction(2))), (1, None)])
    >>> returns_as_text(coin), returns_of_text(returns_as_text(coin)) == coin
    ('[["heads", "2", null, "1/2"]]', True)
    """
    return json.dumps(
        [[hit.won.category, str(hit.won.back), hit.won.bonus, str(hit.probability)] for hit in distribution.hits]
    )


def returns_of_text(text: str) -> Returns:
    """Return a distribution from its JSON."""
    return Returns(
        tuple(
            Hit(Won(category, Fraction(back), bonus), Fraction(probability))
            for category, back, bonus, probability in json.loads(text)
        )
    )
