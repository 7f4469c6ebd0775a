"""The sections of the drop and win summary, with their columns."""

from dataclasses import replace
from typing import Final

from services.reporting.framework.document import Column, Section
from services.reporting.reports.common.cells import PITS_OF_TABLE
from services.reporting.reports.common.counted_win import KIND
from services.reporting.reports.common.theoretical_win import STATED_HOUSE_EDGE

_PA: Final = "58 Pa. Code § 465a.1(c)(3)"
_OF_KNOWN: Final = "of the wagers that have a house edge"

_COUNTED: Final = (
    Column(name="drop_cents", title="Drop", unit="cents", added=True, formula="as counted: what law counts as drop"),
    Column(name="win_cents", title="Counted win", unit="cents", formula="by the formula of the pack"),
    Column(name="hold_percent", title="Hold %", unit="percent", formula="counted win / drop"),
    Column(
        name="counted_less_settled_cents",
        title="Counted - settled",
        unit="cents",
        formula=(
            "counted win - what only counts found at counted tables - settled win; the section on differences says "
            "what explains it"
        ),
    ),
)
_SETTLED: Final = (
    Column(name="handle_cents", title="Handle", unit="cents", added=True, source=_PA),
    Column(name="payout_cents", title="Payout", unit="cents", added=True, source=_PA),
    Column(name="vigorish_cents", title="Vigorish", unit="cents", added=True),
    Column(name="house_in_bank_cents", title="House in bank", unit="cents", added=True),
    Column(
        name="settled_win_cents",
        title="Settled win",
        unit="cents",
        added=True,
        formula="handle + vigorish + house in bank - payout, before meters",
        source=_PA,
    ),
    Column(name="settled_win_percent", title="Win %", unit="percent", formula="settled win / handle", source=_PA),
    Column(
        name="theoretical_win_cents",
        title="Theoretical win",
        unit="cents",
        formula=(
            "sum of handle x house edge, exact or else the best known, or else the licensee's own value; half a cent "
            "to the even one; of the wagers that have a house edge, and empty where none has one"
        ),
        source=_PA,
    ),
    Column(
        name="theoretical_error_cents",
        title="Standard error",
        unit="cents",
        formula=(
            "of the theoretical win, from the house edges that are sampled or counted by a model: added up within a "
            "wager, as root of the sum of squares over different wagers; 0 where all house edges are exact"
        ),
    ),
    Column(
        name="theoretical_win_percent",
        title="Theoretical %",
        unit="percent",
        formula=f"theoretical win / handle {_OF_KNOWN}",
        source=_PA,
    ),
    Column(
        name="difference_cents",
        title="Settled - theoretical",
        unit="cents",
        formula=f"settled win {_OF_KNOWN} - theoretical win, rounded once",
        source=_PA,
    ),
    Column(
        name="difference_percent",
        title="Difference %",
        unit="percent",
        formula=f"difference / handle {_OF_KNOWN}",
        source=_PA,
    ),
    Column(
        name="exact_handle_cents",
        title="Handle, exact",
        unit="cents",
        added=True,
        formula="the part of the handle that the cards alone decide: it has an exact distribution",
    ),
    Column(
        name="exact_win_cents",
        title="Settled win of it",
        unit="cents",
        added=True,
        formula="settled win of that part",
    ),
    Column(
        name="exact_theoretical_win_cents",
        title="Theoretical win of it",
        unit="cents",
        formula="theoretical win of that part, without any error",
    ),
    Column(
        name="exact_difference_cents",
        title="Difference of it",
        unit="cents",
        formula="settled - theoretical win of that part, rounded once",
    ),
    Column(
        name="without_house_edge",
        title="Without edge",
        formula="the wagers that have no house edge, each with its share of the handle; the last section says why",
    ),
    STATED_HOUSE_EDGE,
)
_PRIOR: Final = (
    Column(
        name="prior_year_drop_cents",
        title="Drop, prior year",
        unit="cents",
        added=True,
        formula="of the same dates of the year before; empty where nothing is known of them",
    ),
    Column(name="prior_year_win_cents", title="Win, prior year", unit="cents"),
    Column(name="prior_year_hold_percent", title="Hold %, prior year", unit="percent"),
)
_MISSING: Final = Column(name="missing", title="Missing", formula="what has not been counted: then there is no win")
_ALL: Final = (*_COUNTED, *_SETTLED, *_PRIOR, _MISSING)
_PERIOD: Final = (
    Column(name="period", title="Period", formula="each ends with the last gaming day of the report"),
    Column(name="first_day", title="From", unit="day", formula="weeks begin as the jurisdiction's pack says"),
)
_PIT: Final = Column(name="pit", title="Pit")
_TABLE: Final = Column(name="table", title="Table")
_GAME: Final = Column(name="game", title="Game")
_EXPECTED: Final = Column(
    name="expected_win_cents",
    title="Expected win",
    unit="cents",
    formula="drop x the hold that the property expects of the game of a counted table, day by day",
)
_PLAY: Final = Column(
    name="play",
    title="Win known from",
    formula="rounds: it reports them; counted: only counts tell, so that it has no settled win",
)


def _section(name: str, title: str, *columns: Column, key: tuple[str, ...], added: bool = True) -> Section:
    listed = columns if added else tuple(replace(column, added=False) for column in columns)
    return Section(name=name, title=title, key=key, columns=listed)


TABLES: Final = _section(
    "tables", "By table", PITS_OF_TABLE, _TABLE, _GAME, KIND, _PLAY, *_ALL, _EXPECTED, key=("table",)
)
GAMES: Final = _section(
    "games",
    "By game",
    replace(_GAME, formula="drop and win of a table belong to the game that the property lists for it"),
    *_ALL,
    key=("game",),
)
PITS: Final = _section(
    "pits",
    "By pit",
    replace(_PIT, formula="each gaming day of a table belongs to the pit in which it stood then"),
    *_ALL,
    key=("pit",),
)
SHIFTS: Final = _section(
    "shifts",
    "By shift",
    Column(
        name="shift",
        title="Shift",
        formula="ends at each table with the count at which the table was handed over, for counts and rounds alike; "
        "rounds outside the shifts of their table on the gaming day go by the property's clock",
    ),
    *_ALL,
    key=("shift",),
)
HOURS: Final = Section(
    name="hours",
    title="Sold at tables by hour, of a single gaming day",
    key=("hour",),
    columns=(
        Column(name="hour", title="Hour", unit="moment", formula="when it begins, on the clock of the property"),
        Column(name="sales", title="Sales", unit="count", added=True, formula="of chips, for currency or a check"),
        Column(
            name="sold_for_currency_cents",
            title="For currency",
            unit="cents",
            added=True,
            formula="chips sold for currency that went into drop boxes, as the pit reported them; no count yet",
        ),
        Column(
            name="checks_issued_cents",
            title="For Counter Checks",
            unit="cents",
            added=True,
            formula="chips given for Counter Checks",
        ),
        Column(name="sold_cents", title="Sold", unit="cents", added=True, formula="for currency + for Counter Checks"),
    ),
)
_TO_DATE: Final = (*_PERIOD, *_COUNTED, *_SETTLED, _MISSING)
WHOLE_TO_DATE: Final = _section("to_date", "To date", *_TO_DATE, key=("period",), added=False)
TABLES_TO_DATE: Final = _section(
    "tables_to_date", "By table, to date", _TABLE, *_TO_DATE, key=("table", "period"), added=False
)
GAMES_TO_DATE: Final = _section(
    "games_to_date", "By game, to date", _GAME, *_TO_DATE, key=("game", "period"), added=False
)
WAGERS_TO_DATE: Final = _section(
    "wagers_to_date",
    "By game and wager, to date",
    *(_GAME, Column(name="wager", title="Wager"), *_PERIOD, *_SETTLED),
    key=("game", "wager", "period"),
    added=False,
)
HOUSE_EDGES: Final = Section(
    name="house_edges",
    title="House edges, of the longest period to date",
    key=("game", "wager", "version", "submission"),
    columns=(
        _GAME,
        Column(name="wager", title="Wager"),
        Column(name="version", title="Version", formula="of the rules submission that was wagered under"),
        Column(name="submission", title="Rules submission", formula="its hash"),
        Column(name="paytable", title="Paytable"),
        Column(name="handle_cents", title="Handle", unit="cents", formula="the part that the house edge is for"),
        Column(name="house_edge", title="House edge", formula="1 - payback, of all that is staked, as a fraction"),
        Column(name="house_edge_percent", title="House edge %", unit="percent"),
        Column(
            name="counted",
            title="Counted",
            formula=(
                "exactly: over all cards, and where play decides for the best play; sampled; or by_model. Of a wager "
                "with a meter, in the long run. stated: the licensee's own value"
            ),
        ),
        Column(
            name="standard_error",
            title="Standard error",
            formula="of the house edge, percentage points; empty where it is exact",
        ),
        Column(
            name="counted_with",
            title="Counted with",
            formula="the first of the wagers that are only made together, and share this house edge of all they staked",
        ),
        Column(
            name="stated_percent",
            title="Licensee's own value %",
            unit="percent",
            formula="as the rules submission states it: the house edge only where the registry counts none",
        ),
        Column(name="source", title="Source of that value"),
        Column(name="reason", title="Why the registry has none"),
    ),
)
