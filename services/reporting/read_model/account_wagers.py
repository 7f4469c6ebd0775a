"""What accounts wagered in settled rounds, by wager: the actual play of whoever owns them. Pure; cents.

A line of a seat is of the account that funded its wager or, as a line without a stake of its own, of the only account
of the seat.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any, Final

from services.reporting.read_model.rounds import against_house
from shared.contracts.facts import EntryEvent
from shared.contracts.settlement_views import PostedRound, ReversedRound

COUNTED: Final = ("rounds", "stakes")
"""Whether it is the first wager of the account in the round (1), and the number of its stakes."""

MONEY: Final = ("handle_cents", "squared", "payout_cents", "funded_cents")
"""Stakes, their squares, payouts including returned stakes, and what of the stakes was taken from the account."""

PLAYED_BY_ACCOUNT: Final = (*COUNTED, *MONEY)
"""The figures of a wager of an account; all are negative where a round is reversed."""


def wagers_of_accounts(event: EntryEvent[Any], data: PostedRound | ReversedRound) -> Iterator[dict[str, Any]]:
    """Yield the rows of a posted or reversed round: one for each account and wager, in order."""
    funded = {(one.seat, one.wager): one.account for one in data.account_credits}
    if not funded:
        return
    of_seat: dict[int, set[str]] = defaultdict(set)
    for (seat, _), account in funded.items():
        of_seat[seat].add(account)
    sums: dict[tuple[str, str], list[int]] = {}
    for line in filter(against_house, data.lines):
        owner = funded.get((line.seat, line.wager))
        if owner is None and not line.stake and len(of_seat[line.seat]) == 1:
            [owner] = of_seat[line.seat]
        if owner is not None:
            figures = sums.setdefault((owner, line.wager), [0, 0, 0, 0])
            figures[0] += line.stake > 0
            figures[1] += line.stake
            figures[2] += line.stake * line.stake
            figures[3] += line.payout + line.stake_returned
    taken: dict[tuple[str, str], int] = defaultdict(int)
    for credit in data.account_credits:  # of a reversal, they are negative already
        taken[credit.account, credit.wager] += credit.staked_cents
    sign, seen = -1 if isinstance(data, ReversedRound) else 1, set[str]()
    for (account, wager), figures in sorted(sums.items()):
        numbers = [*(sign * number for number in (account not in seen, *figures)), taken[account, wager]]
        seen.add(account)
        yield {
            "shard": event.shard,
            "seq": event.sequence,
            "account": account,
            "wager": wager,
            "recorded_at": event.recordedat,
            "property": data.property,
            "gaming_day": data.gaming_day,
            "table_name": data.table,
            "game": data.game,
            "version": data.submission.version,
            "submission": data.submission.hash,
            **dict(zip(PLAYED_BY_ACCOUNT, numbers, strict=True)),
        }
