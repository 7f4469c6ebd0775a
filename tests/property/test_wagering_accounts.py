"""Accounts converge: whatever the order of commands and results, the books end the same, and are never below zero."""

from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.wagering_accounts.account_commands import BuyIn, CashOut, Open
from services.wagering_accounts.books import Books, Fact, Limit, postings_of
from services.wagering_accounts.configuration import Configurations
from services.wagering_accounts.decisions import Circumstances, Command, Declined
from services.wagering_accounts.events import Posted, Reversed, RoundEntry, Voided
from services.wagering_accounts.settling import settle
from services.wagering_accounts.wager_commands import Authorize, Capture

PROPERTY, TABLE, GAME = "riverside", "BJ-01", "blackjack"
NOW = datetime(2026, 11, 20, 17, tzinfo=UTC)
CIRCUMSTANCES = Circumstances("ann", NOW, date(2026, 11, 20), Configurations.load().at(NOW))
ACCOUNTS = ("GA-1", "GA-2")


class Ledger:
    """Books in memory that check every fact as it comes."""

    def __init__(self) -> None:
        self.books = Books()
        self.flows: dict[str, int] = {}
        for account in ACCOUNTS:
            self.do(Open(PROPERTY, account, TABLE, None))
            self.do(BuyIn(PROPERTY, account, "cash", 1_000))

    def do(self, command: Command) -> bool:
        """Whether a command was accepted."""
        try:
            decision = command.decide(self.books, CIRCUMSTANCES)
        except Declined:
            return False
        if decision.fact.account is not None:
            self.books.accounts[decision.fact.account].version += 1
        self._check(decision.fact)
        return True

    def take(self, event: RoundEntry) -> None:
        """Takes a settlement."""
        fact = settle(event, self.books)
        if fact is not None:
            self._check(fact)

    def _check(self, fact: Fact) -> None:
        assert 0 == sum(cents for _, cents in postings_of(fact, self.books))
        moved = sum(each.available + each.held + each.staked for each in fact.movements)
        assert moved == sum(fact.flows.values())
        for name, cents in fact.flows.items():
            self.flows[name] = self.flows.get(name, 0) + cents
        for account in self.books.accounts.values():
            assert min(account.available, account.held, account.staked) >= 0
            for state, amount in (("held", account.held), ("captured", account.staked)):
                assert amount == sum(
                    hold.cents
                    for hold in self.books.holds.values()
                    if hold.account == account.account and hold.state == state
                )
        assert sum(self.flows.values()) == sum(
            each.available + each.held + each.staked for each in self.books.accounts.values()
        )

    @property
    def shortage(self) -> int:
        return sum(part.shortage for part in self.books.round_accounts.values())

    def state(self) -> Any:
        """What the books come to."""
        return (
            {name: (a.available, a.held, a.staked) for (_, name), a in self.books.accounts.items()},
            {key[2]: (r.state, r.posted, r.reversed) for key, r in self.books.rounds.items()},
            {key: (p.staked, p.credited, p.covered) for key, p in self.books.round_accounts.items()},
        )


def event(kind: type[Any], round_id: str, credits_: Sequence[tuple[str, int, int]] = (), revision: int = 1) -> Any:
    """A settlement; `credits_` are (account, staked, credited)."""
    name = {Posted: "settlement.posted", Reversed: "settlement.reversed", Voided: "settlement.voided"}[kind]
    sign = -1 if kind is Reversed else 1
    data: dict[str, Any] = {"property": PROPERTY, "table": TABLE, "game": GAME, "gaming_day": "2026-11-20"}
    data["round_id"] = round_id
    if kind is not Voided:
        data["revision"] = revision
        data["account_credits"] = [
            {
                "account": account,
                "seat": ACCOUNTS.index(account) + 1,
                "wager": GAME,
                "staked": sign * staked,
                "credited": sign * credited,
            }
            for account, staked, credited in credits_
        ]
    return kind.model_validate(
        {
            "specversion": "1.0",
            "id": "x",
            "source": "/round-settlement/shards/1",
            "type": name,
            "time": NOW,
            "sequence": 1,
            "data": data,
        }
    )


@st.composite
def results(draw: st.DrawFn, round_id: str) -> list[RoundEntry]:
    """What settlement publishes about a round: nothing yet, a void, or revisions, the last of which may be void too."""
    if draw(st.booleans()) and draw(st.booleans()):
        return draw(st.sampled_from([[], [event(Voided, round_id)]]))
    found: list[RoundEntry] = []
    revisions = draw(st.integers(1, 3))
    for revision in range(1, revisions + 1):
        credits_ = [(account, draw(st.integers(0, 100)), draw(st.integers(0, 300))) for account in ACCOUNTS]
        found.append(event(Posted, round_id, credits_, revision))
        if revision < revisions or draw(st.booleans()):
            found.append(event(Reversed, round_id, credits_, revision))
    return found


@st.composite
def sessions(draw: st.DrawFn) -> tuple[list[RoundEntry], list[Any]]:
    """Results in the order in which they were published, and steps in any order: the same results, and captures."""
    rounds = [f"r-{number}" for number in range(draw(st.integers(1, 3)))]
    published = [one for round_id in rounds for one in draw(results(round_id))]
    steps: list[Any] = [*published, *(Capture(PROPERTY, TABLE, round_id) for round_id in rounds)]
    return published, draw(st.permutations(steps))


def _with_wagers(published: Sequence[RoundEntry], steps: Sequence[Any]) -> Ledger:
    ledger = Ledger()
    rounds = {one.data.round_id for one in published} | {one.round_id for one in steps if isinstance(one, Capture)}
    for round_id in sorted(rounds):
        for seat, account in enumerate(ACCOUNTS, 1):
            assert ledger.do(Authorize(PROPERTY, account, TABLE, round_id, seat, GAME, 100))
    return ledger


@given(sessions())
def test_the_order_does_not_matter(session: tuple[list[RoundEntry], list[Any]]) -> None:
    """Results and captures in any order end as in the order in which they were published."""
    published, steps = session
    there, here = _with_wagers(published, steps), _with_wagers(published, steps)
    for one in [*(step for step in steps if isinstance(step, Capture)), *published]:
        there.do(one) if isinstance(one, Capture) else there.take(one)
    for one in steps:
        here.do(one) if isinstance(one, Capture) else here.take(one)
    assert there.state() == here.state()
    assert 0 == here.shortage


@given(sessions(), st.lists(st.tuples(st.integers(0, 12), st.sampled_from(ACCOUNTS)), max_size=5))
def test_what_was_paid_out_is_explained(
    session: tuple[list[RoundEntry], list[Any]], payments: list[tuple[int, str]]
) -> None:
    """Whoever cashes out in between: what is there, less the shortage, is what came in, went out, and the results."""
    published, steps = session
    ledger = _with_wagers(published, steps)
    mixed = list(steps)
    for place, account in payments:
        mixed.insert(place, CashOut(PROPERTY, account, "cash", None))
    for one in mixed:
        if isinstance(one, Capture | CashOut):
            ledger.do(one)
        else:
            ledger.take(one)
    standing = sum(part.credited - part.staked for part in ledger.books.round_accounts.values())
    there = sum(each.available + each.held + each.staked for each in ledger.books.accounts.values())
    assert 2_000 + ledger.flows.get("cashed_out", 0) + standing == there - ledger.shortage
    assert ledger.flows.get("short", 0) == ledger.shortage


@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(1, 1_000)), st.integers(0, 72)), min_size=1, max_size=12),
    st.integers(0, 200),
)
def test_a_limit_never_loosens_within_a_day(changes: list[tuple[int | None, int]], ask: int) -> None:
    """A tighter one holds at once; for a day after the last change nothing loosens; then holds what was asked last."""
    limit, now, day = Limit(), NOW, timedelta(hours=24)
    for cents, hours in changes:
        now += timedelta(hours=hours)
        before = limit.at(now)
        limit = limit.changed(cents, now, now + day)
        holds = limit.at(now)
        assert holds == (before if cents is None else min(cents, cents if before is None else before))
    later = now + timedelta(hours=ask)
    assert (holds if later < now + day else changes[-1][0]) == limit.at(later)
