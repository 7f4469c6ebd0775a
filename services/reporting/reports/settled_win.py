"""The win of wagers as settled: handle, payout, vigorish, banks and meters, beside what should have been won."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from fractions import Fraction
from functools import cached_property
from operator import itemgetter
from typing import Any, Final, NamedTuple

from services.reporting.books.reading import Books
from services.reporting.books.rounds import BANK, STAKES
from services.reporting.domain.house_edges import HouseEdge
from services.reporting.kit.document import Column, Identity
from services.reporting.kit.figures import NOTHING, AddedUp, Cell, Figure, share, total
from shared.contracts.reports import percent_of
from shared.contracts.wager_totals import FIGURES

DIMENSIONS: Final = ("table_name", "game", "shift", "version", "submission", "wager")
"""What settled wins can be added up by."""

_ADDED: Final = (*FIGURES, *STAKES)
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
"""The columns of what wagers did."""

ROUNDS: Final = (
    Column(name="rounds_counted", title="Rounds", unit="count", added=True, formula="posted - reversed"),
    Column(name="rounds_posted", title="Posted", unit="count", added=True, formula="settlements, corrections included"),
    Column(name="rounds_corrected", title="Corrections", unit="count", added=True, formula="those of them posted anew"),
    Column(name="rounds_reversed", title="Reversed", unit="count", added=True, formula="void, or for a correction"),
    Column(name="rounds_voided", title="Voided", unit="count", added=True, formula="before they were posted"),
)
"""The columns of how many rounds there were."""


class Part(NamedTuple):
    """What was added up by all of DIMENSIONS, whose values are `place`."""

    place: tuple[str, ...]
    figures: Mapping[str, Figure]


@dataclass(frozen=True, slots=True)
class SettledWin:
    """What wagers did, as settled: FIGURES and STAKES, cents, with what has an exact house edge.

    `exact_handle` and `exact_win` are of the parts of the handle with an exact house edge, `theoretical` what the house
    should have won of them: handle x house edge, and `variance` how far chance moves that (cents squared). `without`
    names the wagers that have none. A payout without a stake of its own should win nothing, and is exact.
    """

    figures: Mapping[str, Figure] = field(default_factory=dict)
    bank_vigorish: Figure = NOTHING
    exact_handle: Figure = NOTHING
    exact_win: Figure = NOTHING
    theoretical: Fraction = Fraction(0)
    variance: Fraction = Fraction(0)
    without: frozenset[str] = frozenset()

    def of(self, name: str) -> Figure:
        """Return one of FIGURES or STAKES."""
        return self.figures.get(name, NOTHING)

    @property
    def win(self) -> Figure:
        """Return the win of the house, before meters."""
        return won(self.figures)

    @property
    def theoretical_win(self) -> Cell:
        """Return the theoretical win, half a cent to the even one; nothing where a part has no exact house edge."""
        return Cell(None if self.without else round(self.theoretical), self.exact_handle.because)

    @property
    def theoretical_percent(self) -> Cell:
        """Return the theoretical win as a percentage of the handle."""
        handle = self.of("handle_cents")
        return Cell(None if self.without else percent_of(self.theoretical, handle.value), handle.because)

    @property
    def difference(self) -> Cell:
        """Return the actual less the theoretical win, rounded once."""
        win = self.win
        return Cell(None if self.without else round(win.value - self.theoretical), win.because)

    @property
    def difference_percent(self) -> Cell:
        """Return the difference as a percentage of the handle."""
        win, handle = self.win, self.of("handle_cents")
        found = None if self.without else percent_of(win.value - self.theoretical, handle.value)
        return Cell(found, win.because)

    def __add__(self, other: "SettledWin") -> "SettledWin":
        return together((self, other))


def won(figures: Mapping[str, Figure]) -> Figure:
    """Return the win of figures, before meters."""

    def of(name: str) -> Figure:
        return figures.get(name, NOTHING)

    return total(map(of, ("handle_cents", "vigorish_cents", "house_in_bank_cents"))) - of("payout_cents")


@dataclass(frozen=True)
class SettledRounds:
    """The settled rounds of some gaming days, added up by all of DIMENSIONS, with the house edges of their wagers."""

    first: date
    last: date
    parts: Sequence[Part]
    edges: Mapping[tuple[str, str], HouseEdge]
    narrowed: tuple[tuple[str, str], ...] = ()

    def by(self, *names: str) -> dict[tuple[str, ...], SettledWin]:
        """Return the win by some of DIMENSIONS, in the order of their values."""
        if names in self._known:
            return self._known[names]
        indexes = [DIMENSIONS.index(name) for name in names]
        grouped: dict[tuple[str, ...], list[_Row]] = {}
        for row in self._rows:
            grouped.setdefault(tuple(row.place[index] for index in indexes), []).append(row)
        found = self._known[names] = {
            place: self._together(tuple(zip(names, place, strict=True)), rows)
            for place, rows in sorted(grouped.items(), key=itemgetter(0))
        }
        return found

    @cached_property
    def _known(self) -> dict[tuple[str, ...], dict[tuple[str, ...], SettledWin]]:
        """What was asked for once: several sections are by the same dimensions, and spans of days share their parts."""
        return {}

    def whole(self) -> SettledWin:
        """Return the win of everything."""
        return self.by().get((), SettledWin())

    def without(self, part: Part) -> str | None:
        """Return why a part has no exact house edge; None where it has one, or has no handle."""
        if not part.figures["handle_cents"].value:
            return None
        *_, version, submission, wager = part.place
        edge = self.edges.get((submission, wager))
        if edge is None:
            return f"version {version} of the rules submission has not come from the registry"
        return edge.reason

    @cached_property
    def _rows(self) -> Sequence["_Row"]:
        return [
            _Row(
                part.place,
                tuple(part.figures[name].value for name in _ADDED),
                self.edges.get((part.place[-2], part.place[-1])),
                self.without(part),
                part,
            )
            for part in self.parts
        ]

    def _together(self, where: tuple[tuple[str, str], ...], rows: Sequence["_Row"]) -> SettledWin:
        """Return some parts as one; every part is in a dozen sections, so numbers are added up, and not figures."""
        where += tuple(one for one in self.narrowed if one[0] not in dict(where))

        def figure(name: str, value: int, *more: tuple[str, str]) -> Figure:
            return Figure(value, (AddedUp("rounds", (name,), self.first, self.last, (*where, *more)),))

        sums = map(sum, zip(*(row.values for row in rows), strict=True))
        figures = {name: figure(name, value) for name, value in zip(_ADDED, sums, strict=True)}
        of_banks = sum(row.values[_VIGORISH] for row in rows if row.place[-1] == BANK)
        found = SettledWin(figures, figure("vigorish_cents", of_banks, *_of_bank(where)))
        exact = [row for row in rows if row.without is None]
        by_edge: dict[tuple[str, ...], list[_Row]] = {}
        for row in exact:
            by_edge.setdefault(row.place[-3:], []).append(row)
        theoretical, variance = Fraction(0), Fraction(0)
        of_wagers: list[Mapping[str, Figure]] = []
        for under, listed in by_edge.items():
            edge = listed[0].edge
            if edge is None or edge.returns is None:
                of_wagers += (row.part.figures for row in listed)  # others of this wager may be out of it
                continue
            added = dict(zip(_ADDED, map(sum, zip(*(row.values for row in listed), strict=True)), strict=True))
            theoretical += added["handle_cents"] * (edge.house_edge or 0)
            variance += added["squared"] * edge.returns.variance
            named = tuple(zip(DIMENSIONS[-3:], under, strict=True))
            more = tuple(one for one in named if one not in where)
            of_wagers.append({name: figure(name, added[name], *more) for name in _WON})
        if len(exact) == len(rows):
            of_wagers = [figures]
        return replace(
            found,
            exact_handle=total(one["handle_cents"] for one in of_wagers),
            exact_win=total(map(won, of_wagers)),
            theoretical=theoretical,
            variance=variance,
            without=frozenset(f"{row.place[1]}/{row.place[-1]}" for row in rows if row.without is not None),
        )


class _Row(NamedTuple):
    """A part as it is added up: its place, the values of its figures, its house edge, and why it has no exact one."""

    place: tuple[str, ...]
    values: tuple[int, ...]
    edge: HouseEdge | None
    without: str | None
    part: Part


_VIGORISH: Final = _ADDED.index("vigorish_cents")
_WON: Final = ("handle_cents", "vigorish_cents", "house_in_bank_cents", "payout_cents")
"""What a win is made of."""


def _of_bank(where: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return () if "wager" in dict(where) else (("wager", BANK),)


async def settled_rounds(books: Books, first: date | None = None, last: date | None = None) -> SettledRounds:
    """Return the settled rounds of the gaming days of the question, or of others."""
    first, last = first or books.question.first, last or books.question.last
    known = await books.rounds(DIMENSIONS, first=first, last=last)
    parts = [Part(place, figures) for place, figures in known.items()]
    edges = await books.house_edges({part.place[-2] for part in parts})
    asked = (("table_name", books.question.table), ("game", books.question.game))
    return SettledRounds(first, last, parts, edges, tuple((name, value) for name, value in asked if value is not None))


def together(wins: Iterable[SettledWin]) -> SettledWin:
    """Return several wins as one."""
    listed = list(wins)
    if len(listed) == 1:
        return listed[0]
    return SettledWin(
        {name: total(win.of(name) for win in listed) for name in _ADDED},
        total(win.bank_vigorish for win in listed),
        total(win.exact_handle for win in listed),
        total(win.exact_win for win in listed),
        sum((win.theoretical for win in listed), Fraction(0)),
        sum((win.variance for win in listed), Fraction(0)),
        frozenset().union(*(win.without for win in listed)),
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
    """Return what the totals of rounds and their settlement lines must agree in: handle and payout."""
    lines = (await books.lines()).get((), {})
    return tuple(
        Identity(f"{name} and lines", whole.of(figure), lines.get(of_lines, NOTHING), says)
        for name, figure, of_lines, says in (
            ("handle", "handle_cents", "stake_cents", "the handle is what the settlement lines of the house staked"),
            ("payout", "payout_cents", "payout_cents", "the payout is what these lines brought back"),
        )
    )
