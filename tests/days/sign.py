"""The sign of the meter that the tables feed, as somebody sees it who stands before it: the reference of the meters.

Patrons put their share on it as a round begins; an award comes off as the round ends, and the house restores it after
one of all. What is taken back, or posted again, moves it when that is done. Amounts on it are thousandths of a cent.
"""

from collections.abc import Iterable, Iterator
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

from tests.days.acts import Act

_RATE = 205
_CENT = 1000


class _Step(NamedTuple):
    """What moves the sign at a moment; what is put on it comes before what comes off."""

    at: datetime
    comes_off: bool
    number: int
    act: Act
    amount: int


def put_on_sign(wagered: int) -> int:
    """Return what wagers of so many cents put on the sign."""
    return wagered * _RATE


class Sign:
    """The sign, as these acts have moved it, from so many cents on."""

    def __init__(self, base_cents: int, acts: Iterable[Act]) -> None:
        self._base = base_cents * _CENT
        self._steps = sorted((step for act in acts for step in _steps(act)), key=lambda step: step[:3])
        self._accepted = {step.act.of for step in self._steps if step.act.what == "accepted"}

    def days(self) -> list[date]:
        """Return the gaming days on which it moved."""
        return sorted({step.act.day for step in self._steps})

    def shows(self, at: datetime) -> int:
        """Return what is to be read at a moment, cents: never less than nothing."""
        return _cents(self._base + sum(step.amount for step in self._steps if step.at <= at))

    def short(self) -> dict[Act, int]:
        """Return the rounds whose award was above what it showed, and by how many cents, but for those accepted."""
        taken_back = {step.act.of for step in self._steps if step.act.what == "taken_back"}
        found, on_it = dict[Act, int](), self._base
        for step in self._steps:
            act = step.act
            stands = act.of or act.number not in taken_back
            if step.comes_off and act.award > _cents(on_it) and stands and act.number not in self._accepted:
                found[act] = act.award - _cents(on_it)
            on_it += step.amount
        return found

    def metered(self, day: date) -> dict[str, Any]:
        """Return what there is to say of a gaming day: whether it balances, what the sign holds, what was too much."""
        short = {act.of or act.number: cents for act, cents in self.short().items() if act.day == day}
        holds = self._base + sum(step.amount for step in self._steps if step.act.day <= day)
        return {"balanced": not short, "thousandths": holds, "shown_cents": _cents(holds), "short": short}


def _cents(thousandths: int) -> int:
    return max(thousandths // _CENT, 0)


def _steps(act: Act) -> Iterator[_Step]:
    put, took = put_on_sign(act.wagered), (act.restored - act.award) * _CENT
    match act.what:
        case "round" if act.wagered:
            ended = act.moment or act.at
            yield _Step(act.moment or act.at - timedelta(seconds=act.lasted), False, act.number, act, put)
            yield _Step(ended, True, act.number, act, took)
        case "taken_back" if act.wagered and act.moment is not None:
            yield _Step(act.moment, False, act.number, act, -put - took)
        case "accepted":
            yield _Step(act.at, False, act.number, act, act.cents * _CENT)
