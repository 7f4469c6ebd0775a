"""From a settlement to what it did to meters. Pure."""

from collections.abc import Sequence

from services.progressive_meters.domain import Played, Terms
from services.progressive_meters.events import PostedRound, ReversedRound, SettledLine
from shared.contracts.meters import Hit, MeterReading
from shared.rules.errors import Refused


def played(data: PostedRound, meters: Sequence[Terms]) -> list[tuple[Terms, Played]]:
    """What a round says of each meter on which something was wagered or from which something was paid.

    Raises: Refused where an award came off a meter that the submission does not have.
    """
    found: list[tuple[Terms, Played]] = []
    awarded = 0
    for terms in meters:
        one = _played(data, terms)
        awarded += one.award_cents
        if one.in_cents or one.award_cents or one.reset_cents or one.settled_cents:
            found.append((terms, one))
    paid = sum(total.meter_payout for total in data.totals)
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
        in_cents=sum(total.handle for total in totals),
        settled_cents=sum(total.meter_contribution for total in totals),
        reset_cents=sum(total.meter_reset for total in totals),
        hits=tuple(
            Hit(seat=line.seat, wager=line.wager, category=line.category, cents=line.from_meter)
            for line in lines
            if line.from_meter
        ),
        reading=reading,
    )


def _qualified(line: SettledLine) -> bool:
    return line.stake > 0 and line.outcome != "void"


def concerns_meters(data: PostedRound) -> bool:
    """Whether a round can have moved a meter: those that could are in its settlement with what they show."""
    return bool(data.meters) or any(
        total.meter_contribution or total.meter_payout or total.meter_reset for total in data.totals
    )


def may_have_moved(data: ReversedRound, meters: Sequence[Terms]) -> bool:
    """Whether the round that is taken back can have moved a meter, for all that is known of its game's submissions."""
    return any(
        total.handle or total.meter_contribution or total.meter_payout or total.meter_reset
        for total in data.totals
        if any(terms.takes(total.wager) for terms in meters)
    )
