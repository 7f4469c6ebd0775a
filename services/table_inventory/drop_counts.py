"""The count of the drop boxes: under seal until it is concluded, by two people who do not see each other's figures."""

import secrets
from datetime import date, datetime
from functools import partial
from hashlib import sha256
from typing import Any, NamedTuple

from pydantic import AwareDatetime, BaseModel
from sqlalchemy import func, insert, select
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory import reading
from services.table_inventory.books import Box
from services.table_inventory.commands import Command, Decision, Denied, once
from services.table_inventory.money import TableAccounts, counter_checks_of, coupons_of, currency_of
from services.table_inventory.tables import drop_counts, sealed_counts
from shared.contracts.envelope import Contract, Name, as_json, canonical
from shared.contracts.inventory import (
    BoxFigures,
    BoxTurn,
    CountConcluded,
    CountedBox,
    CountOpened,
    CountSealed,
    Number,
)
from shared.journal.entry import Posting
from shared.runtime.command.answers import Answer
from shared.runtime.service.run import Parts
from shared.runtime.web.unported import NotFound

_AGREE = 2
"""Two people must find the same."""


class CountKey(NamedTuple):
    """The name of a count."""

    property: str
    number: int


class CountWanted(Contract):
    """The gaming day whose boxes are counted."""

    property: Name
    gaming_day: date


class BoxCounted(Contract):
    """What a person found in a box; `exchange` is the sequence of its `box.exchanged` in the table's pit stream."""

    table: Name
    exchange: Number
    figures: BoxFigures


class BoxProgress(BaseModel):
    """How far the counting of a box has come: nothing of what was found."""

    table: str
    exchange: int
    box: str
    shift: str
    turns: int
    counted_by: list[str]
    agreed: bool


class CountDocument(BaseModel):
    """A count. `boxes` shows progress; figures come with the conclusion, in `concluded`."""

    property: str
    count: int
    gaming_day: date
    status: str
    opened_by: str
    opened_at: AwareDatetime
    boxes: list[BoxProgress]
    concluded: CountConcluded | None = None


def commitment_of(figures: BoxFigures, salt: str) -> str:
    """What the journal has of figures under seal: SHA-256, in hexadecimal."""
    return sha256(canonical({"figures": as_json(figures), "salt": salt})).hexdigest()


def agreed(turns: list[BoxTurn]) -> BoxFigures | None:
    """What two of the people who counted a box found alike; None while there are no two."""
    found = [_sorted(turn.figures) for turn in turns]
    return next((figures for figures in found if found.count(figures) >= _AGREE), None)


def _sorted(figures: BoxFigures) -> BoxFigures:
    return BoxFigures(
        currency=tuple(sorted(figures.currency, key=lambda pieces: pieces.cents)),
        counter_checks=tuple(sorted(figures.counter_checks, key=lambda check: check.serial)),
        coupons=tuple(sorted(figures.coupons, key=lambda item: (item.coupon, item.cents))),
    )


class CountCommands:
    """What the count team does."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def open(self, wanted: CountWanted, *, person: str, key: str) -> Answer:
        """Begins a count of the boxes of a gaming day that were not counted yet; answers 201 with it."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            c = drop_counts.c
            of_property = c.property == wanted.property
            running = select(c.count).where(of_property, c.gaming_day == wanted.gaming_day, c.concluded_at.is_(None))
            number = (await connection.execute(running)).scalar_one_or_none()
            if number is not None:
                raise Denied(409, f"count {number} of {wanted.gaming_day} is not concluded yet")
            last = (
                await connection.execute(select(func.coalesce(func.max(c.count), 0)).where(of_property))
            ).scalar_one()
            fact = CountOpened(
                property=wanted.property,
                gaming_day=wanted.gaming_day,
                count=last + 1,
                opened_by=person,
                opened_at=at,
            )
            boxes = await _uncounted(connection, wanted.property, wanted.gaming_day)
            made = CountDocument(**as_json(fact), status="open", boxes=[_progress(box, []) for box in boxes])
            return Decision(fact=fact, document=made, status=201, location=f"/drop-counts/{fact.property}/{fact.count}")

        command = Command(person, key, "POST /drop-counts", as_json(wanted), wanted.property, wanted.gaming_day)
        return await once(self._parts, command, decide)

    async def enter(self, which: CountKey, counted: BoxCounted, *, person: str, key: str) -> Answer:
        """Seals what a person found in a box; answers 201 with how far the box has come, and no figure."""
        figures = _sorted(counted.figures)

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            row = await _open_count(connection, which)
            boxes = await _uncounted(connection, which.property, row.gaming_day)
            box = next((b for b in boxes if (b.table, b.exchange) == (counted.table, counted.exchange)), None)
            if box is None:
                raise NotFound(f"no box of exchange {counted.exchange} at {counted.table} waits to be counted")
            if box.transported_at is None:
                raise Denied(409, f"box {box.box} of {box.table} has not come to the count room", row.gaming_day)
            turns = (await _turns(connection, which)).get((box.table, box.exchange), [])
            if any(turn.counted_by == person for turn in turns):
                raise Denied(
                    403, f"{person} counted box {box.box} of {box.table} already: somebody else counts it again"
                )
            if agreed(turns) is not None:
                what = f"two people found the same in box {box.box} of {box.table}: it is counted"
                raise Denied(409, what, row.gaming_day)
            turn = BoxTurn(turn=len(turns) + 1, counted_by=person, salt=secrets.token_hex(16), figures=figures)
            fact = CountSealed(
                property=which.property,
                gaming_day=row.gaming_day,
                count=which.number,
                table=box.table,
                exchange=box.exchange,
                turn=turn.turn,
                commitment=commitment_of(figures, turn.salt),
                counted_by=person,
                counted_at=at,
            )
            made = _progress(box, [*turns, turn])
            keep = partial(_seal, which=which, box=box, turn=turn)
            return Decision(fact=fact, document=made, status=201, gaming_day=row.gaming_day, keep=keep)

        name = f"POST /drop-counts/{which.property}/{which.number}/boxes"
        return await once(self._parts, Command(person, key, name, as_json(counted), which.property), decide)

    async def conclude(self, which: CountKey, *, person: str, key: str) -> Answer:
        """Ends a count in which two people found the same in every box, and opens its figures; answers 200."""

        async def decide(connection: AsyncConnection, at: datetime) -> Decision:
            row = await _open_count(connection, which)
            boxes = await _uncounted(connection, which.property, row.gaming_day)
            if not boxes:
                raise Denied(409, f"no box of {row.gaming_day} waits to be counted", row.gaming_day)
            turns = await _turns(connection, which)
            found = {(box.table, box.exchange): agreed(turns.get((box.table, box.exchange), [])) for box in boxes}
            left = [f"{table}/{exchange}" for (table, exchange), figures in found.items() if figures is None]
            if left:
                what = f"no two people found the same yet in the boxes {', '.join(left)}"
                raise Denied(409, what, row.gaming_day)
            counted = [
                _counted(box, figures, turns[box.table, box.exchange])
                for box in boxes
                if (figures := found[box.table, box.exchange]) is not None
            ]
            fact = CountConcluded(
                property=which.property,
                gaming_day=row.gaming_day,
                count=which.number,
                boxes=tuple(counted),
                concluded_by=person,
                concluded_at=at,
            )
            postings: tuple[Posting, ...] = ()
            for box in counted:
                postings += TableAccounts(which.property, box.table).counted_box(box.figures)
            return Decision(fact=fact, document=fact, postings=postings, gaming_day=row.gaming_day)

        name = f"POST /drop-counts/{which.property}/{which.number}/conclude"
        return await once(self._parts, Command(person, key, name, None, which.property), decide)


async def read_count(connection: AsyncConnection, which: CountKey) -> CountDocument:
    """A count as it may be seen: progress while it is open, figures once it is concluded. Raises: NotFound."""
    row = await _count(connection, which)
    boxes = await reading.boxes_of_day(connection, which.property, row.gaming_day)
    turns = await _turns(connection, which)
    of_count = {which.number} if row.concluded_at is not None else {None}
    progress = [_progress(box, turns.get((box.table, box.exchange), [])) for box in boxes if box.count in of_count]
    concluded = None
    if row.concluded_at is not None:
        counted = [
            _counted(box, figures, turns[box.table, box.exchange])
            for box in boxes
            if box.count == which.number and (figures := agreed(turns[box.table, box.exchange])) is not None
        ]
        concluded = CountConcluded(
            property=which.property,
            gaming_day=row.gaming_day,
            count=which.number,
            boxes=tuple(counted),
            concluded_by=row.concluded_by,
            concluded_at=row.concluded_at,
        )
    return CountDocument(
        property=which.property,
        count=which.number,
        gaming_day=row.gaming_day,
        status="open" if concluded is None else "concluded",
        opened_by=row.opened_by,
        opened_at=row.opened_at,
        boxes=progress,
        concluded=concluded,
    )


async def counters_of_day(connection: AsyncConnection, property_name: str, gaming_day: date) -> set[str]:
    """Everybody who counted a box of a gaming day, or opened or concluded the count."""
    c, s = drop_counts.c, sealed_counts.c
    of_day = (c.property == property_name) & (c.gaming_day == gaming_day)
    found: set[str] = set()
    for row in await connection.execute(select(c.opened_by, c.concluded_by).where(of_day)):
        found |= {name for name in row if name is not None}
    turns = select(s.counted_by).join(drop_counts, (c.property == s.property) & (c.count == s.count)).where(of_day)
    return found | set((await connection.execute(turns)).scalars())


async def _count(connection: AsyncConnection, which: CountKey) -> Any:
    c = drop_counts.c
    query = select(drop_counts).where(c.property == which.property, c.count == which.number)
    row = (await connection.execute(query)).one_or_none()
    if row is None:
        raise NotFound(f"there is no count {which.number} at {which.property}")
    return row


async def _open_count(connection: AsyncConnection, which: CountKey) -> Any:
    row = await _count(connection, which)
    if row.concluded_at is not None:
        raise Denied(409, f"count {which.number} of {which.property} is concluded", row.gaming_day)
    return row


async def _uncounted(connection: AsyncConnection, property_name: str, gaming_day: date) -> list[Box]:
    boxes = await reading.boxes_of_day(connection, property_name, gaming_day)
    return [box for box in boxes if box.count is None]


async def _turns(connection: AsyncConnection, which: CountKey) -> dict[tuple[str, int], list[BoxTurn]]:
    s = sealed_counts.c
    query = select(sealed_counts).where(s.property == which.property, s.count == which.number).order_by(s.turn)
    found: dict[tuple[str, int], list[BoxTurn]] = {}
    for row in await connection.execute(query):
        turn = BoxTurn(turn=row.turn, counted_by=row.counted_by, salt=row.salt, figures=row.figures)
        found.setdefault((row.table_name, row.exchange), []).append(turn)
    return found


async def _seal(connection: AsyncConnection, *, which: CountKey, box: Box, turn: BoxTurn) -> None:
    await connection.execute(
        insert(sealed_counts).values(
            property=which.property,
            count=which.number,
            table_name=box.table,
            exchange=box.exchange,
            turn=turn.turn,
            counted_by=turn.counted_by,
            salt=turn.salt,
            figures=as_json(turn.figures),
        )
    )


def _progress(box: Box, turns: list[BoxTurn]) -> BoxProgress:
    return BoxProgress(
        table=box.table,
        exchange=box.exchange,
        box=box.box,
        shift=box.shift,
        turns=len(turns),
        counted_by=[turn.counted_by for turn in turns],
        agreed=agreed(turns) is not None,
    )


def _counted(box: Box, figures: BoxFigures, turns: list[BoxTurn]) -> CountedBox:
    return CountedBox(
        table=box.table,
        exchange=box.exchange,
        box=box.box,
        gaming_day=box.gaming_day,
        shift=box.shift,
        figures=figures,
        currency_cents=currency_of(figures),
        counter_checks_cents=counter_checks_of(figures),
        coupons_cents=coupons_of(figures),
        turns=tuple(turns),
    )
