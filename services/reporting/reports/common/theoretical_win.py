"""The theoretical win of wagers, handle x house edge, beside the settled win of the same wagers. Pure."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction

from services.reporting.domain.house_edges import root_of_squares
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
"""Standard errors, cents, by game and the first of the wagers that are counted together.

What has one key is of one sample or model under all versions: its errors add up linearly. Different keys are
independent.
"""


@dataclass(frozen=True)
class TheoreticalWin:
    """The handle and the settled win of the wagers with a house edge, cents, and their theoretical win.

    A payout without a stake of its own has a theoretical win of zero. `cents` is exact until it is shown; `kept` has
    its terms: house edges, each with its handle. `errors` are those of house edges that are not exact, and `without`
    has the handle of the wagers that have no house edge, by name, also if it comes to nothing: they are in no other
    figure.
    """

    handle: Figure = NOTHING
    win: Figure = NOTHING
    cents: Fraction = Fraction(0)
    kept: Weights = ()
    errors: Errors = field(default_factory=dict)
    without: Mapping[str, int] = field(default_factory=dict)

    @property
    def is_known(self) -> bool:
        """Return whether there is a theoretical win: not if nothing that was wagered has a house edge."""
        return not self.without or self.handle.value != 0

    @property
    def shown(self) -> Figure | Cell:
        """Return the theoretical win, rounded half to even; empty if it is not known."""
        return weighted(round(self.cents), self.kept) if self.is_known else Cell(None, self.handle)

    @property
    def error_cents(self) -> int | None:
        """Return the standard error of the theoretical win: 0 if all house edges are exact; None if it is not known."""
        return root_of_squares(self.errors.values()) if self.is_known else None

    @property
    def error(self) -> Cell:
        """Return the standard error with the handle that it comes from."""
        return Cell(self.error_cents, self.handle)

    @property
    def percent(self) -> Cell:
        """Return the theoretical win as a percentage of the handle that it is of."""
        return Cell(percent_of(self.cents, self.handle.value) if self.is_known else None, self.handle)

    @property
    def difference(self) -> Figure | Cell:
        """Return settled less theoretical win of these wagers, rounded once; empty if it is not known."""
        if not self.is_known:
            return Cell(None, self.win)
        terms: list[tuple[Fraction, Figure]] = [(Fraction(1), self.win), *((-edge, of) for edge, of in self.kept)]
        return weighted(round(self.win.value - self.cents), terms)

    @property
    def difference_percent(self) -> Cell:
        """Return actual less theoretical win as a percentage of the handle of the wagers with a house edge."""
        found = percent_of(self.win.value - self.cents, self.handle.value) if self.is_known else None
        return Cell(found, explained_by(self.win, self.handle))

    def lacking(self, handle_cents: int) -> str | None:
        """Return the wagers without a house edge, each with its share of `handle_cents`; None if there are none.

        A wager of which nothing is in the handle is not named, unless there is no handle.

        >>> without = TheoreticalWin(without={"pai_gow/main": 250, "blackjack/side": 1, "craps/any": 0})
        >>> without.lacking(1000), without.lacking(0)
        ('blackjack/side (0.10%), pai_gow/main (25.00%)', 'blackjack/side, craps/any, pai_gow/main')
        """
        named = ((name, cents) for name, cents in sorted(self.without.items()) if cents or not handle_cents)
        shares = ((name, percent_of(cents, handle_cents)) for name, cents in named)
        return ", ".join(name if percent is None else f"{name} ({percent}%)" for name, percent in shares) or None


def together(several: Iterable[TheoreticalWin]) -> TheoreticalWin:
    """Return the theoretical win of several groups of wagers as one."""
    listed = list(several)
    errors: dict[tuple[str, str], Fraction] = {}
    without: Counter[str] = Counter()
    for one in listed:
        without.update(one.without)
        for wager, cents in one.errors.items():
            errors[wager] = errors.get(wager, Fraction(0)) + cents
    return TheoreticalWin(
        total(one.handle for one in listed),
        total(one.win for one in listed),
        sum((one.cents for one in listed), Fraction(0)),
        tuple(part for one in listed for part in one.kept),
        errors,
        without,
    )
