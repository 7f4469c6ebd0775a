"""The facts that the vigorish ledger publishes: assessments in rounds from a pool, collections and waivers."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final, cast

from loadtest.floor.floor_day import Dealt
from loadtest.traffic.casino import Casino
from loadtest.traffic.journal import DESK, Journal, Published
from shared.contracts import pit
from shared.contracts.envelope import Event, table_source
from shared.contracts.topics import VIGORISH
from shared.contracts.vigorish import (
    AssessedLine,
    Rounding,
    VigorishAssessed,
    VigorishClass,
    VigorishCollection,
    VigorishReturn,
    VigorishSettled,
    VigorishWaiver,
)
from shared.jurisdictions import pack_of_regulation
from shared.rules import Line, catalogue
from shared.rules.submission import select

Assessed = tuple[AssessedLine, ...]
"""The vigorish lines that a round assesses; empty for most rounds."""

_SETTLED: Final[Mapping[type[pit.VigorishOfRound], type[VigorishSettled]]] = {
    pit.CollectedVigorish: VigorishCollection,
    pit.WaivedVigorish: VigorishWaiver,
    pit.ReturnedVigorish: VigorishReturn,
}


class VigorishFacts:
    """Derives the facts of a casino's vigorish ledger, round by round."""

    def __init__(self, where: Casino) -> None:
        """Initialize without facts."""
        assert VIGORISH.publisher is not None
        self._journal = Journal(VIGORISH.publisher)
        self._shard = {plan.name: number % DESK for number, plan in enumerate(where.plans)}
        self._hashes = {one.game: one.hash for one in where.submissions}
        self._rounding = {one.game: _rounding(one) for one in where.submissions}

    def assessed(self, dealt: Dealt, gaming_day: date) -> Assessed:
        """Return the vigorish assessed in a round from a pool, at the legal rate of a gaming day; empty for most."""
        taken = [line for line in dealt.settlement.lines if line.vigorish]
        if not taken:
            return ()
        regulation, rounding = dealt.data.regulation, self._rounding[dealt.data.game]
        rate = pack_of_regulation(regulation).vigorish[regulation].on(gaming_day)
        return tuple(_line(line, rate.value, rate.source, rounding) for line in taken)

    def of_round(self, about: Mapping[str, Any], lines: Assessed, closed_at: datetime, dealer: str) -> Published:
        """Return the message of a round that assesses vigorish."""
        fact = VigorishAssessed.construct_unvalidated(
            {**about, "revision": 1, "closed_at": closed_at, "dealer_id": dealer}
            | {"submission": self._hashes[about["game"]], "lines": lines}
        )
        source = table_source(about["property"], about["table"])
        return self._journal.entry(self._shard[about["table"]], fact, closed_at, source=source)

    def of_tables(self, events: Iterable[Event[Any]]) -> Iterator[Published]:
        """Yield the facts of vigorish collected, waived and returned at the tables."""
        for event in events:
            fact_of = _SETTLED.get(type(event.data))
            if fact_of is not None:
                said = {**dict(event.data), "event": event.id, "at": event.time, "claimed_day": None}
                said |= dict.fromkeys(("sequence", "revision", "correction"))
                shard = self._shard[event.data.table]
                yield self._journal.entry(shard, fact_of.construct_unvalidated(said), event.time, source=event.source)


def _rounding(approved: Any) -> Rounding:
    options = select(catalogue(approved.regulation), approved.submission).options
    return cast("Rounding", options.get("vigorish_rounding") or "none")


def _line(line: Line, rate: str, source: str, rounding: Rounding) -> AssessedLine:
    exact = line.payout * Fraction(rate)
    cents = int(exact) if rounding == "none" else -(-exact // 25) * 25
    return AssessedLine(
        seat=line.seat,
        wager=line.wager,
        hand=line.hand,
        owed_by=_owed_by(line),
        stake_cents=line.stake,
        base_cents=line.payout,
        rate=rate,
        rounding=rounding,
        cents=line.vigorish,
        paragraph=line.paragraph,
        rate_paragraph=source,
        agrees=line.vigorish == cents,
    )


def _owed_by(line: Line) -> VigorishClass:
    if line.wager == "bank":
        return "bank" if line.house_share is None else "co_bank"
    return "player_against_bank" if line.paid_by == "bank" else "player"
