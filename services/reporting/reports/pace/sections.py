"""The sections of the report on pace and yield."""

from typing import Final

from services.reporting.framework.document import Column, Section
from services.reporting.reports.common.theoretical_win import STATED_HOUSE_EDGE

_TABLE: Final = Column(name="table", title="Table")
_GAME: Final = Column(name="game", title="Game")
_ROUNDS: Final = Column(name="rounds", title="Rounds", unit="count", formula="posted - reversed")
_HOURS: Final = Column(
    name="hours",
    title="Hours of play",
    unit="decimal",
    formula=(
        "time from the first opening to the last closing of a round, without reversed rounds, for each hour, "
        "dealer and table; includes pauses in between, such as a shuffle or a fill"
    ),
)
_ROUNDS_PER_HOUR: Final = Column(
    name="rounds_per_hour", title="Rounds per hour", unit="decimal", formula="rounds / hours of play"
)
_SEATS: Final = Column(
    name="seats",
    title="Spots played",
    unit="count",
    formula="seats that wagered against the house, summed over rounds",
)
_SEATS_PER_ROUND: Final = Column(
    name="seats_per_round", title="Occupied seats", unit="decimal", formula="spots played / rounds"
)
_HANDLE: Final = Column(name="handle_cents", title="Handle", unit="cents", formula="wagered against the house")
_WAGER: Final = Column(
    name="wager_cents",
    title="Average wager per seat",
    unit="cents",
    formula="handle / spots played: average of all wagers of a seat in a round",
)
_HANDLE_PER_HOUR: Final = Column(
    name="handle_per_hour_cents", title="Handle per hour", unit="cents", formula="handle / hours of play"
)

_PLAYED: Final = (_ROUNDS, _HOURS, _ROUNDS_PER_HOUR, _SEATS, _SEATS_PER_ROUND, _HANDLE, _WAGER, _HANDLE_PER_HOUR)
"""The columns that `_played` in the report module fills."""

_YIELD: Final = (
    Column(
        name="win_per_hour_cents",
        title="Settled win per hour",
        unit="cents",
        formula="settled win / hours of play",
    ),
    Column(
        name="theoretical_win_per_hour_cents",
        title="Theoretical win per hour",
        unit="cents",
        formula="theoretical win / hours of play; only wagers that have a house edge, empty if there are none",
    ),
    Column(
        name="theoretical_error_per_hour_cents",
        title="Standard error per hour",
        unit="cents",
        formula="standard error of the theoretical win / hours of play; 0 if all house edges are exact",
    ),
    STATED_HOUSE_EDGE,
)

TABLES: Final = Section(
    name="tables",
    title="By table",
    key=("table", "game"),
    columns=(
        _TABLE,
        _GAME,
        Column(
            name="minimum_cents",
            title="Minimum",
            unit="cents",
            formula="usual minimum wager on the table's sign; empty if it changed (see the section by minimum)",
        ),
        *_PLAYED,
        Column(
            name="occupancy_percent",
            title="Occupancy %",
            unit="percent",
            formula="spots played / seats offered: rounds x positions that the table had on the gaming day",
        ),
        *_YIELD,
    ),
)
GAMES: Final = Section(
    name="games",
    title="By game",
    key=("game",),
    columns=(
        _GAME,
        Column(name="tables", title="Tables", unit="count", formula="tables that offered the game"),
        *_PLAYED,
        *_YIELD,
    ),
)
OPEN_HOURS: Final = Section(
    name="open_hours",
    title="By table, per hour open",
    key=("table",),
    columns=(
        _TABLE,
        Column(
            name="open_hours",
            title="Hours open",
            unit="decimal",
            formula="time for which the table was open, by table inventory; up to now if still open",
        ),
        _ROUNDS,
        Column(
            name="rounds_per_open_hour", title="Rounds per hour open", unit="decimal", formula="rounds / hours open"
        ),
        Column(
            name="drop_per_open_hour_cents",
            title="Drop per hour open",
            unit="cents",
            formula="counted drop / hours open; empty while a count is missing, and for non-banking tables",
        ),
        Column(
            name="win_per_open_hour_cents",
            title="Win per hour open",
            unit="cents",
            formula="counted win / hours open; empty while a count is missing, and for non-banking tables",
        ),
        Column(
            name="theoretical_win_per_open_hour_cents",
            title="Theoretical win per hour open",
            unit="cents",
            formula="theoretical win / hours open; only wagers that have a house edge, empty if there are none",
        ),
        Column(
            name="theoretical_error_per_open_hour_cents",
            title="Standard error per hour open",
            unit="cents",
            formula="standard error of the theoretical win / hours open; 0 if all house edges are exact",
        ),
        STATED_HOUSE_EDGE,
    ),
)
RESULTS: Final = Section(
    name="results",
    title="Counted tables, by results",
    key=("table", "game"),
    columns=(
        _TABLE,
        _GAME,
        Column(name="kind", title="Kind", formula="kind of game, as the property names it"),
        Column(
            name="results",
            title="Results",
            unit="count",
            formula="results recorded by the table, which are not settled and involve no money",
        ),
        Column(name="shoes", title="Shoes", unit="count", formula="shoes that ended with one of these results"),
        Column(
            name="results_per_shoe",
            title="Results per shoe",
            unit="decimal",
            formula="results / shoes; empty before the first shoe has ended",
        ),
        Column(
            name="open_hours",
            title="Hours open",
            unit="decimal",
            formula="time for which the table was open, by table inventory; up to now if still open",
        ),
        Column(
            name="results_per_open_hour",
            title="Results per hour open",
            unit="decimal",
            formula="results / hours open",
        ),
    ),
)
RAKE: Final = Section(
    name="rake",
    title="Non-banking tables, by rake",
    key=("table",),
    columns=(
        _TABLE,
        _GAME,
        Column(
            name="rake_cents",
            title="Rake",
            unit="cents",
            added=True,
            formula="chips found in counted boxes, with adjustments; includes collected time",
        ),
        Column(
            name="time_cents",
            title="Time collected",
            unit="cents",
            added=True,
            formula="seats x amount per seat, as the table reported",
        ),
        Column(
            name="pots_cents",
            title="Rake of pots",
            unit="cents",
            formula="rake - time collected; empty while a box is uncounted",
        ),
        Column(
            name="boxes", title="Collections", unit="count", added=True, formula="drop boxes removed from the table"
        ),
        Column(
            name="rake_per_box_cents",
            title="Rake per collection",
            unit="cents",
            formula="rake / counted boxes",
        ),
        Column(name="seat_hours", title="Seat hours paid", unit="decimal", formula="seats x time paid for by each"),
        Column(
            name="open_hours",
            title="Hours open",
            unit="decimal",
            formula="time for which the table was open, by table inventory; up to now if still open",
        ),
        Column(
            name="rake_per_open_hour_cents",
            title="Rake per hour open",
            unit="cents",
            formula="rake / hours open; empty while a box is uncounted",
        ),
    ),
)
HOURS: Final = Section(
    name="hours",
    title="By table and hour of the day",
    key=("table", "game", "hour"),
    columns=(
        _TABLE,
        _GAME,
        Column(name="hour", title="Hour", formula="hour in which the round closed, on the property's clock"),
        *_PLAYED,
    ),
)
MINIMUMS: Final = Section(
    name="minimums",
    title="By game, minimum and hour of the day",
    key=("game", "minimum_cents", "hour"),
    columns=(
        _GAME,
        Column(
            name="minimum_cents",
            title="Minimum",
            unit="cents",
            formula="usual minimum wager on the tables' signs, for each gaming day",
        ),
        Column(name="hour", title="Hour", formula="hour in which the round closed, on the property's clock"),
        Column(
            name="tables", title="Tables", unit="count", formula="tables with rounds in this hour on any of the days"
        ),
        *_PLAYED,
    ),
)
SIDE_BETS: Final = Section(
    name="side_bets",
    title="Optional wagers, by table",
    key=("table", "game", "wager"),
    columns=(
        _TABLE,
        _GAME,
        Column(name="wager", title="Wager"),
        Column(name="wagers", title="Stakes", unit="count", formula="number of stakes against the house"),
        _SEATS,
        Column(name="take_up_percent", title="Take-up %", unit="percent", formula="stakes / spots played"),
        _HANDLE,
        Column(
            name="handle_share_percent",
            title="Share of handle %",
            unit="percent",
            formula="handle of the wager / handle of the table",
        ),
    ),
)
DEALERS: Final = Section(
    name="dealers",
    title="By dealer and game",
    key=("dealer", "game"),
    columns=(
        Column(name="dealer", title="Dealer"),
        _GAME,
        *_PLAYED,
        Column(
            name="expected_rounds",
            title="Expected rounds",
            unit="decimal",
            formula=(
                "rounds that all dealers of the game would have dealt in these hours: hours of play x their average "
                "pace with the same number of occupied seats (rounded to whole seats)"
            ),
        ),
        Column(
            name="of_expected_percent", title="Of expected %", unit="percent", formula="rounds / expected rounds x 100"
        ),
        Column(
            name="from_percent",
            title="Lower limit %",
            unit="percent",
            formula="lower end of the 95% interval of a Poisson number of rounds, by Wilson and Hilferty",
        ),
        Column(name="to_percent", title="Upper limit %", unit="percent", formula="upper end of the same interval"),
    ),
)
