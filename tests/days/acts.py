"""What people do at tables, one act after the other, as a script writes it down. Amounts are cents."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final, Literal, get_args

What = Literal[
    "opened", "closed", "shift_count", "drop_count", "spot_count", "carried",
    "currency", "prepaid_access", "counter_check", "coupon", "waived", "round", "taken_back", "tips",
    "prepared", "taken", "received", "voided", "paper",
    "exchanged", "found", "written_off", "adjusted",
    "event_voided", "event_corrected", "accepted",
]  # fmt: skip
"""The kinds of acts.

`opened` to `carried` are counts; `currency` to `tips` happen in play; `prepared` to `paper` are steps of slips, `taken`
to or from the table; `exchanged` takes a box off, of which `found` and `written_off` say what became. Two say that
what the pit told did not happen, or what happened instead; the last one, that the house bears an award.
"""

TABLES: Final = ("BJ-01", "BJ-02")
"""The tables of a pit, in one property; they share its cage, the numbers of slips and checks, and the meter."""

COUNTS: Final = frozenset({"opened", "closed", "shift_count", "drop_count", "spot_count", "carried"})
CHANGES: Final = frozenset({"event_voided", "event_corrected"})


@dataclass(frozen=True, slots=True)
class Act:
    """An act at a moment.

    `number` is its place in what is recorded of the table. `day` and `shift` are what it says of itself, and `begins`
    what a count says that it begins. `cents` is what was counted or moved, of a round what it brought. A step of a slip
    names it by `kind` and `slip`. An exchange takes `box` off and puts `placed` on; what was found in it (or which of
    them is written off: `kind`) names the exchange by `of`, as a round that is taken back names what was posted.
    `cents`, `checks`, `coupons` and `match_play` were found in a box. A change names the event by `event` (its kind)
    and `of`, and has all else as it should have been told, at the `moment` at which it happened. Two people at a desk
    change what was said last by the act `behind`; without it, the pit changes it. A check whose `serial` is 0 has
    the number of its act. In a round that `lasted` so many seconds so many cents were `wagered` on the meter, which
    gave the `award`, and was `restored` by so much if that was all; `moment` is when such a round was posted again, or
    taken back.
    """

    what: What
    at: datetime
    number: int
    day: date
    shift: str
    cents: int = 0
    begins: tuple[date, str] | None = None
    kind: str = ""
    slip: int = 0
    box: str = ""
    placed: str | None = None
    of: int = 0
    checks: int = 0
    coupons: int = 0
    match_play: int = 0
    event: str = ""
    moment: datetime | None = None
    behind: int = 0
    table: str = TABLES[0]
    serial: int = 0
    wagered: int = 0
    award: int = 0
    restored: int = 0
    lasted: int = 0

    def happened(self) -> "Act | None":
        """Return what happened as an event or a change of one has it; None where it was nothing."""
        if self.what not in CHANGES:
            return self
        if self.what == "event_voided":
            return None
        assert self.moment is not None, "what happened has a moment"
        what: Any = self.event
        return replace(self, what=what, number=self.of, at=self.moment, of=0, event="", moment=None, behind=0)

    def changed_to(self, instead: "Act | None") -> dict[str, Any]:
        """Return what a change of this event says, to say that something else happened, or nothing."""
        of: dict[str, Any] = {"event": self.what, "of": self.number, "table": self.table}
        if instead is None:
            return of | {"kind": self.kind, "slip": self.slip}
        return of | {"moment": instead.at} | {name: getattr(instead, name) for name in _TOLD}

    def written(self) -> dict[str, Any]:
        """Return the act as a script has it: its name with its cents, and what is other than nothing."""
        plain = {"what", "cents", "number"}
        said = {one.name: getattr(self, one.name) for one in fields(self) if one.name not in plain}
        said |= {"table": "" if self.table == TABLES[0] else self.table}
        more = {name: list(value) if isinstance(value, tuple) else value for name, value in said.items() if value}
        return {self.what: self.cents, "number": self.number} | more


_NAMES: Final = {one.name for one in fields(Act)}
_TOLD: Final = ("cents", "day", "shift", "begins", "kind", "slip", "box", "placed", "serial")
"""What an event of the pit says."""


def as_told(acts: Iterable[Act]) -> dict[int, tuple[tuple[int, int], Act | None]]:
    """Return what happened by all that was told, by the number of each act: where the last was said of it, and what.

    The pit says the next thing behind all that it said before; a desk, right behind what it changes.
    """
    found: dict[int, tuple[tuple[int, int], Act | None]] = {}
    for act in acts:
        number = act.of if act.what in CHANGES else act.number
        place = (act.behind, act.number) if act.behind else (act.number, 0)
        if number not in found or found[number][0] <= place:
            found[number] = (place, act.happened())
    return found


def read_acts(script: Iterable[Mapping[str, Any]], first: datetime, shift: str, begun: int = 0) -> Iterator[Act]:
    """Return the acts of a script whose first day begins at a midnight, numbered after those that have `begun`.

    What an act does not say of gaming day and shift is what the one before it said, or began.
    """
    day = first.date()
    for number, line in enumerate(script, start=begun + 1):
        [what] = line.keys() & set(get_args(What))
        said = {name: value for name, value in line.items() if name != what}
        assert said.keys() <= _NAMES, f"{line}: an act has no {said.keys() - _NAMES}"
        said |= {name: moment_of(said[name], first) for name in ("at", "moment") if name in said}
        for name in ("day", "begins"):
            said |= {name: _of_day(said[name], first, day)} if name in said else {}
        said.setdefault("day", day)
        made: dict[str, Any] = {"what": what, "cents": line[what] or 0, "number": number, "shift": shift} | said
        act = Act(**made)
        yield act
        if act.what in COUNTS:
            day, shift = act.begins or (act.day, act.shift)


def moment_of(written: str | datetime, first: datetime) -> datetime:
    """Return a moment: as it is, or as a time on the clock of a day, the first one or `+2` days later."""
    if isinstance(written, datetime):
        return written.astimezone(UTC)
    days, _, clock = written.rpartition(" ")
    shown = time.fromisoformat(clock)
    moment = datetime.combine(first.date() + timedelta(days=int(days or 0)), shown, first.tzinfo)
    return moment.astimezone(UTC)  # the clock of a zone cannot be reckoned with


def _of_day(written: Any, first: datetime, day: date) -> Any:
    """Return a gaming day of a script (so many after the first), or the shift of one that a count begins."""
    match written:
        case int():
            return first.date() + timedelta(days=written)
        case [of, shift]:
            return (_of_day(of, first, day), shift)
        case str():
            return (day, written)
    return written
