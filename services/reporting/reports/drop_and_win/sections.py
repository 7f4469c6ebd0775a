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
    Column(
        name="drop_cents",
        title="Drop",
        unit="cents",
        added=True,
        formula="counted instruments that the law includes in the drop",
    ),
    Column(name="win_cents", title="Counted win", unit="cents", formula="by the formula of the pack"),
    Column(name="hold_percent", title="Hold %", unit="percent", formula="counted win / drop"),
    Column(
        name="counted_less_settled_cents",
        title="Counted - settled",
        unit="cents",
        formula="counted win - win by count at counted tables - settled win; explained in the section on differences",
    ),
)
_SETTLED: Final = (
    Column(name="handle_cents", title="Handle", unit="cents", added=True, source=_PA),
    Column(name="payout_cents", title="Payout", unit="cents", added=True, source=_PA),
    Column(name="vigorish_cents", title="Vigorish", unit="cents", added=True),
    Column(name="house_in_bank_cents", title="House share in banks", unit="cents", added=True),
    Column(
        name="settled_win_cents",
        title="Settled win",
        unit="cents",
        added=True,
        formula="handle + vigorish + house share in banks - payout, before meters",
        source=_PA,
    ),
    Column(name="settled_win_percent", title="Win %", unit="percent", formula="settled win / handle", source=_PA),
    Column(
        name="theoretical_win_cents",
        title="Theoretical win",
        unit="cents",
        formula=(
            "sum of handle x house edge, rounded half to even; exact if possible, else the best known edge, else "
            "the licensee's own value; only wagers that have a house edge, empty if there are none"
        ),
        source=_PA,
    ),
    Column(
        name="theoretical_error_cents",
        title="Standard error",
        unit="cents",
        formula=(
            "standard error of the theoretical win from house edges that are sampled or counted by a model: "
            "summed within a wager, square root of the sum of squares across different wagers; 0 if all house "
            "edges are exact"
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
        formula="part of the handle wagered on bets that the cards alone decide, which have an exact distribution",
    ),
    Column(
        name="exact_win_cents",
        title="Settled win, exact",
        unit="cents",
        added=True,
        formula="settled win on the exact handle",
    ),
    Column(
        name="exact_theoretical_win_cents",
        title="Theoretical win, exact",
        unit="cents",
        formula="theoretical win on the exact handle, without error",
    ),
    Column(
        name="exact_difference_cents",
        title="Difference, exact",
        unit="cents",
        formula="settled - theoretical win on the exact handle, rounded once",
    ),
    Column(
        name="without_house_edge",
        title="Without house edge",
        formula="wagers that have no house edge, each with its share of the handle; reasons are in the last section",
    ),
    STATED_HOUSE_EDGE,
)
_PRIOR: Final = (
    Column(
        name="prior_year_drop_cents",
        title="Drop, prior year",
        unit="cents",
        added=True,
        formula="for the same dates of the prior year; empty without data",
    ),
    Column(name="prior_year_win_cents", title="Win, prior year", unit="cents"),
    Column(name="prior_year_hold_percent", title="Hold %, prior year", unit="percent"),
)
_MISSING: Final = Column(name="missing", title="Missing", formula="items not counted yet; until then there is no win")
_ALL: Final = (*_COUNTED, *_SETTLED, *_PRIOR, _MISSING)
_PERIOD: Final = (
    Column(name="period", title="Period", formula="each period ends with the last gaming day of the report"),
    Column(
        name="first_day",
        title="From",
        unit="day",
        formula="the first day of a week is as the jurisdiction's pack defines",
    ),
)
_PIT: Final = Column(name="pit", title="Pit")
_TABLE: Final = Column(name="table", title="Table")
_GAME: Final = Column(name="game", title="Game")
_EXPECTED: Final = Column(
    name="expected_win_cents",
    title="Expected win",
    unit="cents",
    formula="drop x the hold that the property expects of the counted table's game, day by day",
)
_PLAY: Final = Column(
    name="play",
    title="Source of win",
    formula="rounds: the table reports rounds; counted: known only from counts, without a settled win",
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
    replace(_GAME, formula="drop and win of a table count for the game that the property lists for it"),
    *_ALL,
    key=("game",),
)
PITS: Final = _section(
    "pits",
    "By pit",
    replace(_PIT, formula="each gaming day of a table counts for the pit in which the table stood on that day"),
    *_ALL,
    key=("pit",),
)
SHIFTS: Final = _section(
    "shifts",
    "By shift",
    Column(
        name="shift",
        title="Shift",
        formula=(
            "at each table, a shift ends with the handover count, for counts and rounds alike; rounds outside the "
            "table's shifts of the gaming day are assigned by the property's clock"
        ),
    ),
    *_ALL,
    key=("shift",),
)
HOURS: Final = Section(
    name="hours",
    title="Chip sales at tables by hour (single gaming day)",
    key=("hour",),
    columns=(
        Column(name="hour", title="Hour", unit="moment", formula="beginning of the hour, on the property's clock"),
        Column(
            name="sales",
            title="Number of sales",
            unit="count",
            added=True,
            formula="number of chip sales, for currency or a check",
        ),
        Column(
            name="sold_for_currency_cents",
            title="For currency",
            unit="cents",
            added=True,
            formula="chips sold for currency put into drop boxes, as the pit reported them; not counted",
        ),
        Column(
            name="checks_issued_cents",
            title="For Counter Checks",
            unit="cents",
            added=True,
            formula="chips issued for Counter Checks",
        ),
        Column(
            name="sold_cents", title="Total sold", unit="cents", added=True, formula="for currency + for Counter Checks"
        ),
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
    title="House edges (longest period to date)",
    key=("game", "wager", "version", "submission"),
    columns=(
        _GAME,
        Column(name="wager", title="Wager"),
        Column(name="version", title="Version", formula="version of the rules submission in effect for the wager"),
        Column(name="submission", title="Rules submission", formula="hash of the rules submission"),
        Column(name="paytable", title="Paytable"),
        Column(
            name="handle_cents",
            title="Handle",
            unit="cents",
            formula="part of the handle to which the house edge applies",
        ),
        Column(name="house_edge", title="House edge", formula="1 - payback, as a fraction of the total staked"),
        Column(name="house_edge_percent", title="House edge %", unit="percent"),
        Column(
            name="counted",
            title="House edge method",
            formula=(
                "exactly: over all cards, for the best play if players decide; sampled; by_model; in the long run for "
                "wagers with a meter. stated: the licensee's own value"
            ),
        ),
        Column(
            name="standard_error",
            title="Standard error",
            formula="of the house edge, in percentage points; empty if exact",
        ),
        Column(
            name="counted_with",
            title="Computed with",
            formula=(
                "first of the wagers that are always made together and share this house edge on their combined stakes"
            ),
        ),
        Column(
            name="stated_percent",
            title="Licensee's own value %",
            unit="percent",
            formula="as stated in the rules submission; used as house edge only if the registry has counted none",
        ),
        Column(name="source", title="Source of licensee's own value"),
        Column(name="reason", title="Why no house edge is computed"),
    ),
)
