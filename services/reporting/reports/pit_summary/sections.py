"""The sections of the shift and pit summaries: sheets of a pit and shift, then whole shifts, pits and hours."""

from dataclasses import replace
from typing import Final

from services.reporting.framework.document import Column, Section

_PIT: Final = Column(name="pit", title="Pit")
_SHIFT: Final = Column(name="shift", title="Shift", formula="at each table, a shift ends with the handover count")
_TABLE: Final = Column(name="table", title="Table")
_GAME: Final = Column(name="game", title="Game")
_TABLES: Final = Column(name="tables", title="Tables", unit="count", formula="tables with a row in this shift and pit")
_OPEN: Final = Column(
    name="open_hours",
    title="Hours open",
    unit="decimal",
    formula="time for which the table was open in the shift, by table inventory; up to now if still open",
)
_COUNTED: Final = (
    Column(
        name="opener_cents", title="Opener", unit="cents", formula="opener of the shift, which may be a handover count"
    ),
    Column(name="fills_cents", title="Fills", unit="cents"),
    Column(name="credits_cents", title="Credits", unit="cents"),
    Column(
        name="closer_cents", title="Closer", unit="cents", formula="closer of the shift, which may be a handover count"
    ),
)
_OF_DAY: Final = "of the day; handover counts between shifts are not included"
_COUNTED_OF_DAY: Final = tuple(
    replace(column, formula=_OF_DAY) if column.name in ("opener_cents", "closer_cents") else column
    for column in _COUNTED
)
_WIN: Final = (
    Column(
        name="drop_cents", title="Drop", unit="cents", formula="counted instruments that the law includes in the drop"
    ),
    Column(
        name="estimated_drop_cents",
        title="Estimated drop",
        unit="cents",
        formula=(
            "chips sold for currency and Counter Checks, as the pit reported; only sales over an amount, if a "
            "counted table reports only those; empty if the table reports no sales"
        ),
    ),
    Column(name="win_cents", title="Win", unit="cents", formula="counted win; a loss is negative"),
    Column(
        name="estimated_win_cents",
        title="Estimated win",
        unit="cents",
        formula="closer + credits + estimated drop - opener - fills; empty without an opener or a closer",
    ),
    Column(name="hold_percent", title="Hold %", unit="percent", formula="win / drop"),
)
_PLAYED: Final = (
    Column(
        name="rounds",
        title="Rounds",
        unit="count",
        formula="posted - reversed; empty for counted tables, which report no rounds",
    ),
    Column(
        name="heads",
        title="Head count",
        unit="decimal",
        formula="average number of seats that wagered in a round; for several tables, the sum over tables with rounds",
    ),
)
_MISSING: Final = Column(name="missing", title="Missing", formula="items not counted yet; until then there is no win")

_ADDED: Final = (_TABLES, _OPEN, *_COUNTED, *_WIN, *_PLAYED, _MISSING)

TABLES: Final = Section(
    name="tables",
    title="By table",
    key=("pit", "shift", "table"),
    columns=(
        *(_PIT, _SHIFT, _TABLE, _GAME),
        Column(
            name="play",
            title="Source of win",
            formula="rounds: the table reports rounds; counted: known only from counts, without rounds and head counts",
        ),
        *(_OPEN, *_COUNTED, *_WIN, *_PLAYED),
    ),
)
STAFF: Final = Section(
    name="staff",
    title="Dealers and missing items",
    key=("pit", "shift", "table"),
    columns=(
        *(_PIT, _SHIFT, _TABLE),
        Column(name="dealers", title="Dealers", formula="dealers named by the rounds and pit events at the table"),
        _MISSING,
    ),
)
"""The staff section is separate from the tables, so that the figures of a table fit on one line."""
GAMES: Final = Section(
    name="games",
    title="By game",
    key=("pit", "shift", "game"),
    columns=(_PIT, _SHIFT, _GAME, *_ADDED),
)
PITS: Final = Section(
    name="pits",
    title="Pit totals for the shift",
    key=("pit", "shift"),
    columns=(_PIT, _SHIFT, *_ADDED),
)
SHIFTS: Final = Section(
    name="shifts",
    title="Shift summary: all pits",
    key=("shift",),
    columns=(_SHIFT, *_ADDED),
)
WHOLE_PITS: Final = Section(
    name="whole_pits",
    title="Pit summary: all shifts",
    key=("pit",),
    columns=(
        _PIT,
        replace(_TABLES, formula="tables with a row in any shift"),
        _OPEN,
        *_COUNTED_OF_DAY,
        *_WIN,
        *_PLAYED,
        _MISSING,
    ),
)
HEADS: Final = Section(
    name="heads",
    title="Head counts by pit and hour of the day",
    key=("pit", "hour"),
    columns=(
        _PIT,
        Column(name="hour", title="Hour", formula="hour in which the round closed, on the property's clock"),
        Column(name="tables", title="Tables", unit="count", formula="tables that closed a round in the hour"),
        Column(name="rounds", title="Rounds", unit="count"),
        Column(
            name="heads",
            title="Head count",
            unit="decimal",
            formula="average number of seats that wagered in a round, summed over the tables",
        ),
    ),
)
