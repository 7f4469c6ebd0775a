"""The settled win of wagers: handle, payout, vigorish, banks and meters, and the theoretical win."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from services.reporting.framework.document import Column, Identity
from services.reporting.framework.figures import NOTHING, Cell, Figure, Weights, share, total, weighted
from services.reporting.read_model.reading import Books
from services.reporting.read_model.rounds import STAKES
from shared.contracts.reports import percent_of
from shared.contracts.wager_totals import FIGURES

ADDED: Final = (*FIGURES, *STAKES)
"""The names of the sums over settled rounds."""

_WIN: Final = "handle + vigorish + house in bank - payout, before meters"
_OF_HANDLE: Final = "by handle; empty where nothing was wagered"

MONEY: Final = (
    Column(name="count", title="Wagers", unit="count", added=True, formula="rounds that had the wager"),
    Column(name="handle_cents", title="Handle", unit="cents", added=True, formula="wagered against the house"),
    Column(
        name="payout_cents",
        title="Payout",
        unit="cents",
        added=True,
        formula="what players received of it, with returned stakes and meter awards",
    ),
    Column(name="vigorish_cents", title="Vigorish", unit="cents", added=True),
    Column(
        name="player_vigorish_cents",
        title="Vigorish of players",
        unit="cents",
        added=True,
        formula="vigorish - vigorish of banks",
    ),
    Column(
        name="bank_vigorish_cents",
        title="Vigorish of banks",
        unit="cents",
        added=True,
        formula="from players who banked",
    ),
    Column(name="win_cents", title="Win", unit="cents", added=True, formula=_WIN),
    Column(name="win_percent", title="Win %", unit="percent", formula=f"win / handle, {_OF_HANDLE}"),
    Column(
        name="meter_contribution_cents", title="Onto meters", unit="cents", added=True, formula="of rounds, onto meters"
    ),
    Column(name="meter_payout_cents", title="Off meters", unit="cents", added=True, formula="awards, in the payout"),
    Column(name="meter_reset_cents", title="Meter resets", unit="cents", added=True, formula="restored meters"),
    Column(
        name="account_staked_cents",
        title="Electronic stakes",
        unit="cents",
        added=True,
        formula="the part of what was wagered that came from game accounts",
    ),
    Column(
        name="account_credited_cents",
        title="Electronic credits",
        unit="cents",
        added=True,
        formula="the part of what was paid that went to game accounts",
    ),
    Column(
        name="banked_handle_cents",
        title="Against banks",
        unit="cents",
        added=True,
        formula="in rounds that a player banks: wagered against the bank; no handle of the house",
    ),
    Column(name="banked_payout_cents", title="Paid by banks", unit="cents", added=True, formula="what went back of it"),
    Column(name="bank_collected_cents", title="Collected from banks", unit="cents", added=True),
    Column(name="bank_paid_cents", title="Paid to banks", unit="cents", added=True),
    Column(
        name="house_in_bank_cents",
        title="House in bank",
        unit="cents",
        added=True,
        formula="what the house won in banks (below zero: lost), by the dealer's wager and as co-bank",
    ),
)
"""The money columns of wagers."""

ROUNDS: Final = (
    Column(name="rounds_counted", title="Rounds", unit="count", added=True, formula="posted - reversed"),
    Column(name="rounds_posted", title="Posted", unit="count", added=True, formula="settlements, corrections included"),
    Column(
        name="rounds_corrected",
        title="Corrections",
        unit="count",
        added=True,
        formula="those that replace another",
    ),
    Column(name="rounds_reversed", title="Reversed", unit="count", added=True, formula="void, or for a correction"),
    Column(name="rounds_voided", title="Voided", unit="count", added=True, formula="before they were posted"),
)
"""The columns with numbers of rounds."""


@dataclass(frozen=True)
class SettledWin:
    """The settled figures of wagers: FIGURES and STAKES, in cents, and the part with an exact house edge.

    `exact_handle` and `exact_win` cover only wagers with an exact house edge. `theoretical` is their handle x house
    edge, and `variance` its variance by chance (cents squared). `without` names the wagers without a house edge. A
    payout without a stake of its own has a theoretical win of zero, and is exact. `kept` has the terms of
    `theoretical`: exact house edges, each with its handle.
    """

    figures: Mapping[str, Figure] = field(default_factory=dict)
    bank_vigorish: Figure = NOTHING
    exact_handle: Figure = NOTHING
    exact_win: Figure = NOTHING
    theoretical: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)
    without: frozenset[str] = frozenset()
    kept: Weights = ()

    def of(self, name: str) -> Figure:
        """Return one of FIGURES or STAKES."""
        return self.figures.get(name, NOTHING)

    @cached_property
    def win(self) -> Figure:
        """Return the win of the house, before meters."""
        positive = total(map(self.of, ("handle_cents", "vigorish_cents", "house_in_bank_cents")))
        return positive - self.of("payout_cents")

    @property
    def theoretical_win(self) -> Figure | Cell:
        """Return the theoretical win, rounded half to even; empty if a part of the wagers has no exact house edge."""
        return Cell(None, self.exact_handle) if self.without else self.exact_theoretical_win

    @property
    def exact_theoretical_win(self) -> Figure:
        """Return the theoretical win of the part with an exact house edge, rounded half to even."""
        return weighted(round(self.theoretical), self.kept)

    @property
    def exact_difference(self) -> Figure:
        """Return actual less theoretical win of the part with an exact house edge, rounded once."""
        return self._less_theory(self.exact_win)

    def _less_theory(self, win: Figure) -> Figure:
        return weighted(round(win.value - self.theoretical), [(1, win), *((-edge, of) for edge, of in self.kept)])

    @property
    def theoretical_percent(self) -> Cell:
        """Return the theoretical win as a percentage of the handle."""
        handle = self.of("handle_cents")
        return Cell(None if self.without else percent_of(self.theoretical, handle.value), handle)

    @property
    def difference(self) -> Figure | Cell:
        """Return actual less theoretical win, rounded once; empty if a part of the wagers has no exact house edge."""
        return Cell(None, self.win) if self.without else self._less_theory(self.win)

    @property
    def difference_percent(self) -> Cell:
        """Return the difference as a percentage of the handle."""
        win, handle = self.win, self.of("handle_cents")
        found = None if self.without else percent_of(win.value - self.theoretical, handle.value)
        return Cell(found, win)


def together(wins: Iterable[SettledWin]) -> SettledWin:
    """Return the total of several wins."""
    listed = list(wins)
    return SettledWin(
        {name: total([one.of(name) for one in listed]) for name in ADDED},
        total(one.bank_vigorish for one in listed),
        total(one.exact_handle for one in listed),
        total(one.exact_win for one in listed),
        sum((one.theoretical for one in listed), Fraction(0)),
        sum((one.variance for one in listed), Fraction(0)),
        frozenset().union(*(one.without for one in listed)),
        tuple(part for one in listed for part in one.kept),
    )


def money(win: SettledWin) -> dict[str, Any]:
    """Return the cells of MONEY."""
    cells: dict[str, Figure | Cell] = {name: win.of(name) for name in FIGURES}
    return cells | {
        "bank_vigorish_cents": win.bank_vigorish,
        "player_vigorish_cents": win.of("vigorish_cents") - win.bank_vigorish,
        "win_cents": win.win,
        "win_percent": share(win.win, win.of("handle_cents")),
    }


async def rounds_by(books: Books, dimension: str) -> dict[str, dict[str, Figure]]:
    """Return the cells of ROUNDS by `table_name` or `game`."""
    found: dict[str, dict[str, Figure]] = {}
    for (name,), counts in (await books.played((dimension,))).items():
        cells = {f"rounds_{count}": figure for count, figure in counts.items()}
        found[name] = cells | {"rounds_counted": counts["posted"] - counts["reversed"], "rounds_voided": NOTHING}
    for (table, game), measures in (await books.amounts(["rounds_voided"], ("table_name", "item"))).items():
        if books.question.game in (None, game):
            cells = found.setdefault(table if dimension == "table_name" else game, dict.fromkeys(_ROUNDS, NOTHING))
            cells["rounds_voided"] += measures["rounds_voided"]
    return dict(sorted(found.items(), key=itemgetter(0)))


_ROUNDS: Final = tuple(column.name for column in ROUNDS)


async def lines_identities(books: Books, whole: SettledWin) -> tuple[Identity, ...]:
    """Return the identities between the totals of rounds and their settlement lines: handle and payout."""
    lines = (await books.lines()).get((), {})
    return tuple(
        Identity(f"{name} and lines", whole.of(figure), lines.get(of_lines, NOTHING), says)
        for name, figure, of_lines, says in (
            ("handle", "handle_cents", "stake_cents", "the handle is what the settlement lines of the house staked"),
            ("payout", "payout_cents", "payout_cents", "the payout is what these lines brought back"),
        )
    )
