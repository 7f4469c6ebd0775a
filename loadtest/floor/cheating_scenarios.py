"""Simulated cheating at a table, with plausible records, which no validation refuses.

A dealer who overpays is `loadtest.floor.pit_items.Overpaying`: the records are correct, but chips are missing.
"""

from collections.abc import Callable, Mapping
from random import Random
from typing import Final

from loadtest.floor.game import TablePlan
from shared.rules import Round, Settlement, compile_rules

ADDED_WAGERS: Final = 4
"""The factor by which a past-posting player raises a winning wager."""


class KnowsTheCards:
    """An `Amend` that simulates a player who knows the cards, and makes a side bet only when it wins."""

    def __init__(self, plan: TablePlan, *, seat: int, wager: str, cents: int) -> None:
        """Change the records of the player at `seat`; `cents` is the amount of the side bet."""
        self._settle = _settling(plan)
        self._seat = seat
        self._wager = wager
        self._cents = cents

    def __call__(self, record: Round) -> Round:
        """Return the round with the side bet if it wins, and without it otherwise."""
        others = _wagers(record, self._seat)
        if others is None:
            return record
        others.pop(self._wager, None)
        wagered = _with_wagers(record, self._seat, others | {self._wager: self._cents})
        won = _net(self._settle(wagered), self._seat, self._wager) > 0
        return wagered if won else _with_wagers(record, self._seat, others)


class PostsLate:
    """An `Amend` that simulates a player who adds chips to some winning wagers (past posting)."""

    def __init__(self, plan: TablePlan, *, seat: int, wager: str, share: float, seed: int) -> None:
        """Change the records of the player at `seat`; `share` is the share of winning wagers that are raised."""
        self._settle = _settling(plan)
        self._seat = seat
        self._wager = wager
        self._share = share
        self._chance = Random(f"{seed}/{plan.name}/posts late")

    def __call__(self, record: Round) -> Round:
        """Return the round, with the wager raised if it won and chance selects it."""
        wagers = _wagers(record, self._seat)
        if wagers is None or self._wager not in wagers or self._chance.random() >= self._share:
            return record
        if _net(self._settle(record), self._seat, self._wager) <= 0:
            return record
        return _with_wagers(record, self._seat, wagers | {self._wager: ADDED_WAGERS * wagers[self._wager]})


def _settling(plan: TablePlan) -> Callable[[Round], Settlement]:
    return compile_rules(plan.regulation, plan.submission).settle


def _wagers(record: Round, seat: int) -> dict[str, int] | None:
    """Return the wagers of a seat, in cents by wager type; None if the seat is empty."""
    return next((dict(one.wagers) for one in record.seats if one.seat == seat), None)


def _with_wagers(record: Round, seat: int, wagers: Mapping[str, int]) -> Round:
    seats = tuple(one.model_copy(update={"wagers": dict(wagers)}) if one.seat == seat else one for one in record.seats)
    return record.model_copy(update={"seats": seats})


def _net(settlement: Settlement, seat: int, wager: str) -> int:
    """Return the net result of a wager at a seat, in cents."""
    return sum(line.net for line in settlement.lines if (line.seat, line.wager) == (seat, wager))
