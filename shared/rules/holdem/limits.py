"""The payout limit for one hand, § 647a.12(c)."""

from dataclasses import replace

from shared.rules.line import Line


def limit_payouts(lines: list[Line], start: int, limit: int, paragraph: str) -> None:
    """Reduce the payouts of `lines[start:]` in place to a total of `limit` cents.

    The limit is used up in the order of the lines, which is the order of settlement. Stakes are returned in any case.
    """
    if sum([entry.payout for entry in lines[start:]]) <= limit:
        return
    left = limit
    for place in range(start, len(lines)):
        entry = lines[place]
        if entry.payout > left:
            lines[place] = replace(entry, payout=left, paragraph=paragraph)
        left -= lines[place].payout
