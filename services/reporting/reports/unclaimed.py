"""Unclaimed and unresolved: rounds without a result, refused rounds, unclaimed money, open decisions."""

import asyncio
from dataclasses import asdict
from datetime import date, datetime
from typing import Any, Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Identity, Section, fill
from services.reporting.framework.figures import NOTHING, Cell, EntryRef, Figure, Value, total
from services.reporting.read_model.accounts import AccountOfRound
from services.reporting.read_model.exceptions import whose
from services.reporting.read_model.reading import Books, Listed
from services.reporting.read_model.sums import By
from services.reporting.reports.common.account_balances import DORMANT, VOUCHERS, dormant, marks_of_dormancy, vouchers
from services.reporting.reports.common.cells import entry_cell, require_whole
from shared.contracts.accounts import (
    AccountAdjustmentApproved,
    AccountAdjustmentEntered,
    AccountAdjustmentRejected,
    AccountCashedOut,
    RoundCaptured,
    WagerAuthorized,
    WagerReleased,
    WagersReversed,
    WagersSettled,
    WagersVoided,
)
from shared.contracts.journal_facts import RecordQuarantined
from shared.contracts.meters import ChangeApproved, ChangeRejected, ChangeRequested

_AGE: Final = Column(name="age_hours", title="Age in hours", unit="count", formula="whole hours up to the as-of time")
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
    key=("table", "round_id", "account"),
    columns=(
        Column(name="table", title="Table"),
        Column(name="round_id", title="Round"),
        Column(name="account", title="Account"),
        Column(
            name="account_shortage_cents",
            title="Shortage",
            unit="cents",
            added=True,
            formula="amount that a correction could not debit because it had been paid out",
        ),
        _SINCE,
        _AGE,
    ),
)
DECISIONS: Final = Section(
    name="decisions",
    title="Decisions awaiting a second person",
    key=("entry",),
    columns=(
        Column(name="kind", title="Decision", formula="change of a meter, or adjustment of an account"),
        Column(name="about", title="Pool or account", formula="pool or account"),
        Column(name="cents", title="Amount", unit="cents"),
        Column(name="by", title="Requested by"),
        Column(name="reason", title="Reason"),
        _SINCE,
        _AGE,
        _ENTRY,
    ),
)

_Row = dict[str, Value | Figure | Cell]


_WAGERED: Final = ("held_cents", "in_play_cents")
_SHORTAGE: Final = "account_shortage_cents"

_Open = dict[By, dict[str, Figure]]
"""Sums of measures, keyed by table and item."""


async def _fill(books: Books) -> Content:
    require_whole(books, "accounts and vouchers are of a property")
    wagered, short, *sections = await asyncio.gather(
        _open(books, *_WAGERED),
        _open(books, _SHORTAGE),
        *(_refused(books), dormant(books), vouchers(books), _decisions(books)),
    )
    refused, *others = sections
    rounds = [row | {"round_id": item} for item, row in await _begun(books, wagered, *_WAGERED)]
    shortages = [row | asdict(AccountOfRound.of_item(item)) for item, row in await _begun(books, short, _SHORTAGE)]
    return Content(
        (fill(ROUNDS, rounds), refused, fill(SHORTAGES, shortages), *others),
        (await _of_holds(books, wagered),),
        marks_of_dormancy(books),
    )


async def _open(books: Books, *measures: str) -> _Open:
    """Return the nonzero sums of measures over all gaming days, keyed by table and item: the items still open."""
    return await books.amounts(measures, ("table_name", "item"), first=date.min, last=date.max)


async def _begun(books: Books, left: _Open, *measures: str) -> list[tuple[str, _Row]]:
    """Return (item, row) for each open item that began on or before the last queried gaming day."""
    if not left:
        return []
    since = await books.since(measures, {item for _, item in left})
    return [
        (item, {"table": table, **dict.fromkeys(measures, NOTHING), **figures, **_since(books, since[table, item])})
        for (table, item), figures in left.items()
        if (table, item) in since
    ]


def _since(books: Books, moment: datetime) -> _Row:
    return {"since": moment, "age_hours": int((books.question.known_at - moment).total_seconds()) // 3600}


async def _refused(books: Books) -> Filled:
    return fill(REFUSED, (_refusal(books, one) for one in await books.open_exceptions("quarantined")))


def _refusal(books: Books, row: Any) -> _Row:
    return {
        "service": row.service,
        "table": None if row.anybodys else row.table_name,
        "round_id": row.round_id,
        "stream": row.stream,
        "reason": f"{row.reason}{whose(row)}",
        "entry": entry_cell(EntryRef(row.service, row.shard, row.seq)),
        **_since(books, row.since),
    }


async def _decisions(books: Books) -> Filled:
    """Return the section of requests that still await a second person's decision."""
    changes = {one.fact.change for one in await books.all_facts(ChangeApproved, ChangeRejected)}
    adjustments = {
        (one.fact.account, one.fact.adjustment)
        for one in await books.all_facts(AccountAdjustmentApproved, AccountAdjustmentRejected)
    }
    waiting = [
        *(one for one in await books.facts(ChangeRequested, first=date.min) if one.fact.change not in changes),
        *(
            one
            for one in await books.facts(AccountAdjustmentEntered, first=date.min)
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


async def _of_holds(books: Books, wagered: _Open) -> Identity:
    holds = (await books.amounts(("holds_cents",), first=date.min, last=date.max)).get((), {})
    return Identity(
        "rounds and holds",
        total(figure for figures in wagered.values() for figure in figures.values()),
        holds.get("holds_cents", NOTHING),
        "amounts on hold and in play on accounts equal amounts authorized - released",
    )


UNCLAIMED: Final = Report(
    name="unclaimed",
    title="Unclaimed and unresolved",
    about=(
        "Items that began on or before the gaming day and were open at the time of the report, with their "
        "age: rounds without a result, refused records, shortages, and decisions awaiting a second person; "
        "and, as of the gaming day, dormant accounts and outstanding vouchers. Awards are paid with their "
        "rounds, so there are no awards won and unpaid."
    ),
    sections=(ROUNDS, REFUSED, SHORTAGES, DORMANT, VOUCHERS, DECISIONS),
    sources=(
        *(WagerAuthorized, WagerReleased, RoundCaptured, WagersSettled, WagersReversed, WagersVoided),
        *(AccountCashedOut, AccountAdjustmentEntered, AccountAdjustmentApproved, AccountAdjustmentRejected),
        *(ChangeRequested, ChangeApproved, ChangeRejected, RecordQuarantined),
    ),
    fill=_fill,
    periods=("day",),
    of_days=False,
    signatures=("Casino shift manager", "Revenue audit"),
)
