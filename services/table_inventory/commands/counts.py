"""Commands of the drop count. Figures stay sealed until the count is concluded: no counter sees another's figures."""

import secrets
from collections.abc import Sequence
from datetime import date
from itertools import chain
from typing import Any, Final, NamedTuple

from sqlalchemy import insert
from sqlalchemy.ext.asyncio import AsyncConnection

from services.table_inventory.domain.accounts import TableAccounts
from services.table_inventory.domain.boxes import (
    Box,
    BoxProgress,
    CountDocument,
    Turns,
    agreed,
    awaited,
    commitment_of,
    in_order,
)
from services.table_inventory.domain.provisions import Provisions
from services.table_inventory.domain.rake import non_banking
from services.table_inventory.queries.counts import find_count, sealed_turns, uncounted_boxes
from services.table_inventory.queries.holding import hold
from services.table_inventory.queries.places import find_place
from services.table_inventory.tables import boxes, drop_counts, sealed_counts, transports
from shared.contracts.counts import BoxFigures, BoxRef, BoxTurn, CountConcluded, CountOpened, CountSealed
from shared.contracts.envelope import Name, as_json
from shared.contracts.inventory import Number
from shared.contracts.people import same_person
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.rejection import Reason, Rejected
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Command, Commands, Now
from shared.runtime.rows import last_number, rows_of, thing_of

COMMANDS: Final = Commands()


class OpenCount(Command):
    """Begin the count of a gaming day.

    It includes all boxes of the day that are not counted yet.
    """

    property: Name
    gaming_day: date


class Opening(NamedTuple):
    """The gaming day's open count, the property's last count number, and the boxes to be counted.

    `counters` is the number of people who must find the same contents in a box.
    """

    running: int | None
    last: int
    boxes: Sequence[Box]
    counters: int


async def _opening(connection: AsyncConnection, command: OpenCount) -> Opening:
    place = await find_place(connection, command.property, command.gaming_day)
    of_day = rows_of(drop_counts, **dict(command)).where(drop_counts.c.concluded_at.is_(None))
    running = (await connection.execute(of_day)).one_or_none()
    return Opening(
        None if running is None else running.count,
        await last_number(connection, drop_counts, "count", property=command.property),
        await uncounted_boxes(connection, place, command.gaming_day),
        Provisions.of(place, command.gaming_day).counters,
    )


@COMMANDS.handles(OpenCount, load=_opening)
def open_count(command: OpenCount, state: Opening, now: Now) -> Accepted:
    """Begin a count, unless another count of the gaming day is open."""
    if state.running is not None:
        detail = f"count {state.running} of {command.gaming_day} is not concluded yet"
        raise Rejected(Reason.CONTRADICTS, detail)
    fact = CountOpened(**dict(command), count=state.last + 1, opened_by=now.by, opened_at=now.at)
    boxes = tuple(BoxProgress.of(box, (), state.counters) for box in awaited(state.boxes, {}))
    made = CountDocument(**dict(fact), boxes=boxes)
    return Accepted(
        recording=FactWithPostings(fact=fact), answer=made, location=f"/drop-counts/{fact.property}/{fact.count}"
    )


class CountBox(BoxRef, Command):
    """Enter the contents of a box.

    They are sealed until the count is concluded. As many people as the law requires must find the same contents, and
    nobody may count the same box twice.
    """

    property: Name
    count: Number
    figures: BoxFigures

    def shown(self) -> dict[str, Any]:
        """Return the request without the figures, which must stay secret."""
        return self.model_dump(mode="json", exclude={"figures", "salt"})


class SealBox(CountBox):
    """Enter the contents of a box, with the salt of their commitment."""

    salt: str

    def content(self) -> Any:
        """Return the request as it was sent, without the salt."""
        return self.model_dump(mode="json", exclude={"salt"})


async def salted(wanted: CountBox, person: str, key: str) -> SealBox:
    """Return the request with its figures in canonical order and a new random salt."""
    del person, key
    return SealBox(**{**dict(wanted), "figures": in_order(wanted.figures)}, salt=secrets.token_hex(16))


class Counting(NamedTuple):
    """An open count, the boxes to be counted, and the turns so far (each one person's count of a box).

    `counters` is the number of people who must find the same contents in a box.
    """

    opened: CountOpened
    boxes: Sequence[Box]
    turns: Turns
    counters: int
    place: PropertySnapshot

    def is_non_banking(self, table: str) -> bool:
        """Return whether a table is non-banking. The revenue of a non-banking table is its rake."""
        return bool(non_banking(self.place, table, self.opened.gaming_day))


class ConcludeCount(Command):
    """Conclude a count.

    As many people as the law requires must have found the same contents in every box. The figures are then revealed and
    posted.
    """

    property: Name
    count: Number


async def _counting(connection: AsyncConnection, command: SealBox | ConcludeCount) -> Counting:
    """Return an open count. Raises: Rejected if it does not exist, or is concluded."""
    count = await find_count(connection, command.property, command.count)
    if count.concluded_at is not None:
        raise Rejected(Reason.ALREADY_DECIDED, f"count {command.count} of {command.property} is concluded")
    place = await find_place(connection, command.property, count.gaming_day)
    if isinstance(command, SealBox):
        of_table = {"property": command.property, "table": command.table}
        await hold(connection, boxes, **of_table, exchange=command.exchange)
        await hold(connection, transports, **of_table)
    return Counting(
        thing_of(CountOpened, count),
        await uncounted_boxes(connection, place, count.gaming_day),
        await sealed_turns(connection, command.property, command.count),
        Provisions.of(place, count.gaming_day).counters,
        place,
    )


async def _seal(connection: AsyncConnection, command: SealBox, fact: CountSealed) -> None:
    row = fact.model_dump(include={"property", "count", "table", "exchange", "turn", "counted_by"})
    await connection.execute(insert(sealed_counts).values(**row, salt=command.salt, figures=as_json(command.figures)))


@COMMANDS.handles(SealBox, load=_counting, keep=_seal)
def count_box(command: SealBox, state: Counting, now: Now) -> Accepted:
    """Record the commitment of a person's figures for a box."""
    box = next((box for box in state.boxes if box.key == (command.table, command.exchange)), None)
    if box is None:
        detail = f"no box of exchange {command.exchange} at {command.table} waits to be counted"
        raise Rejected(Reason.NOT_FOUND, detail)
    name = f"box {box.box} of {box.table}"
    if box.transported_at is None:
        detail = f"{name} has not come to the count room: its event 'box.transported' is missing at {box.table}"
        raise Rejected(Reason.TOO_EARLY, detail)
    if command.figures.rake and not state.is_non_banking(box.table):
        detail = (
            f"{name}: {box.table} is no non-banking table and takes no rake; chips in its box are not counted as one"
        )
        raise Rejected(Reason.NOT_ALLOWED, detail)
    other = state.place.why_no_pieces(command.figures.rake, state.opened.gaming_day)
    if other is not None:
        raise Rejected(Reason.NOT_ALLOWED, f"{name}: the rake has {other}")
    turns = state.turns.get(box.key, ())
    if any(same_person(turn.counted_by, now.by) for turn in turns):
        raise Rejected(Reason.SAME_PERSON, f"{now.by} counted {name} already: somebody else counts it again")
    if agreed(turns, state.counters) is not None:
        detail = f"{state.counters} people found the same in {name}: it is counted"
        raise Rejected(Reason.ALREADY_DECIDED, detail)
    turn = BoxTurn(turn=len(turns) + 1, counted_by=now.by, salt=command.salt, figures=command.figures)
    place = {"property": command.property, "count": command.count, "table": box.table, "exchange": box.exchange}
    sealed = {"turn": turn.turn, "commitment": commitment_of(turn.figures, turn.salt)}
    gaming_day = state.opened.gaming_day
    fact = CountSealed(**place, gaming_day=gaming_day, **sealed, counted_by=now.by, counted_at=now.at)
    return Accepted(recording=FactWithPostings(fact=fact), answer=BoxProgress.of(box, [*turns, turn], state.counters))


@COMMANDS.handles(ConcludeCount, load=_counting)
def conclude(command: ConcludeCount, state: Counting, now: Now) -> Accepted:
    """Reveal and post the figures, if enough people found the same contents in every box."""
    del command
    gaming_day = state.opened.gaming_day
    boxes = awaited(state.boxes, state.turns)
    if not boxes:
        raise Rejected(Reason.CONTRADICTS, f"no box of {gaming_day} waits to be counted")
    found = [(box, agreed(state.turns.get(box.key, ()), state.counters)) for box in boxes]
    left = [f"{box.table}/{box.exchange}" for box, figures in found if figures is None]
    if left:
        detail = f"{state.counters} people have not found the same yet in the boxes {', '.join(left)}"
        raise Rejected(Reason.TOO_EARLY, detail)
    counted = tuple(
        box.counted(figures, state.turns[box.key], non_banking=state.is_non_banking(box.table))
        for box, figures in found
        if figures is not None
    )
    fact = CountConcluded(**dict(state.opened), boxes=counted, concluded_by=now.by, concluded_at=now.at)
    money = (TableAccounts(fact.property, box.table).counted_box(box) for box in counted)
    postings = tuple(chain.from_iterable(money))
    return Accepted(recording=FactWithPostings(fact=fact, postings=postings), answer=fact)
