"""The payout limit for one hand, § 647a.12(c)."""

from dataclasses import replace

from shared.rules.line import Line


def limit_payouts(lines: list[Line], start: int, limit: int, paragraph: str) -> None:
    """Cut the payouts of the lines from position `start` on to a total of `limit` cents, in place.

    The limit is used up in the order of the lines, which is that of the settlement; stakes are returned in any case.
    """
    if sum([entry.payout for entry in lines[start:]]) <= limit:
        return
    left = limit
    for place in range(start, len(lines)):
        entry = lines[place]
        if entry.payout > left:
            lines[place] = replace(entry, payout=left, paragraph=paragraph)
        left -= lines[place].payout
