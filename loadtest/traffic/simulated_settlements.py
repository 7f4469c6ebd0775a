"""The fact that round settlement must publish for a dealt round, computed from the simulator's own settlement."""

from dataclasses import asdict

from loadtest.floor.books import wagered
from loadtest.floor.electronic import account_money
from loadtest.floor.floor_day import Dealt
from shared.contracts.settlements import AccountCredit, RoundNotice, SettledRound, SettlementPosted, SubmissionRef
from shared.contracts.versions import fields_of
from shared.contracts.wager_totals import FIGURES, WagerTotals


def posted(dealt: Dealt, submission: SubmissionRef) -> SettlementPosted:
    """Return the expected `SettlementPosted` of a round's first revision under this submission."""
    data, settlement = dealt.data, dealt.settlement
    return SettlementPosted.construct_unvalidated(
        fields_of(data, SettledRound)
        | {
            "notices": tuple(RoundNotice.construct_unvalidated(asdict(notice)) for notice in settlement.notices),
            "regulation": data.regulation,
            "opened_at": data.opened_at,
            "closed_at": data.closed_at,
            "dealer_id": data.dealer_id,
            "submission": submission,
            "revision": 1,
            "correction": None,
            "totals": _totals(dealt),
            "lines": settlement.lines,
            "meters": dict(settlement.meters),
            "account_funded": data.account_funded,
            "account_credits": _credits(dealt),
            "record": data.round,
        }
    )


def _totals(dealt: Dealt) -> tuple[WagerTotals, ...]:
    electronic: dict[str, list[int]] = {}
    for credit in _credits(dealt):
        sums = electronic.setdefault(credit.wager, [0, 0])
        sums[0] += credit.staked_cents
        sums[1] += credit.credited_cents
    found = []
    for wager, figures in wagered(dealt.settlement).items():
        staked, credited = electronic.get(wager, (0, 0))
        cents = {f"{name}_cents": value for name, value in asdict(figures).items()}
        cents |= {"count": figures.rounds, "account_staked_cents": staked, "account_credited_cents": credited}
        found.append(WagerTotals.of(wager, {name: cents[name] for name in FIGURES}))
    return tuple(found)


def _credits(dealt: Dealt) -> tuple[AccountCredit, ...]:
    found = []
    for part in dealt.data.account_funded:
        [money] = account_money(dealt.settlement, [dict(part)])
        found.append(
            AccountCredit(
                account=part.account,
                seat=part.seat,
                wager=part.wager,
                staked_cents=money.staked,
                credited_cents=money.credited,
            )
        )
    return tuple(found)
