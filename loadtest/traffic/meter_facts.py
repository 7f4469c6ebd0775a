"""The facts that the progressive meters publish for a casino: pools, rounds that affect meters, reconciled days.

Consecutive rounds from a pool of rounds do not have consecutive meter readings. The facts therefore omit the tables'
readings, and count contributions and awards from each progressive pool's own base, so that the ledger is consistent.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from hashlib import sha256
from typing import Any, Final

from loadtest.floor.books import wagered
from loadtest.floor.floor_day import Dealt, initial_meters, opening
from loadtest.floor.game import TablePlan
from loadtest.floor.links import pool_of
from loadtest.traffic.casino import Casino
from loadtest.traffic.journal import DESK, Journal, Published
from shared.contracts.envelope import as_json, canonical, table_source
from shared.contracts.exact import exact_text, nanocents, share, shown
from shared.contracts.meters import (
    DayReconciled,
    Feed,
    Hit,
    MeterOfRound,
    MeterRoundCounted,
    Movement,
    PoolApproved,
    PoolDay,
    PoolFiled,
    PoolTerms,
)
from shared.contracts.topics import METERS
from shared.contracts.versions import fields_of, version_hash
from shared.rules import catalogue
from shared.rules.submission import select

CLERK, MANAGER, AUDITOR = "demo.meter_clerk", "demo.meter_manager", "demo.meter_auditor"

_FILED: Final = timedelta(hours=2)
"""How long before the first gaming day the pools are filed."""


_NOTHING: Final = {
    f"{name}_cents": "0"
    for name in (
        *("transfer", "released", "difference", "reserve_opening", "reserved", "reserve_used", "reserve_closing"),
        *("overflow_opening", "overflow", "overflow_closing"),
    )
}
"""The amounts of a pool's day that are always zero on this floor."""


@dataclass(frozen=True, slots=True)
class OnMeter:
    """The effect of a round on a meter: wagers in cents, contribution in nanocents, and awards (`hits`)."""

    meter: str
    rate: str
    in_count: int
    in_cents: int
    settled_cents: int
    contribution: int
    reset_cents: int
    hits: tuple[Hit, ...]
    findings: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Pool:
    """A progressive pool: its last movement's number, its display in nanocents, and the current day's counts."""

    name: str
    number: int = 0
    display: int = 0
    opening: int = 0
    seed: int = 0
    contribution: int = 0
    reset: int = 0
    award_cents: int = 0
    in_count: int = 0
    in_cents: int = 0
    hits: int = 0


class MeterFacts:
    """Derives the facts of a casino's meters, round by round."""

    def __init__(self, where: Casino) -> None:
        """Initialize without pools."""
        assert METERS.publisher is not None
        self._journal = Journal(METERS.publisher)
        self._property = where.property.property
        self._shard = {plan.name: number % DESK for number, plan in enumerate(where.plans)}
        self._plans = {plan.name: plan for plan in where.plans}
        self._hashes = {one.game: one.hash for one in where.submissions}
        self._terms = {plan.game: _terms(plan) for plan in where.plans}
        self._pools: dict[str, _Pool] = {}

    def open_pools(self, gaming_day: date) -> Iterator[Published]:
        """Yield the facts that open the pools of all tables, each filed by one person and approved by another."""
        feeds: dict[str, list[tuple[TablePlan, str, int]]] = {}
        for plan in self._plans.values():
            for meter, reset_cents in initial_meters(plan).items():
                feeds.setdefault(pool_of(plan, meter), []).append((plan, meter, reset_cents))
        for name, fed in feeds.items():
            yield from self._open(name, fed, gaming_day)

    def _open(self, name: str, fed: Sequence[tuple[TablePlan, str, int]], gaming_day: date) -> Iterator[Published]:
        base_cents, filed_at = fed[0][2], opening(gaming_day) - _FILED
        terms = PoolTerms(
            property=self._property,
            pool=name,
            feeds=tuple(Feed(table=plan.name, game=plan.game, meter=meter) for plan, meter, _ in fed),
            effective_from=opening(gaming_day),
            gaming_day=gaming_day,
            base_cents=base_cents,
            reset_cents=base_cents,
            reason="opening of the pit",
        )
        filing: dict[str, Any] = dict(terms) | {"version": 1, "hash": version_hash(terms, PoolTerms, 1)}
        filed = PoolFiled(**filing, filed_by=CLERK, filed_at=filed_at)
        yield self._journal.at_desk(filed, filed_at)
        seed = nanocents(base_cents)
        pool = self._pools[name] = _Pool(name, number=1, display=seed, seed=seed)
        movement = Movement(**_after(pool), seed_cents=exact_text(seed))
        approved_at = filed_at + timedelta(hours=1)
        decision: dict[str, Any] = {"approved_by": MANAGER, "approved_at": approved_at, "movement": movement}
        yield self._journal.at_desk(PoolApproved(**fields_of(filed, PoolFiled), **decision), approved_at)

    def counted(self, dealt: Dealt) -> tuple[OnMeter, ...]:
        """Return the effects on meters of a round from a pool of rounds; empty for most rounds."""
        terms = self._terms[dealt.data.game]
        return tuple(one for meter, rate in terms.items() if (one := _on_meter(dealt, meter, rate)) is not None)

    def of_round(
        self, about: Mapping[str, Any], found: Sequence[OnMeter], opened_at: datetime, closed_at: datetime
    ) -> Published:
        """Return the message of a round that affects meters."""
        plan = self._plans[about["table"]]
        fact = MeterRoundCounted.construct_unvalidated(
            {**about, "revision": 1, "opened_at": opened_at, "closed_at": closed_at, "at": closed_at}
            | {"submission": self._hashes[plan.game], "meters": tuple(self._count(plan, one) for one in found)}
        )
        source = table_source(self._property, plan.name)
        return self._journal.entry(self._shard[plan.name], fact, closed_at, source=source)

    def _count(self, plan: TablePlan, one: OnMeter) -> MeterOfRound:
        pool = self._pools[pool_of(plan, one.meter)]
        award_cents, reset = sum(hit.cents for hit in one.hits), nanocents(one.reset_cents)
        pool = self._pools[pool.name] = replace(
            pool,
            number=pool.number + 1,
            display=pool.display + one.contribution + reset - nanocents(award_cents),
            contribution=pool.contribution + one.contribution,
            reset=pool.reset + reset,
            award_cents=pool.award_cents + award_cents,
            in_count=pool.in_count + one.in_count,
            in_cents=pool.in_cents + one.in_cents,
            hits=pool.hits + len(one.hits),
        )
        movement = Movement(
            **_after(pool),
            in_count=one.in_count,
            in_cents=one.in_cents,
            contribution_cents=exact_text(one.contribution),
            award_cents=award_cents,
            hits=len(one.hits),
            reset_cents=exact_text(reset),
        )
        settled = {"settled_cents": one.settled_cents, "hits": one.hits, "findings": one.findings}
        return MeterOfRound(meter=one.meter, rate=one.rate, **settled, movement=movement)

    def reconcile(self, gaming_day: date, at: datetime) -> Published:
        """Return the message that reconciles a day after its last round, and begin the next day."""
        pools = tuple(_of_day(pool) for _, pool in sorted(self._pools.items()))
        fact = DayReconciled(
            property=self._property,
            gaming_day=gaming_day,
            balanced=True,
            exceptions=0,
            input_open=0,
            liability_cents=sum(pool.liability_cents for pool in pools),
            pools=pools,
            rows_sha256=sha256(canonical([as_json(pool) for pool in pools])).hexdigest(),
            reason="end of the gaming day",
            reconciled_by=AUDITOR,
            reconciled_at=at,
        )
        for name, pool in self._pools.items():
            self._pools[name] = _Pool(name, number=pool.number, display=pool.display, opening=pool.display)
        return self._journal.at_desk(fact, at)


def _terms(plan: TablePlan) -> Mapping[str, Fraction]:
    """Return the contribution rates of a table's meters, by meter."""
    offers = select(catalogue(plan.regulation), plan.submission).offers
    return {name: Fraction(offer.meter.rate) for name, offer in offers.items() if offer.meter is not None}


def _on_meter(dealt: Dealt, meter: str, rate: Fraction) -> OnMeter | None:
    def takes(wager: str) -> bool:
        return wager == meter or wager.startswith(f"{meter}_")

    figures = [one for wager, one in wagered(dealt.settlement).items() if takes(wager)]
    lines = [line for line in dealt.settlement.lines if takes(line.wager)]
    in_cents = sum(one.handle for one in figures)
    settled_cents = sum(one.meter_contribution for one in figures)
    reset_cents = sum(one.meter_reset for one in figures)
    hits = tuple(
        Hit(seat=line.seat, wager=line.wager, category=line.category, cents=line.from_meter)
        for line in lines
        if line.from_meter
    )
    if not (in_cents or settled_cents or reset_cents or hits):
        return None
    contribution = share(in_cents, rate)
    agrees = shown(contribution) == settled_cents
    return OnMeter(
        meter=meter,
        rate=exact_text(share(1, rate)),
        in_count=sum(line.stake > 0 and line.outcome != "void" for line in lines),
        in_cents=in_cents,
        settled_cents=settled_cents,
        contribution=contribution if agrees else nanocents(settled_cents),
        reset_cents=reset_cents,
        hits=hits,
        findings=() if agrees else ("contribution",),
    )


def _after(pool: _Pool) -> dict[str, Any]:
    """Return the fields of a meter movement that describe the pool after the movement."""
    meters = {"display_cents": exact_text(pool.display), "reserve_cents": "0", "overflowed_cents": "0"}
    return {"pool": pool.name, "number": pool.number, **meters, "shown_cents": shown(pool.display)}


def _of_day(pool: _Pool) -> PoolDay:
    return PoolDay(
        pool=pool.name,
        opening_cents=exact_text(pool.opening),
        seed_cents=exact_text(pool.seed),
        contribution_cents=exact_text(pool.contribution),
        award_cents=pool.award_cents,
        reset_cents=exact_text(pool.reset),
        closing_cents=exact_text(pool.display),
        shown_cents=shown(pool.display),
        in_count=pool.in_count,
        in_cents=pool.in_cents,
        hits=pool.hits,
        readings=0,
        readings_different=0,
        liability_cents=shown(pool.display),
        **_NOTHING,
    )
