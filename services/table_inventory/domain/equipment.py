"""Equipment clocks: due times for changing or checking cards, dice, card readers and stubs of open tables."""

from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel

from services.table_inventory.domain.provisions import Provisions

Check = Literal["cards", "dice", "card_reader", "stub"]


class Done(BaseModel):
    """The last event of an equipment check: its time, gaming day and data."""

    at: AwareDatetime
    gaming_day: date
    data: dict[str, Any]


class OpenTable(BaseModel):
    """An open table: its opening, its equipment, and the last event of each equipment check."""

    property: str
    table: str
    gaming_day: date
    opened_at: AwareDatetime
    card_reader: bool
    dice: bool
    last: Mapping[str, Done]
    rounds_since_stub: int

    def said(self, check: Check) -> Mapping[str, Any]:
        """Return the data of the last event of a check; empty if there was none."""
        return self.last[check].data if check in self.last else {}


class Clock(BaseModel):
    """The due time of an equipment check at an open table: at `due_at`, or after `rounds_left` more rounds."""

    property: str
    table: str
    check: Check
    done_at: AwareDatetime | None
    due_at: AwareDatetime | None = None
    rounds_left: int | None = None
    overdue: bool
    rule: str


def clocks(table: OpenTable, provisions: Provisions, now: datetime) -> Iterator[Clock]:
    """Yield the equipment clocks of a table. Time during which the table was closed does not count.

    A counted table may play without cards, such as craps or roulette; its cards are due only once a change of them is
    on record.
    """
    cards = table.said("cards")
    regulation, dealing = cards.get("regulation", "default"), cards.get("dealing", "hand")
    life = provisions.deck_life(regulation, dealing)
    named = regulation if cards else "no change is recorded"
    hours = round(life.total_seconds() / 3600)
    if cards or table.table not in provisions.counted:
        rule = f"cards dealt from the {dealing} are changed every {hours} hours ({named})"
        yield _timed(table, "cards", life, now, rule)
    if table.dice and provisions.dice_hours is not None:
        life = timedelta(hours=provisions.dice_hours)
        yield _timed(table, "dice", life, now, f"dice are changed every {provisions.dice_hours} hours")
    if table.card_reader:
        inspected = table.last.get("card_reader")
        passed = inspected is not None and inspected.gaming_day == table.gaming_day and inspected.data["passed"]
        rule = "the card reader passes an inspection at the beginning of each gaming day"
        yield _clock(table, "card_reader", due_at=table.opened_at, overdue=not passed, rule=rule)
    if (rounds := provisions.stub_rounds.get(regulation)) and not cards.get("counting_shuffler"):
        left, stub = rounds - table.rounds_since_stub, table.said("stub")
        is_wrong = bool(stub) and stub["cards"] != stub["expected"]
        rule = f"the stub is counted every {rounds} rounds and is complete"
        yield _clock(table, "stub", rounds_left=max(left, 0), overdue=left < 0 or is_wrong, rule=rule)


def _timed(table: OpenTable, check: Check, life: timedelta, now: datetime, rule: str) -> Clock:
    due_at = table.opened_at + life
    if check in table.last:
        due_at = max(table.last[check].at, table.opened_at) + life
    return _clock(table, check, due_at=due_at, overdue=now > due_at, rule=rule)


def _clock(table: OpenTable, check: Check, **values: Any) -> Clock:
    done_at = table.last[check].at if check in table.last else None
    return Clock(property=table.property, table=table.table, check=check, done_at=done_at, **values)
