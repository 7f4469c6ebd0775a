"""Progressive reconciliation: each pool's movements with their sources, awards, changes and reconciliations."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Filled, Identity, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, Value, stated, total
from services.reporting.read_model.meters import MEASURES, ON_DISPLAY
from services.reporting.read_model.reading import Books, Listed
from services.reporting.reports.common.cells import as_displayed, as_shown, entry_cell, exact, in_nanocents, sum_of
from services.reporting.reports.progressives.sections import CHANGES, CONTRIBUTIONS, FINDINGS, HITS, POOLS, RECONCILED
from shared.contracts.meters import (
    ChangeApproved,
    ChangeRejected,
    ChangeRequested,
    DayReconciled,
    MeterRoundCounted,
    PoolApproved,
    RoundTakenBack,
)
from shared.contracts.settlements import SettlementPosted, SettlementReversed

_Row = dict[str, Value | Figure | Cell]
_Measures = Mapping[str, Figure]


async def _fill(books: Books) -> Content:
    moved = await _moved(books)
    at_tables = {
        (pool, table): measures
        for (pool, table), measures in moved.items()
        if table and books.question.game in (None, books.game_of(table))
    }
    tables = _contributions(books, at_tables)
    whole = books.asked(table=None, game=None)
    pools = _pools(await _opening(whole), moved if whole.question == books.question else await _moved(whole))
    return Content(
        (pools, tables, await _hits(books), await _changes(books), await _reconciled(books), await _findings(books)),
        (*await _of_rounds(books, list(at_tables.values())), *await _as_reconciled(whole)),
    )


async def _moved(books: Books) -> dict[tuple[str, ...], dict[str, Figure]]:
    return await books.amounts(MEASURES, ("item", "table_name"))


async def _opening(books: Books) -> dict[str, _Measures]:
    """Return each pool's movements before the first queried day, by pool and measure."""
    before = books.question.first - timedelta(days=1)
    found = await books.amounts(MEASURES, ("item",), first=date.min, last=before)
    return {pool: measures for (pool,), measures in found.items()}


def _display(found: Sequence[_Measures]) -> Figure:
    """Return the net change of the display, in nanocents, from sums of measures."""
    return total(sum_of(found, name) for name in ON_DISPLAY) - in_nanocents(sum_of(found, "meter_award_cents"))


def _difference(found: Sequence[_Measures], plus: str, minus: str) -> Figure:
    return sum_of(found, plus) - sum_of(found, minus)


def _pools(opening: Mapping[str, _Measures], moved: Mapping[tuple[str, ...], _Measures]) -> Filled:
    rows: list[_Row] = []
    for pool in sorted(opening.keys() | {pool for pool, _ in moved}):
        before = [opening[pool]] if pool in opening else []
        during = [measures for (name, _), measures in moved.items() if name == pool]
        closing = _display(before) + _display(during)
        reserve = ("meter_reserved_nanocents", "meter_reserve_used_nanocents")
        overflow = ("meter_overflow_nanocents", "meter_released_nanocents")
        rows.append(
            {
                "pool": pool,
                "opening_cents": exact(_display(before)),
                **_wagers(during),
                **{name: exact(sum_of(during, measure)) for name, measure in _PARTS.items()},
                "closing_cents": exact(closing),
                "shown_cents": as_displayed(closing),
                "reserve_opening_cents": exact(_difference(before, *reserve)),
                "reserve_closing_cents": exact(_difference(before, *reserve) + _difference(during, *reserve)),
                "overflow_opening_cents": exact(_difference(before, *overflow)),
                "overflow_closing_cents": exact(_difference(before, *overflow) + _difference(during, *overflow)),
            }
        )
    return fill(POOLS, rows)


_PARTS: Final[Mapping[str, str]] = {
    name: f"meter_{name.removesuffix('_cents')}_nanocents"
    for name in (
        *("contribution_cents", "reset_cents", "seed_cents", "transfer_cents", "adjusted_cents", "released_cents"),
        *("reserved_cents", "reserve_used_cents", "overflow_cents"),
    )
}
"""The measure of each exact column of a pool, keyed by column name."""


def _wagers(found: Sequence[_Measures]) -> _Row:
    return {
        "wagers": sum_of(found, "meter_wagers"),
        "wagered_cents": sum_of(found, "meter_wagered_cents"),
        "hits": sum_of(found, "meter_hits"),
        "award_cents": sum_of(found, "meter_award_cents"),
    }


def _contributions(books: Books, at_tables: Mapping[tuple[str, str], _Measures]) -> Filled:
    rows: list[_Row] = []
    for (pool, table), measures in sorted(at_tables.items(), key=lambda one: one[0]):
        found = [measures]
        increments = sum_of(found, "meter_contribution_nanocents") + sum_of(found, "meter_overflow_nanocents")
        settled = sum_of(found, "meter_settled_cents")
        rows.append(
            {
                "pool": pool,
                "table": table,
                "game": books.game_of(table),
                **_wagers(found),
                "reserved_cents": exact(sum_of(found, "meter_reserved_nanocents")),
                "overflow_cents": exact(sum_of(found, "meter_overflow_nanocents")),
                "increment_cents": exact(increments),
                "settled_cents": settled,
                "difference_cents": exact(increments - in_nanocents(settled)),
                "reset_cents": exact(sum_of(found, "meter_reset_nanocents")),
            }
        )
    return fill(CONTRIBUTIONS, rows)


async def _hits(books: Books) -> Filled:
    facts = await books.facts(MeterRoundCounted, RoundTakenBack)
    of_game = [one for one in facts if books.question.game in (None, one.fact.game)]
    taken_back = {_revision(one) for one in of_game if isinstance(one.fact, RoundTakenBack)}
    rows: list[_Row] = []
    for one in of_game:
        if not isinstance(one.fact, MeterRoundCounted) or _revision(one) in taken_back:
            continue
        hits = [(meter.movement.pool, hit) for meter in one.fact.meters for hit in meter.hits]
        rows += (
            {
                "gaming_day": one.gaming_day,
                "at": one.fact.closed_at,
                "pool": pool,
                "table": one.fact.table,
                "game": one.fact.game,
                "round_id": one.fact.round_id,
                "seat": hit.seat,
                "wager": hit.wager,
                "category": hit.category,
                "award_cents": Figure(hit.cents, (one.entry,)),
                "entry": entry_cell(one.entry),
                "number": number,
            }
            for number, (pool, hit) in enumerate(hits, 1)
        )
    return fill(HITS, rows)


def _revision(one: Listed) -> tuple[str, str, int]:
    return (one.fact.table, one.fact.round_id, one.fact.revision)


async def _changes(books: Books) -> Filled:
    """Return the section of changes that people requested, each with its decision, even a later day's decision."""
    requested = await books.facts(ChangeRequested, ChangeApproved)
    rejected = {one.fact.change: one for one in await books.all_facts(ChangeRejected)}
    approved = {one.fact.change for one in requested if isinstance(one.fact, ChangeApproved)}
    return fill(CHANGES, (_change(one, rejected) for one in requested if _is_last(one, approved)))


def _is_last(one: Listed, approved: set[int]) -> bool:
    return isinstance(one.fact, ChangeApproved) or one.fact.change not in approved


def _change(one: Listed, rejected: Mapping[int, Listed]) -> _Row:
    fact, because = one.fact, [one.entry]
    row: _Row = {name: getattr(fact, name) for name in ("change", "gaming_day", "kind", "pool", "to", "requested_by")}
    row |= {"status": "requested", "reason": fact.reason}
    if isinstance(fact, ChangeApproved):
        own = [movement for movement in fact.movements if movement.pool == fact.pool]
        row |= {"status": "approved", "decided_by": fact.approved_by, "before_cents": fact.display_before_cents}
        row["after_cents"] = own[-1].display_cents
    elif fact.change in rejected:
        decision = rejected[fact.change]
        row |= {"status": "rejected", "decided_by": decision.fact.rejected_by, "reason": decision.fact.reason}
        because.append(decision.entry)
    cents = None if fact.cents is None else Figure(fact.cents, stated(fact.cents, *because))
    return row | {"cents": cents, "entry": Cell(entry_cell(one.entry).value, tuple(because))}


async def _reconciled(books: Books) -> Filled:
    rows: list[_Row] = []
    for one in await books.facts(DayReconciled):
        said = {"gaming_day": one.gaming_day, "by": one.fact.reconciled_by, "at": one.fact.reconciled_at}
        rows += (
            said
            | {name: getattr(pool, name) for name in _OF_POOL_DAY}
            | {"shown_cents": Figure(pool.shown_cents, (one.entry,)), "entry": entry_cell(one.entry)}
            for pool in one.fact.pools
        )
    return fill(RECONCILED, rows)


_OF_POOL_DAY: Final = (
    *("pool", "closing_cents", "shown_cents", "difference_cents"),
    *("readings", "readings_different", "liability_cents"),
)


async def _findings(books: Books) -> Filled:
    rows: Iterable[_Row] = (
        {
            "gaming_day": one.gaming_day,
            "pool": meter.movement.pool,
            "table": one.fact.table,
            "round_id": one.fact.round_id,
            "rate": meter.rate,
            "wagered_cents": Figure(meter.movement.in_cents, (one.entry,)),
            "settled_cents": Figure(meter.settled_cents, (one.entry,)),
            "findings": ", ".join(meter.findings),
            "entry": entry_cell(one.entry),
        }
        for one in await books.facts(MeterRoundCounted)
        for meter in one.fact.meters
        if meter.findings and books.question.game in (None, one.fact.game)
    )
    return fill(FINDINGS, rows)


# --- what must hold ---


async def _of_rounds(books: Books, at_tables: Sequence[_Measures]) -> tuple[Identity, ...]:
    """Return the identities that contributions, awards and resets of pools equal those in the settlement journal."""
    rounds = (await books.rounds()).get((), {})
    return (
        Identity(
            "contributions",
            sum_of(at_tables, "meter_settled_cents"),
            rounds.get("meter_contribution_cents", NOTHING),
            ("amounts added to pools by tables, in whole cents, and amounts added to meters by the settled rounds"),
        ),
        Identity(
            "awards",
            sum_of(at_tables, "meter_award_cents"),
            rounds.get("meter_payout_cents", NOTHING),
            "awards paid from pools, and awards paid from meters in the settled rounds",
        ),
        Identity(
            "resets",
            as_shown(sum_of(at_tables, "meter_reset_nanocents")),
            rounds.get("meter_reset_cents", NOTHING),
            "amounts that restored pools after awards, and amounts that restored meters in the settled rounds",
        ),
    )


async def _as_reconciled(books: Books) -> tuple[Identity, ...]:
    """Return the identity that the displays equal the reconciled displays, as of the last day's reconciliation."""
    days = [one for one in await books.facts(DayReconciled) if one.gaming_day == books.question.last]
    if not days:
        return ()
    last = days[-1]
    then = books.asked(known_at=last.recorded_at)
    found = await then.amounts(MEASURES, ("item",), first=date.min)
    known = total(as_displayed(_display([measures])) for measures in found.values())
    says = "meter displays at the end of the last day, and displays as reconciled for that day"
    shown = Figure(sum(pool.shown_cents for pool in last.fact.pools), (last.entry,))
    return (Identity("displays as reconciled", known, shown, says),)


PROGRESSIVES: Final = Report(
    name="progressives",
    title="Progressive reconciliation",
    about=(
        "Opening and closing value of every progressive pool, to fractions of a cent, and all movements "
        "between them: contributions by table, hits, resets, and transfers and adjustments with the people "
        "who approved them."
    ),
    sections=(POOLS, CONTRIBUTIONS, HITS, CHANGES, RECONCILED, FINDINGS),
    sources=(
        *(
            PoolApproved,
            MeterRoundCounted,
            RoundTakenBack,
            ChangeRequested,
            ChangeApproved,
            ChangeRejected,
            DayReconciled,
        ),
        *(SettlementPosted, SettlementReversed),
    ),
    fill=_fill,
    signatures=("Table games accounting", "Controller"),
)
