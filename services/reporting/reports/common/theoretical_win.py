"""The theoretical win of wagers, handle x house edge, with the settled win of the same wagers. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, NamedTuple

from services.reporting.domain.house_edges import HouseEdge, root_of_squares
from services.reporting.framework.document import Column
from services.reporting.framework.figures import (
    NOTHING,
    Cell,
    Figure,
    Weights,
    explained_by,
    total,
    weighted,
)
from shared.contracts.reports import percent_of

Errors = Mapping[tuple[str, str], Fraction]
"""Standard errors in cents, keyed by game and the first of the wagers whose house edge is counted together.

Errors with the same key come from the same sample or model, whatever the version, so they add up linearly. Errors with
different keys are independent.
"""


STATED_HOUSE_EDGE: Final = Column(
    name="stated_house_edge",
    title="Licensee's own value",
    formula=(
        "wagers whose theoretical win uses the licensee's own house edge, because the paytable registry has "
        "counted none: each with that value, its source and its share of the handle; its error is not part of "
        "any standard error"
    ),
)
"""The column for the part of a theoretical win that uses the licensee's own values."""


class StatedEdge(NamedTuple):
    """The licensee's own house edge of a wager, in percent, and its source."""

    wager: str
    percent: str
    source: str


def stated_edge(wager: str, edge: HouseEdge) -> StatedEdge | None:
    """Return the licensee's own value if it is used as the house edge, else None."""
    if edge.counted != "stated" or edge.stated is None:
        return None
    return StatedEdge(wager, edge.stated.house_edge_percent, edge.stated.source)


@dataclass(frozen=True)
class TheoreticalWin:
    """The handle, settled win and theoretical win of the wagers that have a house edge, in cents.

    A payout without a stake of its own has a theoretical win of zero. `cents` is the exact theoretical win, and `kept`
    its terms: house edges, each with its handle. `errors` are the standard errors of inexact house edges. `without`
    maps wagers that have no house edge to their handle, even if it is zero; no other figure includes these wagers.
    `stated` is the handle of the wagers whose house edge is the licensee's own value.
    """

    handle: Figure = NOTHING
    win: Figure = NOTHING
    cents: Fraction = Fraction(0)
    kept: Weights = ()
    errors: Errors = field(default_factory=dict)
    without: Mapping[str, int] = field(default_factory=dict)
    stated: Mapping[StatedEdge, int] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Return whether there is a theoretical win; there is none if all wagers lack a house edge."""
        return not self.without or self.handle.value != 0

    @property
    def shown(self) -> Figure | Cell:
        """Return the theoretical win, rounded half to even; empty if there is none."""
        return weighted(round(self.cents), self.kept) if self.is_known else Cell(None, self.handle)

    @property
    def error_cents(self) -> int | None:
        """Return the standard error of the theoretical win in cents: 0 if all edges are exact; None without a win."""
        return root_of_squares(self.errors.values()) if self.is_known else None

    @property
    def error(self) -> Cell:
        """Return a cell with the standard error of the theoretical win, in cents, and the provenance of the handle."""
        return Cell(self.error_cents, self.handle)

    @property
    def percent(self) -> Cell:
        """Return the theoretical win as a percentage of the handle of the wagers with a house edge."""
        return Cell(percent_of(self.cents, self.handle.value) if self.is_known else None, self.handle)

    @property
    def difference(self) -> Figure | Cell:
        """Return the settled less the theoretical win, rounded once; empty without a theoretical win."""
        if not self.is_known:
            return Cell(None, self.win)
        terms: list[tuple[Fraction, Figure]] = [(Fraction(1), self.win), *((-edge, of) for edge, of in self.kept)]
        return weighted(round(self.win.value - self.cents), terms)

    @property
    def difference_percent(self) -> Cell:
        """Return the settled less the theoretical win as a percentage of the handle of the wagers with a house edge."""
        found = percent_of(self.win.value - self.cents, self.handle.value) if self.is_known else None
        return Cell(found, explained_by(self.win, self.handle))

    def lacking(self, handle_cents: int) -> str | None:
        """Return the wagers without a house edge, each with its share of `handle_cents`; None if there are none.

        A wager with a handle of zero is named only if `handle_cents` is zero, too.

        >>> without = TheoreticalWin(without={"pai_gow/main": 250, "blackjack/side": 1, "craps/any": 0})
        >>> without.lacking(1000), without.lacking(0)
        ('blackjack/side (0.10%), pai_gow/main (25.00%)', 'blackjack/side, craps/any, pai_gow/main')
        """
        named = ((name, cents) for name, cents in sorted(self.without.items()) if cents or not handle_cents)
        shares = ((name, percent_of(cents, handle_cents)) for name, cents in named)
        return ", ".join(name if percent is None else f"{name} ({percent}%)" for name, percent in shares) or None

    def by_licensee(self, handle_cents: int) -> str | None:
        """Return the wagers with the licensee's own house edge, each with source and share of the handle, or None.

        >>> gli = StatedEdge("pai_gow/main", "2.71", "GLI report MO-1")
        >>> TheoreticalWin(stated={gli: 250}).by_licensee(1000), TheoreticalWin(stated={gli: 0}).by_licensee(0)
        ('pai_gow/main 2.71%: GLI report MO-1 (25.00%)', 'pai_gow/main 2.71%: GLI report MO-1')
        """
        listed = []
        for (wager, edge_percent, source), cents in sorted(self.stated.items()):
            if cents or not handle_cents:
                percent = percent_of(cents, handle_cents)
                share = "" if percent is None else f" ({percent}%)"
                listed.append(f"{wager} {edge_percent}%: {source}{share}")
        return "; ".join(listed) or None


def together(several: Iterable[TheoreticalWin]) -> TheoreticalWin:
    """Return the sum of theoretical wins of several groups of wagers."""
    listed = list(several)
    errors: dict[tuple[str, str], Fraction] = {}
    without: Counter[str] = Counter()
    stated: Counter[StatedEdge] = Counter()
    for one in listed:
        without.update(one.without)
        stated.update(one.stated)
        for wager, cents in one.errors.items():
            errors[wager] = errors.get(wager, Fraction(0)) + cents
    return TheoreticalWin(
        total(one.handle for one in listed),
        total(one.win for one in listed),
        sum((one.cents for one in listed), Fraction(0)),
        tuple(part for one in listed for part in one.kept),
        errors,
        without,
        stated,
    )
