"""Verify wager authorizations: each must be on hold exactly once, in the journal and in its account's balance."""

from collections.abc import Mapping
from typing import Final

import psycopg

from loadtest.bench.verdict import Verdict

_JOURNAL: Final = "SELECT count(*) FROM wagering_accounts.entries WHERE kind = 'wager.authorized'"
_HOLDS: Final = """
    SELECT account, count(*), sum(cents)::bigint FROM wagering_accounts.holds
    WHERE property = %s AND status = 'held' GROUP BY account"""
_BALANCES: Final = """
    SELECT account, held_cents, available_cents FROM wagering_accounts.balances WHERE property = %s"""


def judge_authorized(
    verdict: Verdict, conninfo: str, property_name: str, wagers: Mapping[str, int], *, cents: int, bought_in_cents: int
) -> None:
    """Compare accepted authorizations with the journal, holds and balances; add deviations to the verdict.

    `wagers` is the number of accepted authorizations by account, each of `cents`. Each account must also have one
    buy-in of `bought_in_cents`.
    """
    with psycopg.connect(conninfo) as connection:
        [(recorded,)] = connection.execute(_JOURNAL).fetchall()
        holds = {account: tuple(rest) for account, *rest in connection.execute(_HOLDS, (property_name,))}
        balances = {account: tuple(rest) for account, *rest in connection.execute(_BALANCES, (property_name,))}
    accepted = sum(wagers.values())
    verdict.require(recorded == accepted, f"the journal has {recorded} authorizations; {accepted} were accepted")
    verdict.require(balances.keys() == wagers.keys(), f"there are {len(balances)} accounts, not {len(wagers)}")
    for account, number in wagers.items():
        held = number * cents
        found = holds.get(account, (0, 0))
        verdict.require(found == (number, held), f"{account} has holds of {found}; {(number, held)} follows")
        wanted = (held, bought_in_cents - held)
        verdict.require(
            balances.get(account) == wanted, f"{account} has {balances.get(account)} held and left; {wanted} follows"
        )
    verdict.count("authorizations", accepted)
    verdict.count("accounts", len(wagers))
