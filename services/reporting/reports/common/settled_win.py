"""The settled win of wagers: handle, payout, vigorish, wagers against banks, meters, and the theoretical win."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Any, Final

from services.reporting.framework.document import Column, Identity
from services.reporting.framework.figures import NOTHING, Cell, Figure, share, total
from services.reporting.read_model.reading import Books
from services.reporting.read_model.rounds import STAKES
from services.reporting.reports.common.theoretical_win import TheoreticalWin
from services.reporting.reports.common.theoretical_win import together as theoretical_together
from shared.contracts.wager_totals import FIGURES

ADDED: Final = (*FIGURES, *STAKES)
"""The names of the sums over settled rounds."""

_WIN: Final = "handle + vigorish + house share in banks - payout, before meters"
_OF_HANDLE: Final = "by handle; empty where nothing was wagered"

MONEY: Final = (
    Column(name="count", title="Wagers", unit="count", added=True, formula="rounds with this wager"),
    Column(name="handle_cents", title="Handle", unit="cents", added=True, formula="wagered against the house"),
    Column(
        name="payout_cents",
        title="Payout",
        unit="cents",
        added=True,
        formula="paid to players by the house, including returned stakes and meter awards",
    ),
    Column(name="vigorish_cents", title="Vigorish", unit="cents", added=True),
    Column(
        name="player_vigorish_cents",
        title="Vigorish from players",
        unit="cents",
        added=True,
        formula="vigorish - vigorish from banks",
    ),
    Column(
        name="bank_vigorish_cents",
        title="Vigorish from banks",
        unit="cents",
        added=True,
        formula="charged to players who bank",
    ),
    Column(name="win_cents", title="Settled win", unit="cents", added=True, formula=_WIN),
    Column(name="win_percent", title="Win %", unit="percent", formula=f"settled win / handle, {_OF_HANDLE}"),
    Column(
        name="meter_contribution_cents",
        title="Meter contributions",
        unit="cents",
        added=True,
        formula="contributions of rounds to progressive meters",
    ),
    Column(
        name="meter_payout_cents",
        title="Meter awards",
        unit="cents",
        added=True,
        formula="awards from progressive meters, included in the payout",
    ),
    Column(
        name="meter_reset_cents",
        title="Meter resets",
        unit="cents",
        added=True,
        formula="restored to meters after awards",
    ),
    Column(
        name="account_staked_cents",
        title="Electronic stakes",
        unit="cents",
        added=True,
        formula="part of the amount wagered that came from game accounts",
    ),
    Column(
        name="account_credited_cents",
        title="Electronic credits",
        unit="cents",
        added=True,
        formula="part of the amount paid that went to game accounts",
    ),
    Column(
        name="banked_handle_cents",
        title="Wagers against banks",
        unit="cents",
        added=True,
        formula="wagered against the bank in rounds banked by a player; not part of the house's handle",
    ),
    Column(
        name="banked_payout_cents",
        title="Paid by banks",
        unit="cents",
        added=True,
        formula="paid on those wagers by the banks, with returned stakes",
    ),
    Column(name="bank_collected_cents", title="Collected from banks", unit="cents", added=True),
    Column(name="bank_paid_cents", title="Paid to banks", unit="cents", added=True),
    Column(
        name="house_in_bank_cents",
        title="House share in banks",
        unit="cents",
        added=True,
        formula="net result of the house in players' banks, from the dealer's wager and as co-bank; negative: lost",
    ),
)
"""The money columns of sections about wagers."""

ROUNDS: Final = (
    Column(name="rounds_counted", title="Rounds", unit="count", added=True, formula="posted - reversed"),
    Column(
        name="rounds_posted", title="Posted", unit="count", added=True, formula="settlements, including corrections"
    ),
    Column(
        name="rounds_corrected",
        title="Corrections",
        unit="count",
        added=True,
        formula="settlements that replace an earlier one",
    ),
    Column(
        name="rounds_reversed",
        title="Reversed",
        unit="count",
        added=True,
        formula="settlements reversed because the round was voided or corrected",
    ),
    Column(
        name="rounds_voided",
        title="Voided",
        unit="count",
        added=True,
        formula="rounds voided before a settlement was posted",
    ),
)
"""The columns with numbers of rounds."""


@dataclass(frozen=True)
class SettledWin:
    """The settled figures of wagers (FIGURES and STAKES, in cents), with the wagers' theoretical win.

    `theoretical` covers all wagers that have a house edge, `exact` only those whose return has an exact distribution.
    `variance` is the variance by chance (cents squared) of the win in `exact`.
    """

    figures: Mapping[str, Figure] = field(default_factory=dict)
    bank_vigorish: Figure = NOTHING
    theoretical: TheoreticalWin = field(default_factory=TheoreticalWin)
    exact: TheoreticalWin = field(default_factory=TheoreticalWin)
    variance: Fraction = Fraction(0)

    def of(self, name: str) -> Figure:
        """Return the sum of the figure `name`, one of FIGURES or STAKES."""
        return self.figures.get(name, NOTHING)

    @cached_property
    def win(self) -> Figure:
        """Return the house's win in cents, before progressive meters."""
        positive = total(map(self.of, ("handle_cents", "vigorish_cents", "house_in_bank_cents")))
        return positive - self.of("payout_cents")

    @property
    def without_house_edge(self) -> str | None:
        """Return the wagers without a house edge, each with its share of the handle; None if there are none."""
        return self.theoretical.lacking(self.of("handle_cents").value)

    @property
    def stated_house_edge(self) -> str | None:
        """Return the wagers with the licensee's own house edge, each with its source and its share of the handle."""
        return self.theoretical.by_licensee(self.of("handle_cents").value)


def together(wins: Iterable[SettledWin]) -> SettledWin:
    """Return the total of several settled wins."""
    listed = list(wins)
    return SettledWin(
        {name: total([one.of(name) for one in listed]) for name in ADDED},
        total(one.bank_vigorish for one in listed),
        theoretical_together(one.theoretical for one in listed),
        theoretical_together(one.exact for one in listed),
        sum((one.variance for one in listed), Fraction(0)),
    )


def money(win: SettledWin) -> dict[str, Any]:
    """Return the cells of the columns MONEY."""
    cells: dict[str, Figure | Cell] = {name: win.of(name) for name in FIGURES}
    return cells | {
        "bank_vigorish_cents": win.bank_vigorish,
        "player_vigorish_cents": win.of("vigorish_cents") - win.bank_vigorish,
        "win_cents": win.win,
        "win_percent": share(win.win, win.of("handle_cents")),
    }


async def rounds_by(books: Books, dimension: str) -> dict[str, dict[str, Figure]]:
    """Return the cells of the columns ROUNDS, keyed by the values of a dimension, `table_name` or `game`."""
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
    """Return the identities that the rounds' handle and payout equal the stakes and payouts of the settlement lines."""
    lines = (await books.lines()).get((), {})
    return tuple(
        Identity(f"{name} and lines", whole.of(figure), lines.get(of_lines, NOTHING), says)
        for name, figure, of_lines, says in (
            (
                "handle",
                "handle_cents",
                "stake_cents",
                "handle: in total, and as stakes of the house's settlement lines",
            ),
            (
                "payout",
                "payout_cents",
                "payout_cents",
                "payout: in total, and as payouts of the house's settlement lines",
            ),
        )
    )
