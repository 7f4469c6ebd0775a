"""The tips pool of a gaming day. A day is in at most one pool, even if the property's versions change. Pure."""

from collections.abc import Collection
from datetime import date, timedelta
from typing import Final, NamedTuple

from shared.contracts.properties import TipsPool
from shared.contracts.property_snapshot import PropertySnapshot, place_of_day
from shared.jurisdictions import period_of

_DAY: Final = timedelta(days=1)


class PoolDays(NamedTuple):
    """The first and the last gaming day of a tips pool, and its rules of sharing."""

    first_day: date
    last_day: date
    rules: TipsPool

    def has(self, day: date) -> bool:
        """Return whether a gaming day is in the pool."""
        return self.first_day <= day <= self.last_day


def pool_of(versions: Collection[PropertySnapshot], approved: Collection[PoolDays], day: date) -> PoolDays | None:
    """Return the tips pool of a gaming day, or None if the property shares no tips on it.

    `versions` are the property's versions. `approved` are the pools whose hours were approved: they keep their days and
    rules, even if a version filed later has other rules. Any other pool is a run of consecutive days, none of them in
    an approved pool, that the rules in effect on each day assign to the same day or week. A change of these rules
    within a week therefore may end one pool and begin another. A pool is shared by the rules of its last day.
    """
    held = next((pool for pool in approved if pool.has(day)), None)
    if held is not None:
        return held

    def rules_on(one: date) -> tuple[TipsPool, tuple[date, date]] | None:
        place = place_of_day(versions, one)
        rules = None if place is None else place.document.tips_pool
        if place is None or rules is None or any(pool.has(one) for pool in approved):
            return None
        return rules, period_of(place.law, rules.period, one)

    said = rules_on(day)
    if said is None:
        return None
    rules, period = said
    first = last = day
    while first > period[0] and (before := rules_on(first - _DAY)) is not None and before[1] == period:
        first -= _DAY
    while last < period[1] and (after := rules_on(last + _DAY)) is not None and after[1] == period:
        last += _DAY
        rules = after[0]
    return PoolDays(first, last, rules)
