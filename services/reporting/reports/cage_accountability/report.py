"""Cage accountability: each location's movements and counts, which must agree, and chips outstanding."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date
from itertools import pairwise
from typing import Final, get_args

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Filled, Identity, Mark, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, Value, total
from services.reporting.read_model.cage_locations import OwnChips, last_counts
from services.reporting.read_model.own_chips import lying
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.cage_accountability.sections import (
    COUNTER_CHECKS,
    COUNTS,
    FLOAT,
    HOLDINGS,
    LOCATIONS,
    OTHERS,
    TRANSFERS,
)
from services.reporting.reports.common.cells import require_whole, total_of
from services.reporting.reports.common.credit_flows import change_in, change_of, credit_flows
from services.reporting.reports.counter_checks.checks_on_hand import STEPS, left_after, left_before
from shared.contracts.accounts import AccountBoughtIn, AccountCashedOut
from shared.contracts.cage_locations import (
    CAGE,
    WITHOUT_VALUE,
    CageCountVerified,
    CageTransferIssued,
    CageTransferReceived,
    CageTransferReturned,
    HeldCause,
    HeldPieces,
    held_words,
    money_of,
)
from shared.contracts.chips_in_service import ChipsInServiceApproved
from shared.contracts.counts import CountConcluded
from shared.contracts.inventory import PitRecorded
from shared.contracts.win import WinStated

_Row = dict[str, Value | Figure | Cell]
_MOVES: Final = tuple(cause for cause in get_args(HeldCause) if cause not in ("brought_forward", "over_short"))


async def _fill(books: Books) -> Content:
    require_whole(books, "the cage is of a property")
    counts = await books.facts(CageCountVerified)
    by_location: dict[str, list[Listed]] = defaultdict(list)
    for one in sorted(counts, key=lambda one: one.fact.count):
        by_location[one.fact.location].append(one)
    last = await last_counts(books)
    locations = _locations(books, by_location, last)
    before = await left_before(books)
    checks = await _counter_checks(books, before)
    stated = await _stated(books)
    chips = await _float(books, stated)
    sections = (
        locations,
        _counts(by_location),
        await _transfers(books),
        _holdings(last),
        chips,
        checks,
        await _others(books, last),
    )
    moved = total(total_of(locations, f"{cause}_cents") for cause in (*_MOVES, "brought_forward", "over_short"))
    followed = [pair for found in by_location.values() for pair in pairwise(found)]
    return Content(
        sections,
        (
            Identity(
                "cage",
                total_of(locations, "before_cents") + moved,
                total_of(locations, "counted_cents"),
                "counted before + received - given out, with over and short, equals counted",
            ),
            Identity(
                "counts follow each other",
                total(_of(one, one.fact.counted_cents) for one, _ in followed),
                total(_of(one, one.fact.before_cents or 0) for _, one in followed),
                "the opening balance of each count is what the previous count at that location found",
            ),
            Identity(
                "counter checks",
                before + change_in(checks),
                await left_after(books, books.question.last),
                "owed before + issued + returned unpaid - paid - deposited - written off equals owed at the end",
            ),
            *(_beyond_service(chips) if stated else ()),
        ),
        () if stated else (_NOT_STATED,),
    )


_NOT_STATED: Final = Mark(
    "chips in service before the books began",
    "docs/cage.md",
    (
        "no statement is in effect for this gaming day, so the chips outstanding are unknown: enter the chips "
        "in service, with their source"
    ),
    ("float/outstanding", "float/outstanding_cents"),
)


async def _stated(books: Books) -> Listed | None:
    """Return the approved statement of chips in service for the last queried gaming day; None if there is none.

    A statement is in effect from its own gaming day until the gaming day of the next statement.
    """
    return max(
        await books.facts(ChipsInServiceApproved, first=date.min), key=lambda one: one.fact.revision, default=None
    )


def _beyond_service(chips: Filled) -> Iterator[Identity]:
    outstanding = (row["outstanding"] for row in chips.given)
    beyond = total(-one for one in outstanding if isinstance(one, Figure) and one.value < 0)
    says = "chips at the cage, at tables and in transit do not exceed the chips in service"
    yield Identity("chips in service", beyond, NOTHING, says, unit="count")


def _of(listed: Listed, cents: int) -> Figure:
    return Figure(cents, (listed.entry,))


def _locations(books: Books, by_location: Mapping[str, Sequence[Listed]], last: Iterable[Listed]) -> Filled:
    """Return the section of locations: those in use, and retired ones that were counted or had contents."""
    kinds = {CAGE: "cage", **{one.location: one.kind for one in books.place.document.cage_locations}}
    used = books.place.cage_locations_on(books.question.last)
    left = {one.fact.location for one in last if one.fact.contents}
    rows: list[_Row] = []
    for name in sorted({CAGE, *used, *by_location, *left}, key=lambda name: (name != CAGE, name)):
        found = by_location.get(name, ())
        row: _Row = {"location": name, "kind": kinds.get(name), "counts": len(found)}
        if found:
            row |= _counted(found)
        rows.append(row)
    return fill(LOCATIONS, rows)


def _counted(found: Sequence[Listed]) -> _Row:
    first, last = found[0], found[-1]
    moves = {
        f"{cause}_cents": total(_of(one, one.fact.flows.get(cause, 0)) for one in found if cause in one.fact.flows)
        for cause in _MOVES
    }
    begun = [one for one in found if one.fact.before_cents is None]
    imprest_cents = last.fact.imprest_cents
    return {
        **moves,
        "before_cents": _of(first, first.fact.before_cents or 0),
        "brought_forward_cents": total(
            _of(one, one.fact.counted_cents - sum(one.fact.flows.values())) for one in begun
        ),
        "over_short_cents": total(_of(one, one.fact.over_short_cents) for one in found),
        "counted_cents": _of(last, last.fact.counted_cents),
        "to_imprest_cents": None if imprest_cents is None else _of(last, last.fact.counted_cents - imprest_cents),
        "counted_at": last.fact.counted_at,
    }


def _counts(by_location: Mapping[str, Sequence[Listed]]) -> Filled:
    rows: list[_Row] = [
        {
            "count": str(one.fact.count),
            "gaming_day": one.fact.gaming_day,
            "location": one.fact.location,
            "counted_at": one.fact.counted_at,
            "expected_cents": _of(one, one.fact.counted_cents - one.fact.over_short_cents),
            "counted_cents": _of(one, one.fact.counted_cents),
            "over_short_cents": _of(one, one.fact.over_short_cents),
            "cashier": one.fact.cashier,
            "next_cashier": one.fact.next_cashier,
            "reason": one.fact.over_short_reason,
            "counted_by": one.fact.counted_by,
            "verified_by": one.fact.verified_by,
        }
        for found in by_location.values()
        for one in found
    ]
    return fill(COUNTS, sorted(rows, key=lambda row: int(str(row["count"]))))


async def _transfers(books: Books) -> Filled:
    under_way = await books.amounts(("cage_transit_cents",), ("item",), first=date.min)
    steps = await books.facts(CageTransferIssued, CageTransferReceived, CageTransferReturned)
    older = [item for (item,) in under_way if item not in {str(one.fact.transfer) for one in steps}]
    if older:
        issued = await books.facts(CageTransferIssued, first=date.min)
        steps = [*(one for one in issued if str(one.fact.transfer) in older), *steps]
    by_number: dict[int, Listed] = {one.fact.transfer: one for one in steps}  # the last step of each
    return fill(TRANSFERS, [_transfer(one) for _, one in sorted(by_number.items())])


def _transfer(step: Listed) -> _Row:
    fact = step.fact
    row: _Row = {
        "transfer": str(fact.transfer),
        "giver": fact.giver,
        "receiver": fact.receiver,
        "what": _what(fact.contents),
        "cents": _of(step, money_of(fact.contents)),
        "status": "issued",
        "issued_by": fact.issued_by,
        "issued_at": fact.issued_at,
    }
    match fact:
        case CageTransferReceived():
            return row | {"status": "received", "ended_by": fact.received_by, "ended_at": fact.received_at}
        case CageTransferReturned():
            ended: _Row = {"ended_by": fact.returned_by, "ended_at": fact.returned_at, "reason": fact.return_reason}
            return row | {"status": "returned"} | ended
    return row


def _what(contents: Iterable[HeldPieces]) -> str:
    return "; ".join(
        held_words(one.kind, one.cents, one.count)
        for one in sorted(contents, key=lambda one: (one.kind, -one.cents, one.of))
    )


def _holdings(last: Iterable[Listed]) -> Filled:
    rows: list[_Row] = []
    for one in last:
        for pieces in sorted(one.fact.contents, key=lambda pieces: (pieces.kind, -pieces.cents, pieces.of)):
            is_money = pieces.kind not in WITHOUT_VALUE
            rows.append(
                {
                    "location": one.fact.location,
                    "kind": pieces.kind,
                    "of": pieces.chip_set or pieces.issuer,
                    "piece": pieces.piece,
                    "each_cents": pieces.cents,
                    "pieces": _of(one, pieces.count),
                    "value_cents": _of(one, pieces.cents * pieces.count) if is_money else None,
                    "counted_at": one.fact.counted_at,
                }
            )
    return fill(HOLDINGS, rows)


async def _float(books: Books, stated: Listed | None) -> Filled:
    """Return the section of the property's chips; without a `stated` number in service, outstanding is empty."""
    first = date.min if stated is None else stated.fact.gaming_day
    put_in = await books.amounts(("chips_in_service",), ("item",), first=first)
    under_way = await books.amounts(("chips_in_transit",), ("item",), first=date.min)
    served = {OwnChips.of_item(item): found["chips_in_service"] for (item,), found in put_in.items()}
    passed = {OwnChips.of_item(item): found["chips_in_transit"] for (item,), found in under_way.items()}
    brought = {OwnChips.of(one): _of(stated, one.count) for one in stated.fact.contents} if stated else {}
    lie = await lying(books)
    rows: list[_Row] = []
    for chips in sorted({*served, *passed, *brought, *lie.at_cage, *lie.at_tables, *lie.on_slips}):
        cage, tables = lie.at_cage.get(chips, NOTHING), lie.at_tables.get(chips, NOTHING)
        in_transit = passed.get(chips, NOTHING) + lie.on_slips.get(chips, NOTHING)
        row: _Row = {
            "chip_set": chips.chip_set or None,
            "piece": chips.piece,
            "each_cents": chips.cents,
            "put_in": served.get(chips, NOTHING),
            "at_cage": cage,
            "at_tables": tables,
            "in_transit": in_transit,
        }
        if stated is not None:
            before = brought.get(chips, NOTHING)
            in_service = before + served.get(chips, NOTHING)
            outstanding = in_service - cage - tables - in_transit
            row |= {"brought_forward": before, "in_service": in_service, "outstanding": outstanding}
            row["outstanding_cents"] = outstanding * chips.cents
        rows.append(row)
    return fill(FLOAT, rows)


async def _counter_checks(books: Books, before: Figure) -> Filled:
    flows: dict[str, Figure] = {}
    for of_day in (await credit_flows(books)).values():
        for name, figure in of_day.items():
            flows[name] = flows.get(name, NOTHING) + figure
    row: _Row = {"through": books.question.last, "opening_cents": before, "closing_cents": before + change_of(flows)}
    return fill(COUNTER_CHECKS, [row | flows])


async def _others(books: Books, last: Iterable[Listed]) -> Filled:
    sums = (await books.amounts(("fills_cents", "credits_cents", "boxes_money_cents"), first=date.min)).get((), {})
    fills, credits_, drop = (sums.get(name, NOTHING) for name in ("fills_cents", "credits_cents", "boxes_money_cents"))
    cash = (await books.amounts(("bought_in_cents", "cashed_out_cents"), ("item",), first=date.min)).get(("cash",), {})
    accounts = cash.get("bought_in_cents", NOTHING) - cash.get("cashed_out_cents", NOTHING)
    outside = await books.amounts(("outside_cents",), ("item",), first=date.min)
    of_cage = next((one for one in last if one.fact.location == CAGE), None)
    theirs = {"tables": fills - credits_, "count room": drop, "accounts": accounts}
    given = {
        "tables": NOTHING if of_cage is None else _of(of_cage, -_with_tables(of_cage.fact.book)),
        "count room": outside.get(("count_room",), {}).get("outside_cents", NOTHING),
        "accounts": outside.get(("accounts",), {}).get("outside_cents", NOTHING),
    }
    rows: list[_Row] = [
        {"of": name, "theirs_cents": found, "cage_cents": given[name], "between_cents": found - given[name]}
        for name, found in theirs.items()
    ]
    return fill(OTHERS, rows)


def _with_tables(book: Mapping[HeldCause, int]) -> int:
    return book.get("to_tables", 0) + book.get("from_tables", 0)


CAGE_ACCOUNTABILITY: Final = Report(
    name="cage-accountability",
    title="Cage accountability",
    about=(
        "The contents of each location of the cage at the last count before the period, receipts and payments "
        "since, and the counts of the period: over and short by cashier, transfers, chips outstanding by "
        "denomination, counter checks owed by patrons, and a comparison with the books of the tables, the "
        "count room and the accounts."
    ),
    sections=(LOCATIONS, COUNTS, TRANSFERS, HOLDINGS, FLOAT, COUNTER_CHECKS, OTHERS),
    sources=(
        *(CageCountVerified, CageTransferIssued, CageTransferReceived, CageTransferReturned),
        *(ChipsInServiceApproved, CountConcluded, WinStated, PitRecorded, AccountBoughtIn, AccountCashedOut),
        *STEPS,
    ),
    fill=_fill,
    periods=("day", "week", "month"),
    signatures=("Cage manager", "Revenue audit", "Controller"),
)
