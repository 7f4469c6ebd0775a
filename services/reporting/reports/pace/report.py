"""Pace and yield: rounds per hour, occupied seats, average wager, take-up of side bets, and yield per hour."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from operator import attrgetter, itemgetter
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Filled, Identity, fill
from services.reporting.framework.figures import NOTHING, Cell, Explained, Figure, explained_by, share, total
from services.reporting.read_model.pace_of_play import (
    Dimension,
    Pace,
    count_per_hour,
    handle_figure,
    hours_of,
    pace_by,
    per_hour,
    ratio,
    rounds_figure,
    seats_figure,
)
from services.reporting.read_model.reading import Books
from services.reporting.read_model.rounds import RESULTS as RESULT_MEASURES
from services.reporting.read_model.shift_times import open_milliseconds
from services.reporting.reports.common.counted_win import CountedWin, counted_wins
from services.reporting.reports.common.settled_rounds import SettledRounds, settled_rounds
from services.reporting.reports.common.settled_win import SettledWin
from services.reporting.reports.pace.sections import (
    DEALERS,
    GAMES,
    HOURS,
    MINIMUMS,
    OPEN_HOURS,
    RAKE,
    RESULTS,
    SIDE_BETS,
    TABLES,
)
from shared.contracts.properties import PropertyTable
from shared.contracts.settlements import ResultCounted, ResultUncounted, SettlementPosted, SettlementReversed
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.win import WinStated

_Row = dict[str, Any]

_OF_RAKE: Final = ("rake_cents", "time_collected_cents", "rake_boxes", "rake_boxes_counted", "time_seat_minutes")
"""The measures of non-banking tables (services.reporting.read_model.inventory)."""

_BY_HOUR: Final[tuple[Dimension, ...]] = ("table_name", "game", "clock_hour")

_SIGN: Final = attrgetter("positions", "minimum_cents")
"""The function that returns the positions and the minimum on a table's sign, for `Books.stretches`."""

_NORMAL_95: Final = 1.959964
"""The 97.5% quantile of the standard normal distribution."""


@dataclass(frozen=True, slots=True)
class _Signs:
    """The play, by table, game and hour of the clock, over gaming days on which no table's sign changed."""

    books: Books
    tables: Mapping[str, PropertyTable]
    by_hour: Mapping[tuple[str, ...], Pace]


async def _signs(books: Books, by_hour: Mapping[tuple[str, ...], Pace]) -> Sequence[_Signs]:
    """Return the play, split at each change of a table's sign (positions, minimum); `by_hour` is all queried play."""
    question, found = books.question, []
    stretches = books.stretches(question.first, question.last, _SIGN)
    for first, last in stretches:
        of_days, pace = books, by_hour
        if len(stretches) > 1:
            of_days = books.asked(first=first, last=last)
            pace = await pace_by(of_days, *_BY_HOUR)
        found.append(_Signs(of_days, books.tables_of(first), pace))
    return found


async def _fill(books: Books) -> Content:
    by_hour = await pace_by(books, *_BY_HOUR)
    by_table: dict[tuple[str, str], Pace] = defaultdict(Pace)
    for (table, game, _), pace in by_hour.items():
        by_table[table, game] += pace
    settled = await settled_rounds(books)
    signs = await _signs(books, by_hour)
    whole = sum(by_table.values(), start=Pace())
    sections = (
        fill(TABLES, _tables(books, by_table, settled, signs)),
        fill(GAMES, _games(books, by_table, settled)),
        await _open_hours(books, by_table, settled),
        fill(RESULTS, await _results(books)),
        fill(RAKE, await _rake(books)),
        fill(HOURS, _hours(books, by_hour)),
        fill(MINIMUMS, _minimums(signs)),
        fill(SIDE_BETS, _side_bets(books, by_table, settled)),
        fill(DEALERS, _dealers(books, await pace_by(books, "dealer", "game", "seats_usual"))),
    )
    return Content(sections, await _identities(books, whole, settled))


def _played(pace: Pace, rounds: Figure, seats: Figure, handle: Figure) -> _Row:
    """Return the cells that show play: rounds, seats and handle, with provenance, and averages."""
    handle_per_hour = pace.per_hour(pace.handle_cents)
    return {
        "rounds": rounds,
        "hours": Cell(pace.hours, rounds),
        "rounds_per_hour": Cell(count_per_hour(pace.rounds, pace.milliseconds), rounds),
        "seats": seats,
        "seats_per_round": Cell(pace.seats_per_round, explained_by(seats, rounds)),
        "handle_cents": handle,
        "wager_cents": Cell(pace.wager_cents, explained_by(handle, seats)),
        "handle_per_hour_cents": Cell(_rounded(handle_per_hour), handle),
    }


def _played_at(books: Books, pace: Pace, **where: str) -> _Row:
    figures = (make(books, pace, **where) for make in (rounds_figure, seats_figure, handle_figure))
    return _played(pace, *figures)


def _rounded(cents: Fraction | None) -> int | None:
    return None if cents is None else round(cents)


def _tables(
    books: Books,
    by_table: Mapping[tuple[str, str], Pace],
    settled: SettledRounds,
    signs: Sequence[_Signs],
) -> Iterator[_Row]:
    wins = settled.by("table_name", "game")
    offered, minimums = _offered(signs), _minimums_of(signs)
    for (table, game), pace in sorted(by_table.items()):
        win, seats = wins.get((table, game), SettledWin()), offered.get((table, game), 0)
        yield {
            "table": table,
            "game": game,
            "minimum_cents": minimums.get((table, game)),
            **_played_at(books, pace, table_name=table, game=game),
            "occupancy_percent": Cell(
                ratio(100 * pace.seats, seats), seats_figure(books, pace, table_name=table, game=game)
            ),
            **_yield(pace, win),
        }


def _offered(signs: Iterable[_Signs]) -> Mapping[tuple[str, str], int]:
    """Return the seats offered, summed over rounds, keyed by table and game; 0 if a day's positions are not known."""
    found: dict[tuple[str, str], int] = defaultdict(int)
    unknown = set()
    for under in signs:
        for (table, game, _), pace in under.by_hour.items():
            if (sign := under.tables.get(table)) is None:
                unknown.add((table, game))
            else:
                found[table, game] += pace.rounds * sign.positions
    return {place: 0 if place in unknown else seats for place, seats in found.items()}


def _minimums_of(signs: Iterable[_Signs]) -> Mapping[tuple[str, str], int | None]:
    """Return the minimum wager, keyed by table and game; None if it changed, or is not known for all of the play."""
    found: dict[tuple[str, str], set[int | None]] = defaultdict(set)
    for under in signs:
        for table, game, _ in under.by_hour:
            sign = under.tables.get(table)
            found[table, game].add(None if sign is None else sign.minimum_cents)
    return {place: minimums.pop() if len(minimums) == 1 else None for place, minimums in found.items()}


def _games(books: Books, by_table: Mapping[tuple[str, str], Pace], settled: SettledRounds) -> Iterator[_Row]:
    games: dict[str, list[Pace]] = defaultdict(list)
    for (_, game), pace in by_table.items():
        games[game].append(pace)
    wins = settled.by("game")
    for game, paces in sorted(games.items()):
        pace = sum(paces, start=Pace())
        yield {
            "game": game,
            "tables": len(paces),
            **_played_at(books, pace, game=game),
            **_yield(pace, wins.get((game,), SettledWin())),
        }


def _yield(pace: Pace, win: SettledWin) -> _Row:
    return {
        "win_per_hour_cents": Cell(_rounded(pace.per_hour(win.win.value)), win.win),
        **_theoretical("per_hour", win, pace.milliseconds),
    }


def _theoretical(name: str, settled: SettledWin, milliseconds: int) -> _Row:
    """Return the theoretical win per hour and its standard error, in cents; empty if no wager has a house edge."""
    win = settled.theoretical
    cents, error = (win.cents, win.error_cents) if win.is_known else (None, None)
    cells: _Row = {
        f"theoretical_{what}_{name}_cents": Cell(
            None if amount is None else _rounded(per_hour(amount, milliseconds)), win.handle
        )
        for what, amount in (("win", cents), ("error", error))
    }
    return cells | {"stated_house_edge": settled.stated_house_edge}


async def _open_hours(books: Books, by_table: Mapping[tuple[str, str], Pace], settled: SettledRounds) -> Filled:
    opened = await open_milliseconds(books)
    counted, wins = await counted_wins(books, "table_name"), settled.by("table_name")
    played: dict[str, Pace] = defaultdict(Pace)
    for (table, _), pace in by_table.items():
        played[table] += pace

    def of_table(table: str) -> _Row:
        milliseconds, win = opened[table], counted.get((table,))
        if win is None and books.play_of(table) is not None:  # counted, and it came to nothing
            win = CountedWin()
        rounds = rounds_figure(books, played[table], table_name=table)

        row: _Row = {
            "table": table,
            "open_hours": hours_of(milliseconds),
            "rounds": rounds,
            "rounds_per_open_hour": Cell(count_per_hour(rounds.value, milliseconds), rounds),
        }
        if win is not None:
            for name, figure in (("drop", win.drop), ("win", win.final_win)):
                cents = None if win.missing else _rounded(per_hour(figure.value, milliseconds))
                row[f"{name}_per_open_hour_cents"] = Cell(cents, figure)
        if (settled_win := wins.get((table,))) is not None:
            row |= _theoretical("per_open_hour", settled_win, milliseconds)
        return row

    return fill(OPEN_HOURS, map(of_table, sorted(opened)))


async def _results(books: Books) -> Sequence[_Row]:
    """Return the rows of counted tables that record their results."""
    opened, game = await open_milliseconds(books), books.question.game
    found = []
    for (table, of_game), sums in sorted((await books.amounts(RESULT_MEASURES, ("table_name", "item"))).items()):
        if game not in (None, of_game):
            continue
        results, shoes = sums.get("results", NOTHING), sums.get("shoes", NOTHING)
        milliseconds = opened.get(table, 0)
        found.append(
            {
                "table": table,
                "game": of_game,
                "kind": books.place.kind_of(of_game),
                "results": results,
                "shoes": shoes,
                "results_per_shoe": Cell(ratio(results.value, shoes.value), explained_by(results, shoes)),
                "open_hours": hours_of(milliseconds),
                "results_per_open_hour": Cell(count_per_hour(results.value, milliseconds), results),
            }
        )
    return found


async def _rake(books: Books) -> Sequence[_Row]:
    """Return the rows of non-banking tables, with their rake and time collections."""
    opened, game = await open_milliseconds(books), books.question.game
    found = []
    for (table,), sums in sorted((await books.amounts(_OF_RAKE, ("table_name",))).items()):
        if game not in (None, books.game_of(table)):
            continue
        rake, time, boxes, counted, minutes = (sums.get(name, NOTHING) for name in _OF_RAKE)
        milliseconds = opened.get(table, 0)
        row = {
            "table": table,
            "game": books.game_of(table),
            "rake_cents": rake,
            "time_cents": time,
            "boxes": boxes,
            "rake_per_box_cents": Cell(round(Fraction(rake.value, counted.value)) if counted.value else None, rake),
            "seat_hours": Cell(ratio(minutes.value, 60), minutes),
            "open_hours": hours_of(milliseconds),
        }
        if counted.value == boxes.value > 0:
            row["pots_cents"] = rake - time
            row["rake_per_open_hour_cents"] = Cell(_rounded(per_hour(rake.value, milliseconds)), rake)
        found.append(row)
    return found


def _hours(books: Books, by_hour: Mapping[tuple[str, ...], Pace]) -> Iterator[_Row]:
    for (table, game, hour), pace in sorted(by_hour.items(), key=lambda one: (*one[0][:2], int(one[0][2]))):
        where = {"table_name": table, "game": game, "clock_hour": hour}
        yield {"table": table, "game": game, "hour": _clock(hour), **_played_at(books, pace, **where)}


def _clock(hour: str) -> str:
    return f"{int(hour):02}:00"


def _minimums(signs: Iterable[_Signs]) -> Iterator[_Row]:
    together: dict[tuple[str, int, int], list[tuple[Books, str, Pace]]] = defaultdict(list)
    for under in signs:
        for (table, game, hour), pace in under.by_hour.items():
            sign = under.tables.get(table)
            if sign is not None and sign.minimum_cents is not None:
                together[game, sign.minimum_cents, int(hour)].append((under.books, table, pace))
    for (game, minimum_cents, clock_hour), parts in sorted(together.items(), key=itemgetter(0)):
        where = {"game": game, "clock_hour": str(clock_hour)}
        yield {
            "game": game,
            "minimum_cents": minimum_cents,
            "hour": _clock(str(clock_hour)),
            "tables": len({table for _, table, _ in parts}),
            **_played(
                sum((pace for _, _, pace in parts), start=Pace()),
                *(
                    total(make(of_days, pace, table_name=table, **where) for of_days, table, pace in parts)
                    for make in (rounds_figure, seats_figure, handle_figure)
                ),
            ),
        }


def _side_bets(books: Books, by_table: Mapping[tuple[str, str], Pace], settled: SettledRounds) -> Iterator[_Row]:
    optional = {
        (part.offered[0], part.offered[3])
        for part in settled.parts
        if (edge := settled.edges.get(part.offered[2:])) is not None and edge.offered == "optional"
    }
    for (table, game, wager), win in settled.by("table_name", "game", "wager").items():
        pace = by_table.get((table, game), Pace())
        if (game, wager) not in optional or not pace.rounds:
            continue
        stakes, handle = win.of("stakes"), win.of("handle_cents")
        seats = seats_figure(books, pace, table_name=table, game=game)
        yield {
            "table": table,
            "game": game,
            "wager": wager,
            "wagers": stakes,
            "seats": seats,
            "take_up_percent": share(stakes, seats),
            "handle_cents": handle,
            "handle_share_percent": share(handle, handle_figure(books, pace, table_name=table, game=game)),
        }


def _dealers(books: Books, by_seats: Mapping[tuple[str, ...], Pace]) -> Iterator[_Row]:
    usual: dict[tuple[str, str], Pace] = defaultdict(Pace)
    hours: dict[tuple[str, str], dict[str, Pace]] = defaultdict(dict)
    for (dealer, game, seats), pace in by_seats.items():
        usual[game, seats] += pace
        hours[dealer, game][seats] = pace
    for (dealer, game), of_dealer in sorted(hours.items()):
        pace = sum(of_dealer.values(), start=Pace())
        expected = sum(
            (
                Fraction(one.milliseconds * usual[game, seats].rounds, usual[game, seats].milliseconds or 1)
                for seats, one in of_dealer.items()
            ),
            start=Fraction(0),
        )
        cells = _played_at(books, pace, dealer=dealer, game=game)
        yield {"dealer": dealer, "game": game, **cells, **_against(pace.rounds, expected, cells["rounds"])}


def _against(rounds: int, expected: Fraction, because: Explained) -> _Row:
    """Return cells that compare a dealer's rounds with the number expected at the average pace of all dealers."""
    if not expected:
        return {}
    low, high = _interval(rounds)
    return {
        "expected_rounds": Cell(ratio(expected, 1), because),
        "of_expected_percent": Cell(ratio(100 * Fraction(rounds) / expected, 1), because),
        "from_percent": Cell(f"{100 * low / float(expected):.2f}", because),
        "to_percent": Cell(f"{100 * high / float(expected):.2f}", because),
    }


def _interval(count: int) -> tuple[float, float]:
    """Return the 95% confidence interval for a Poisson mean from one observed count, by Wilson and Hilferty.

    Source: Breslow and Day, Statistical Methods in Cancer Research II (1987), section 2.3. For counts of five or more,
    the result is within 1% of the exact interval.

    >>> [round(end, 2) for end in _interval(100)], [round(end, 2) for end in _interval(0)]
    ([81.36, 121.63], [0.0, 3.67])
    """
    more = count + 1
    low = count * (1 - 1 / (9 * count) - _NORMAL_95 / (3 * sqrt(count))) ** 3 if count else 0.0
    return low, more * (1 - 1 / (9 * more) + _NORMAL_95 / (3 * sqrt(more))) ** 3


async def _identities(books: Books, whole: Pace, settled: SettledRounds) -> tuple[Identity, ...]:
    """Return the identities that rounds and handle, summed over hours, equal the separately stored sums of rounds."""
    counts = (await books.played()).get((), {})
    counted = counts.get("posted", NOTHING) - counts.get("reversed", NOTHING)
    handle = settled.whole().of("handle_cents")
    return (
        Identity(
            "rounds of hours",
            rounds_figure(books, whole),
            counted,
            "rounds: the sum over all hours, and settlements posted - reversed",
            "count",
        ),
        Identity(
            "handle of hours",
            handle_figure(books, whole),
            handle,
            "handle: the sum over all hours, and the total",
        ),
    )


PACE: Final = Report(
    name="pace",
    title="Pace and yield",
    about=(
        "Speed of play, occupancy, average wager per seat and win per hour, by table, game, hour, minimum and "
        "dealer, from every settled round; and the number of results recorded at counted tables. The number "
        "of rounds at a table depends on its players and on what is shuffled: figures of dealers are shown "
        "with the interval that chance alone explains, and are by themselves no assessment of a person."
    ),
    sections=(TABLES, GAMES, OPEN_HOURS, RESULTS, RAKE, HOURS, MINIMUMS, SIDE_BETS, DEALERS),
    sources=(SettlementPosted, SettlementReversed, ResultCounted, ResultUncounted, SubmissionApproved, WinStated),
    fill=_fill,
)
