"""Unclaimed and unresolved: rounds without a result, refused rounds, money that nobody fetched, open decisions."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any, Final

from services.reporting.books.reading import Books, Listed
from services.reporting.kit.definition import Content, Report
from services.reporting.kit.document import Column, Filled, Identity, Mark, Section, fill
from services.reporting.kit.figures import NOTHING, AddedUp, Cell, EntryRef, Figure, Value
from services.reporting.reports.accounts import DORMANT, VOUCHERS, dormant, marks_of_dormancy, vouchers
from services.reporting.reports.cells import entry_cell, require_whole, total_of
from shared.contracts.accounts import (
    AccountCashedOut,
    AdjustmentApproved,
    AdjustmentEntered,
    AdjustmentRejected,
    RoundCaptured,
    WagerAuthorized,
    WagerReleased,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.journal_facts import RecordQuarantined
from shared.contracts.meters import ChangeApproved, ChangeRejected, ChangeRequested

_AGE: Final = Column(name="age_hours", title="Age in hours", unit="count", formula="whole hours up to `known_at`")
_SINCE: Final = Column(name="since", title="Since", unit="moment")
_ENTRY: Final = Column(name="entry", title="Entry")

ROUNDS: Final = Section(
    name="rounds",
    title="Rounds without a result",
    key=("table", "round_id"),
    columns=(
        Column(name="table", title="Table"),
        Column(name="round_id", title="Round"),
        Column(name="held_cents", title="On hold", unit="cents", added=True, formula='before "no more bets"'),
        Column(name="in_play_cents", title="In play", unit="cents", added=True, formula='after "no more bets"'),
        _SINCE,
        _AGE,
    ),
)
REFUSED: Final = Section(
    name="refused",
    title="Refused records",
    key=("entry",),
    columns=(
        Column(name="service", title="Refused by"),
        Column(name="table", title="Table"),
        Column(name="round_id", title="Round"),
        Column(name="stream", title="Stream"),
        Column(name="reason", title="Reason"),
        _SINCE,
        _AGE,
        _ENTRY,
    ),
)
SHORTAGES: Final = Section(
    name="shortages",
    title="Shortages",
    key=("table", "round_id"),
    columns=(
        Column(name="table", title="Table"),
        Column(name="round_id", title="Round"),
        Column(
            name="shortage_cents",
            title="Shortage",
            unit="cents",
            added=True,
            formula="what a correction could not take back because it had been paid out",
        ),
        _SINCE,
        _AGE,
    ),
)
DECISIONS: Final = Section(
    name="decisions",
    title="Waiting for a second person",
    key=("entry",),
    columns=(
        Column(name="kind", title="What", formula="a change of a meter, or an adjustment of an account"),
        Column(name="about", title="About", formula="the pool, or the account"),
        Column(name="cents", title="Amount", unit="cents"),
        Column(name="by", title="Asked for by"),
        Column(name="reason", title="Reason"),
        _SINCE,
        _AGE,
        _ENTRY,
    ),
)

_Row = dict[str, Value | Figure | Cell]


async def _fill(books: Books) -> Content:
    require_whole(books, "accounts and vouchers are of a property")
    rounds = await _rounds(books)
    sections = (rounds, await _refused(books), await _shortages(books), await dormant(books), await vouchers(books))
    return Content(
        (*sections, await _decisions(books)),
        (await _of_holds(books, rounds),),
        (*_marks(), *marks_of_dormancy(books)),
    )


async def _rounds(books: Books) -> Filled:
    found = await books.amounts(("held_cents", "in_play_cents"), ("table_name", "item"), first=date.min)
    rows: list[_Row] = []
    for (table, round_id), measures in found.items():
        held, in_play = (measures.get(name, NOTHING) for name in ("held_cents", "in_play_cents"))
        age = await _age(books, (held, in_play))
        rows.append({"table": table, "round_id": round_id, "held_cents": held, "in_play_cents": in_play, **age})
    return fill(ROUNDS, rows)


async def _shortages(books: Books) -> Filled:
    found = await books.amounts(("account_shortage_cents",), ("table_name", "item"), first=date.min)
    rows: list[_Row] = []
    for (table, round_id), measures in found.items():
        short = measures["account_shortage_cents"]
        rows.append({"table": table, "round_id": round_id, "shortage_cents": short, **await _age(books, (short,))})
    return fill(SHORTAGES, rows)


async def _age(books: Books, figures: Iterable[Figure]) -> _Row:
    """Return since when something is open: the first of the entries that it comes from."""
    because = [one for figure in figures for one in figure.because if isinstance(one, AddedUp)]
    moments = [entry["recorded_at"] for one in because for entry in await books.entries(one)]
    return _since(books, min(moments))


def _since(books: Books, moment: datetime) -> _Row:
    return {"since": moment, "age_hours": int((books.question.known_at - moment).total_seconds()) // 3600}


async def _refused(books: Books) -> Filled:
    return fill(REFUSED, (_refusal(books, one) for one in await books.open_exceptions("quarantined")))


def _refusal(books: Books, row: Any) -> _Row:
    return {
        "service": row.service,
        "table": row.table_name,
        "round_id": row.round_id,
        "stream": row.stream,
        "reason": row.reason,
        "entry": entry_cell(EntryRef(row.service, row.shard, row.seq)),
        **_since(books, row.since),
    }


async def _decisions(books: Books) -> Filled:
    """Return what was asked for and neither approved nor turned down."""
    changes = {one.fact.change for one in await books.all_facts(ChangeApproved, ChangeRejected)}
    adjustments = {
        (one.fact.account, one.fact.adjustment) for one in await books.all_facts(AdjustmentApproved, AdjustmentRejected)
    }
    waiting = [
        *(one for one in await books.all_facts(ChangeRequested) if one.fact.change not in changes),
        *(
            one
            for one in await books.all_facts(AdjustmentEntered)
            if (one.fact.account, one.fact.adjustment) not in adjustments
        ),
    ]
    return fill(DECISIONS, (_waiting(books, one) for one in waiting))


def _waiting(books: Books, one: Listed) -> _Row:
    fact = one.fact
    of_meter = isinstance(fact, ChangeRequested)
    return {
        "kind": f"{fact.kind} of a meter" if of_meter else "adjustment of an account",
        "about": fact.pool if of_meter else fact.account,
        "cents": None if fact.cents is None else Figure(fact.cents, (one.entry,)),
        "by": fact.requested_by if of_meter else fact.by,
        "reason": fact.reason,
        "entry": entry_cell(one.entry),
        **_since(books, one.occurred_at),
    }


async def _of_holds(books: Books, rounds: Filled) -> Identity:
    holds = (await books.amounts(("holds_cents",), first=date.min)).get((), {})
    return Identity(
        "rounds and holds",
        total_of(rounds, "held_cents") + total_of(rounds, "in_play_cents"),
        holds.get("holds_cents", NOTHING),
        "what accounts have on hold and in play is what was authorized, less what was released",
    )


def _marks() -> tuple[Mark, ...]:
    note = "an award is paid with its round at the table: no journal has one that was won and not paid"
    return (Mark("unpaid progressive awards", "the meters' journal", note),)


UNCLAIMED: Final = Report(
    name="unclaimed",
    title="Unclaimed and unresolved",
    about=(
        "What is open at the end of a gaming day, with its age: rounds without a result, refused records, shortages, "
        "dormant accounts, vouchers that are out, and what waits for a second person."
    ),
    sections=(ROUNDS, REFUSED, SHORTAGES, DORMANT, VOUCHERS, DECISIONS),
    sources=(
        *(WagerAuthorized, WagerReleased, RoundCaptured, WagersSettled, WagersReversed, WagersVoided),
        *(AccountCashedOut, AdjustmentEntered, AdjustmentApproved, AdjustmentRejected),
        *(ChangeRequested, ChangeApproved, ChangeRejected, RecordQuarantined),
    ),
    fill=_fill,
    periods=("day",),
    of_days=False,
    signatures=("Casino shift manager", "Revenue audit"),
)
