"""The effects of a settled round on pools. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from services.progressive_meters.domain.pools import Delta, Moved, Pool, move_by_round
from shared.contracts.exact import exact_text, nanocents, share, shown
from shared.contracts.meters import Hit, MeterOfRound, MeterReading, PoolTerms
from shared.contracts.settlement_views import PostedRound, ReversedRound
from shared.contracts.submissions import SubmissionApproved
from shared.contracts.wager_totals import WagerTotals
from shared.rules import Line
from shared.rules.catalogue import catalogue
from shared.rules.errors import Refused
from shared.rules.submission import select


@dataclass(frozen=True, slots=True)
class Terms:
    """A meter's terms in a rules submission: its contribution rates and its reset amount in cents."""

    regulation: str
    meter: str
    rate: Fraction
    reserve_rate: Fraction | None
    reset_cents: int

    def takes(self, wager: str) -> bool:
        """Return whether a wager feeds the meter: its name is the meter's, or begins with the meter's name and `_`.

        >>> five_card = Terms("pa-645a-2011", "five_card_hand_bonus", Fraction("0.2"), None, 1000000)
        >>> five_card.takes("five_card_hand_bonus_dealer"), five_card.takes("ante")
        (True, False)
        """
        return wager == self.meter or wager.startswith(f"{self.meter}_")

    @property
    def rates(self) -> tuple[str, str | None]:
        """Return the rate and the reserve rate as decimal text; None without a reserve."""
        reserve = None if self.reserve_rate is None else exact_text(share(1, self.reserve_rate))
        return exact_text(share(1, self.rate)), reserve


def meters_of(approved: SubmissionApproved) -> tuple[Terms, ...]:
    """Return the terms of all meters that a submission offers. Raises: Refused if its selections are not allowed."""
    offers = select(catalogue(approved.regulation), approved.submission).offers
    return tuple(
        Terms(
            regulation=approved.regulation,
            meter=name,
            rate=Fraction(offer.meter.rate),
            reserve_rate=None if offer.meter.reserve_rate is None else Fraction(offer.meter.reserve_rate),
            reset_cents=offer.meter.reset,
        )
        for name, offer in offers.items()
        if offer.meter is not None
    )


@dataclass(frozen=True, slots=True)
class Played:
    """A settled round's figures for one meter. Cents; `settled_cents` is the contribution of the settlement."""

    in_count: int
    in_cents: int
    settled_cents: int
    reset_cents: int
    hits: tuple[Hit, ...]
    reading: MeterReading | None

    @property
    def award_cents(self) -> int:
        """Return the amount awarded from the meter, in cents."""
        return sum(hit.cents for hit in self.hits)


def played(data: PostedRound, meters: Sequence[Terms]) -> list[tuple[Terms, Played]]:
    """Return a round's figures for each meter that it moved.

    Raises: Refused if an award came from a meter that the submission does not have.
    """
    found: list[tuple[Terms, Played]] = []
    awarded = 0
    for terms in meters:
        one = _played(data, terms)
        awarded += one.award_cents
        if one.in_cents or one.award_cents or one.reset_cents or one.settled_cents:
            found.append((terms, one))
    paid = sum(total.meter_payout_cents for total in data.totals)
    if awarded != paid:
        raise Refused(
            f"round {data.round_id}: {paid} cents came off meters, of which {awarded} are of meters that its rules "
            f"submission has ({', '.join(terms.meter for terms in meters) or 'none'})"
        )
    return found


def _played(data: PostedRound, terms: Terms) -> Played:
    totals = [total for total in data.totals if terms.takes(total.wager)]
    lines = [line for line in data.lines if terms.takes(line.wager)]
    reading = None
    if terms.meter in data.record.meters and terms.meter in data.meters:
        reading = MeterReading(
            before_cents=data.record.meters[terms.meter],
            after_cents=data.meters[terms.meter],
        )
    return Played(
        in_count=sum(_qualified(line) for line in lines),
        in_cents=sum(total.handle_cents for total in totals),
        settled_cents=sum(total.meter_contribution_cents for total in totals),
        reset_cents=sum(total.meter_reset_cents for total in totals),
        hits=tuple(
            Hit(seat=line.seat, wager=line.wager, category=line.category, cents=line.from_meter)
            for line in lines
            if line.from_meter
        ),
        reading=reading,
    )


def _qualified(line: Line) -> bool:
    return line.stake > 0 and line.outcome != "void"


def concerns_meters(data: PostedRound) -> bool:
    """Return whether a round may have moved a meter: its settlement has meters, or totals with meter amounts."""
    return bool(data.meters) or any(_moves_meters(total) for total in data.totals)


def _moves_meters(total: WagerTotals) -> bool:
    return bool(total.meter_contribution_cents or total.meter_payout_cents or total.meter_reset_cents)


def may_have_moved(data: ReversedRound, meters: Sequence[Terms]) -> bool:
    """Return whether a reversed round may have moved one of these meters."""
    return any(
        total.handle_cents or _moves_meters(total)
        for total in data.totals
        if any(terms.takes(total.wager) for terms in meters)
    )


def count_round(
    pool: Pool, version: PoolTerms, terms: Terms, played: Played, *, table: str
) -> tuple[Moved, MeterOfRound]:
    """Add a round's contributions to a pool, deduct its awards, and restore the display after a full award.

    The exact contribution is rate times stakes. If its whole cents differ from the settlement's, the settlement's cents
    count, and a finding reports that the qualifying wagers were not the expected ones. The limit applies after the
    awards: contributions above it go to the overflow meter. A reset is funded by the reserve if the meter has one.
    Raises: Refused for a contribution above `unreasonable_contribution_cents`.
    """
    findings: list[str] = []
    contribution = share(played.in_cents, terms.rate)
    if shown(contribution) != played.settled_cents:
        findings.append("contribution")
        contribution = nanocents(played.settled_cents)
    most = version.unreasonable_contribution_cents
    if most is not None and contribution > nanocents(most):
        raise Refused(
            f"meter '{terms.meter}' {exact_text(contribution)} cents: pool {pool.name} takes {most} cents from a round "
            "at most; find out what happened, then dismiss this record, or raise the amount and replay it"
        )
    if played.reset_cents and terms.reset_cents != version.reset_cents:
        findings.append("reset")
    reset = nanocents(played.reset_cents)
    over = 0
    if version.limit_cents is not None:
        display = pool.display + contribution + reset - nanocents(played.award_cents)
        over = min(max(display - nanocents(version.limit_cents), 0), contribution)
    delta = Delta(
        in_count=played.in_count,
        in_cents=played.in_cents,
        contribution=contribution - over,
        reserved=share(played.in_cents, terms.reserve_rate or Fraction(0)),
        overflow=over,
        award_cents=played.award_cents,
        hits=len(played.hits),
        reset=reset,
        reserve_used=reset if terms.reserve_rate else 0,
    )
    moved = move_by_round(pool, delta, table=table)
    rate, reserve_rate = terms.rates
    document = MeterOfRound(
        meter=terms.meter,
        rate=rate,
        reserve_rate=reserve_rate,
        settled_cents=played.settled_cents,
        reading=played.reading,
        hits=played.hits,
        findings=tuple(findings),
        movement=moved.movement,
    )
    return moved, document
