"""Wagering accounts: money brought, held and captured, settled by rounds of two shards; late, twice, and refused."""

from collections.abc import Iterator

from tests.faults.subject import Ask, Message, Subject
from tests.support.accounts import IDENTITIES, PROPERTY, ROLES, Results, credit
from tests.support.properties import property_event

_TABLES = {"BJ-01": ("GA-1", "GA-2", "GA-3"), "BJ-02": ("GA-4", "GA-5")}
_ROUNDS = 6
_PROMOTED = ("GA-1", "GA-4")
"""Accounts with promotional money for all of their wagers: whatever comes first, none is of both."""


def _hold(account: str, table: str, round_id: str, seat: int, cents: int = 500) -> Ask:
    body = {"table": table, "round_id": round_id, "seat": seat, "wager": "blackjack", "cents": cents}
    return Ask(person="table.bj01", path=f"/accounts/{PROPERTY}/{account}/holds", body=body, status=201)


def _commands() -> Iterator[Ask]:
    """Every account with money, and a wager in each round; half of the rounds reach "no more bets"."""
    for table, accounts in _TABLES.items():
        for account in accounts:
            opened = {"property": PROPERTY, "account": account, "table": table}
            yield Ask(person="cage.ann", path="/accounts", body=opened, status=201)
            bought = {"instrument": "cash", "cents": 20_000}
            yield Ask(person="cage.ann", path=f"/accounts/{PROPERTY}/{account}/buy-ins", body=bought)
            if account in _PROMOTED:
                granted = {"cents": 20_000, "reason": "welcome"}
                yield Ask(person="host.mo", path=f"/accounts/{PROPERTY}/{account}/promotional-money", body=granted)
        for number in range(_ROUNDS):
            for seat, account in enumerate(accounts, 1):
                yield _hold(account, table, f"r-{number}", seat)
            if number % 2:
                place = {"property": PROPERTY, "table": table, "round_id": f"r-{number}"}
                yield Ask(person="table.bj01", path="/captures", body=place)
    taken = {"instrument": "cash", "cents": 1_000_000}
    yield Ask(person="cage.ann", path=f"/accounts/{PROPERTY}/GA-1/cash-outs", body=taken, status=409)
    yield Ask(person="cage.ann", path=f"/accounts/{PROPERTY}/GA-1/cash-outs", body=taken | {"cents": 100})


def _results(shard: int, table: str) -> list[Message]:
    """A result of every round but the last, one void, some corrected, one of an account that is not known."""
    results, accounts = Results(shard, table), _TABLES[table]
    events: list[Message] = []
    for number in range(_ROUNDS - 1):
        won = [credit(500, 1_000 * (seat % 2), account, seat=seat) for seat, account in enumerate(accounts, 1)]
        lost = [credit(500, 0, account, seat=seat) for seat, account in enumerate(accounts, 1)]
        round_id = f"r-{number}"
        if number == _ROUNDS - 2:
            events.append(results.entry("settlement.voided", round_id))
            continue
        events.append(results.entry("settlement.posted", round_id, *won))
        if number % 3 == 0:
            events.append(results.entry("settlement.reversed", round_id, *won))
            events.append(results.entry("settlement.posted", round_id, *lost, revision=2))
    refused = results.entry("settlement.posted", "r-99", credit(1, 0, "GA-99"))
    first, second, third = (
        results.entry("settlement.posted", f"r-8{number}", credit(500, 0, accounts[0])) for number in range(3)
    )
    return [
        *events,
        (results.source.encode(), b"not an event"),
        events[1],  # delivered twice
        refused,
        first,
        third,  # the second comes late
        second,
    ]


SUBJECT = Subject(
    name="wagering-accounts",
    references={"properties": [property_event()]},
    records={"settlements": [*_results(1, "BJ-01"), *_results(2, "BJ-02")]},
    kinds={
        "wagers.settled": 18,
        "wagers.reversed": 4,
        "wagers.voided": 2,
        "record.quarantined": 4,
        "gap.opened": 4,
        "gap.filled": 2,
    },
    late={"settlements": [3, 4]},
    figures=[
        """SELECT account, available_cents, held_cents, staked_cents, promotional_cents, promotional_held_cents,
           promotional_staked_cents FROM wagering_accounts.balances ORDER BY 1""",
        "SELECT round_id, status, posted, reversed, voided FROM wagering_accounts.rounds ORDER BY 1, 2, 3, 4, 5",
        "SELECT * FROM wagering_accounts.round_accounts t ORDER BY t::text",
    ],
    people=ROLES,
    commands=list(_commands()),
    repeated=_hold("GA-1", "BJ-01", "r-77", 1, 1),
    identities=IDENTITIES,
)
