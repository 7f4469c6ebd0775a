"""Equipment clocks: when cards, dice, card readers and stubs of open tables are due, and what was done late."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal

from pydantic import AwareDatetime, BaseModel
from sqlalchemy import text
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.policies import Policy, policy_on

Check = Literal["cards", "dice", "card_reader", "stub"]
CHECKS: tuple[Check, ...] = ("cards", "dice", "card_reader", "stub")


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTable:
    """A table that is open: since when, on which gaming day, with what, and what was last done about it."""

    property: str
    table: str
    gaming_day: date
    opened_at: datetime
    card_reader: bool
    dice: bool
    last: Mapping[str, tuple[datetime, date, Mapping[str, Any]]]
    """(moment, gaming day, data) of the last event, by check."""
    rounds_since_stub: int


class Clock(BaseModel):
    """When something is due at an open table: at a moment (`due_at`), or after so many rounds (`rounds_left`)."""

    property: str
    table: str
    check: Check
    done_at: AwareDatetime | None
    due_at: AwareDatetime | None = None
    rounds_left: int | None = None
    overdue: bool
    rule: str


def clocks(table: OpenTable, policy: Policy, now: datetime) -> list[Clock]:
    """The clocks of a table. Time that it was closed does not count."""
    found = [_cards(table, policy, now)]
    if table.dice:
        life = timedelta(hours=policy.dice_hours)
        found.append(_timed(table, "dice", life, now, f"dice are changed every {policy.dice_hours} hours"))
    if table.card_reader:
        found.append(_card_reader(table))
    if (stub := _stub(table, policy)) is not None:
        found.append(stub)
    return found


def _cards(table: OpenTable, policy: Policy, now: datetime) -> Clock:
    _, _, cards = table.last.get("cards", (None, None, {}))
    regulation, dealing = cards.get("regulation", "default"), cards.get("dealing", "hand")
    life = policy.deck_life(regulation, dealing)
    hours = round(life.total_seconds() / 3600)
    named = regulation if cards else "no change is recorded"
    return _timed(
        table, "cards", life, now, f"cards dealt from the {dealing} are changed every {hours} hours ({named})"
    )


def _timed(table: OpenTable, check: Check, life: timedelta, now: datetime, rule: str) -> Clock:
    done_at = table.last[check][0] if check in table.last else None
    start = table.opened_at if done_at is None else max(done_at, table.opened_at)
    due_at = start + life
    return Clock(
        property=table.property,
        table=table.table,
        check=check,
        done_at=done_at,
        due_at=due_at,
        overdue=now > due_at,
        rule=rule,
    )


def _card_reader(table: OpenTable) -> Clock:
    done_at, day, data = table.last.get("card_reader", (None, None, {}))
    good = day == table.gaming_day and bool(data.get("passed"))
    return Clock(
        property=table.property,
        table=table.table,
        check="card_reader",
        done_at=done_at,
        due_at=table.opened_at,
        overdue=not good,
        rule="the card reader passes an inspection at the beginning of each gaming day",
    )


def _stub(table: OpenTable, policy: Policy) -> Clock | None:
    _, _, cards = table.last.get("cards", (None, None, {}))
    if cards.get("regulation") not in policy.stub_regulations or cards.get("counting_shuffler"):
        return None
    done_at, _, data = table.last.get("stub", (None, None, {}))
    left = policy.stub_rounds - table.rounds_since_stub
    wrong = bool(data) and data["cards"] != data["expected"]
    return Clock(
        property=table.property,
        table=table.table,
        check="stub",
        done_at=done_at,
        rounds_left=max(left, 0),
        overdue=left < 0 or wrong,
        rule=f"the stub is counted every {policy.stub_rounds} rounds and is complete",
    )


_OPEN = text("""
    WITH last AS (
        SELECT DISTINCT ON (c.property, c.table_name) c.*
        FROM table_inventory.counts c
        WHERE (CAST(:property AS text) IS NULL OR c.property = :property)
        ORDER BY c.property, c.table_name, c.at DESC, c.sequence DESC)
    SELECT l.property, l.table_name, coalesce(l.begins_day, l.gaming_day) AS gaming_day, o.at AS opened_at,
           o.card_reader, o.dice, e.checks, r.rounds
    FROM last l
    CROSS JOIN LATERAL (
        SELECT q.at, q.card_reader, q.dice FROM table_inventory.counts q
        WHERE q.property = l.property AND q.table_name = l.table_name AND q.purpose = 'opener'
        ORDER BY q.at DESC, q.sequence DESC LIMIT 1) o
    CROSS JOIN LATERAL (
        SELECT coalesce(jsonb_object_agg(d."check", jsonb_build_array(d.at, d.gaming_day, d.data)), '{}') AS checks,
               max(d.at) FILTER (WHERE d."check" IN ('stub', 'cards')) AS stub_at
        FROM (SELECT DISTINCT ON ("check") "check", at, gaming_day, data FROM table_inventory.equipment q
              WHERE q.property = l.property AND q.table_name = l.table_name
              ORDER BY "check", at DESC, sequence DESC) d) e
    CROSS JOIN LATERAL (
        SELECT coalesce(sum(m.rounds), 0) AS rounds FROM table_inventory.movements m
        WHERE m.property = l.property AND m.table_name = l.table_name
          AND m.at > greatest(e.stub_at, o.at)) r
    WHERE l.purpose NOT IN ('closer', 'carried')
    ORDER BY l.property, l.table_name""")

_DONE = text("""
    SELECT e.table_name, e."check", e.at, e.sequence, e.by, e.data, p.at AS before_at, p.data AS before,
           o.at AS opened_at
    FROM table_inventory.equipment e
    LEFT JOIN LATERAL (
        SELECT q.at, q.data FROM table_inventory.equipment q
        WHERE q.property = e.property AND q.table_name = e.table_name AND q."check" = e."check"
          AND (q.at, q.sequence) < (e.at, e.sequence)
        ORDER BY q.at DESC, q.sequence DESC LIMIT 1) p ON true
    LEFT JOIN LATERAL (
        SELECT q.at FROM table_inventory.counts q
        WHERE q.property = e.property AND q.table_name = e.table_name AND q.purpose = 'opener' AND q.at <= e.at
        ORDER BY q.at DESC LIMIT 1) o ON true
    WHERE e.property = :property AND e.gaming_day = :gaming_day
    ORDER BY e.table_name, e.at, e.sequence""")


async def open_tables(connection: AsyncConnection, property_name: str | None) -> list[OpenTable]:
    """The tables that are open now, of a property or of all."""
    rows = await connection.execute(_OPEN, {"property": property_name})
    return [
        OpenTable(
            property=row.property,
            table=row.table_name,
            gaming_day=row.gaming_day,
            opened_at=row.opened_at,
            card_reader=row.card_reader,
            dice=row.dice,
            last={
                check: (datetime.fromisoformat(at), date.fromisoformat(day), data)
                for check, (at, day, data) in row.checks.items()
            },
            rounds_since_stub=int(row.rounds),
        )
        for row in rows
    ]


async def clocks_of(connection: AsyncConnection, property_name: str | None, now: datetime) -> list[Clock]:
    """All clocks of the tables that are open."""
    tables = await open_tables(connection, property_name)
    return [clock for table in tables for clock in clocks(table, policy_on(table.gaming_day), now)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wrong:
    """Something that was done late, or found to be wrong, at a table."""

    table: str
    check: str
    at: datetime
    sequence: int
    by: str
    what: str


async def wrong_on(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Wrong]:
    """What was changed too late on a gaming day, and what an inspection or a count of the stub found."""
    policy = policy_on(gaming_day)
    rows = await connection.execute(_DONE, {"property": property_name, "gaming_day": gaming_day})
    found: list[Wrong] = []
    for row in rows:
        what = _wrong(row, policy)
        if what is not None:
            found.append(
                Wrong(
                    table=row.table_name,
                    check=row._mapping["check"],
                    at=row.at,
                    sequence=row.sequence,
                    by=row.by,
                    what=what,
                )
            )
    return found


def _wrong(row: Any, policy: Policy) -> str | None:
    match row._mapping["check"]:
        case "card_reader":
            return None if row.data["passed"] else "the card reader did not pass its inspection"
        case "stub":
            cards, expected = row.data["cards"], row.data["expected"]
            return None if cards == expected else f"the stub had {cards} cards, not {expected}"
        case check if row.before_at is not None:
            life = timedelta(hours=policy.dice_hours)
            if check == "cards":
                life = policy.deck_life(row.before["regulation"], row.before["dealing"])
            due_at = (row.before_at if row.opened_at is None else max(row.before_at, row.opened_at)) + life
            return f"{check} were due at {due_at.isoformat()}" if row.at > due_at else None
        case _:
            return None
