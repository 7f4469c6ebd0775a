"""Which gaming day the demo plays."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Final

from loadtest.floor import TIME_ZONE, opening, pace
from loadtest.game import TablePlan
from loadtest.pit_table import FORGOTTEN

_PLAY_MARGIN: Final = 1.5
_AROUND_PLAY: Final = timedelta(minutes=30)
"""Around the rounds, tables are opened and closed, and the demo itself takes a while."""


def gaming_day_of(now: datetime, plans: Sequence[TablePlan], rounds: int) -> date:
    """Return the gaming day that runs, where all rounds fit in before now; else the one before.

    What cashiers do is of the day on which they do it: deposits and wagers are of one day where that can be.
    """
    day = now.astimezone(TIME_ZONE).date()
    day -= timedelta(days=now < opening(day))
    at_table = -(-rounds // len(plans))
    play = timedelta(seconds=_PLAY_MARGIN * pace(at_table) * at_table)
    # However short play is, a table stays open until its forgotten cards are changed.
    played = opening(day) + max(play, FORGOTTEN) + _AROUND_PLAY
    ends = opening(day + timedelta(days=1)) - _AROUND_PLAY
    return day if played <= now <= ends else day - timedelta(days=1)
