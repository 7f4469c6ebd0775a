"""The payout limit, § 633a.13(o) (2024) and § 633a.13(j) (2011)."""

from collections.abc import Sequence
from dataclasses import replace

from shared.rules.line import Line


def limit_payouts(lines: list[Line], limited: Sequence[int], limit: int, paragraph: str) -> None:
    """Reduce the payouts of the `limited` lines (indexes of `lines`) in place to a total of `limit` cents.

    If full odds exceed the limit, the players share the limit in proportion to their wagers. Stakes are returned in any
    case. Interpretation: one limit covers the top hands of the Twenty Point Bonus and of King's Bounty together, and
    nothing else.
    """
    if sum(lines[place].payout for place in limited) <= limit:
        return
    wagered = sum(lines[place].stake for place in limited)
    for place in limited:
        line = lines[place]
        lines[place] = replace(line, payout=limit * line.stake // wagered, paragraph=paragraph)
