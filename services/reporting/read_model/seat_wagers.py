"""Wagers in settled rounds, by seat and wager type, for seats whose patron may be known. Pure; cents.

Rows are stored for wagers from accounts, because accounts have owners, and for all wagers at tables where a device ties
seats to patrons. A wager belongs to the account that funded it. If it has no stake of its own, it belongs to the
account of its seat, provided that only one account wagered in the seat.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from services.reporting.read_model.rounds import against_house
from shared.contracts.facts import EntryEvent
from shared.contracts.settlement_views import PostedRound, ReversedRound

MONEY: Final = ("handle_cents", "squared", "payout_cents", "funded_cents")
"""Stakes, their squares, payouts including returned stakes, and the part of the stakes taken from the account."""

WAGERED: Final = ("stakes", *MONEY)
"""The figures of a seat's wager: the number of its stakes, and MONEY; all are negative in the reversal of a round."""


def wagers_of_seats(
    event: EntryEvent[Any], data: PostedRound | ReversedRound, *, in_chips: bool
) -> Iterator[dict[str, Any]]:
    """Yield a row for each seat and wager type of a round's wagers from accounts and, with `in_chips`, in chips."""
    funded = {(one.seat, one.wager): one.account for one in data.account_credits}
    if not funded and not in_chips:
        return
    accounts: dict[int, set[str]] = defaultdict(set)
    for (seat, _), owned in funded.items():
        accounts[seat].add(owned)
    taken: dict[tuple[int, str], int] = defaultdict(int)
    for credit in data.account_credits:  # negative already if the round is reversed
        taken[credit.seat, credit.wager] += credit.staked_cents
    sums: dict[tuple[int, str], list[int]] = {}
    for line in filter(against_house, data.lines):
        figures = sums.setdefault((line.seat, line.wager), [0, 0, 0, 0])
        figures[0] += line.stake > 0
        figures[1] += line.stake
        figures[2] += line.stake * line.stake
        figures[3] += line.payout + line.stake_returned
    sign = -1 if isinstance(data, ReversedRound) else 1
    for (seat, wager), figures in sorted(sums.items()):
        account = funded.get((seat, wager))
        if account is None and not figures[0] and len(accounts[seat]) == 1:
            [account] = accounts[seat]
        if account is None and not in_chips:
            continue
        numbers = [*(sign * number for number in figures), taken[seat, wager]]
        yield {
            "shard": event.shard,
            "seq": event.sequence,
            "seat": seat,
            "wager": wager,
            "account": account,
            "recorded_at": event.recordedat,
            "property": data.property,
            "gaming_day": data.gaming_day,
            "table_name": data.table,
            "game": data.game,
            "version": data.submission.version,
            "submission": data.submission.hash,
            **dict(zip(WAGERED, numbers, strict=True)),
        }
