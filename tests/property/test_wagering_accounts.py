"""Accounts converge: whatever the order of commands and results, the books end the same, and are never below zero."""

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from services.reporting.read_model.catalog import MODULES
from services.reporting.read_model.measures import amounts_of
from services.wagering_accounts.commands import COMMANDS
from services.wagering_accounts.commands.accounts import BuyIn, CashOut, OpenAccount
from services.wagering_accounts.commands.deciding import AccountsCommand
from services.wagering_accounts.commands.promotions import GrantPromotion
from services.wagering_accounts.commands.wagers import AuthorizeWager, CaptureRound
from services.wagering_accounts.domain.books import Books, Limit
from services.wagering_accounts.domain.settling import RoundEvent, settle
from services.wagering_accounts.tables import AMOUNTS
from shared.contracts.accounts import AccountsFact
from shared.contracts.rejection import Rejected
from shared.contracts.settlement_views import PostedRound, ReversedRound, UnpostedRound
from shared.contracts.settlements import AccountCredit
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Now
from tests.support import properties
from tests.support.published import CORRECTION

PROPERTY, TABLE, GAME = "riverside", "BJ-01", "blackjack"
NOON = datetime(2026, 11, 20, 17, tzinfo=UTC)
PLACE = properties.place(PROPERTY, [TABLE])
NOW = Now("ann", NOON, "k-1")
ACCOUNTS = ("GA-1", "GA-2")
ROUND = {"property": PROPERTY, "table": TABLE, "game": GAME, "gaming_day": date(2026, 11, 20)}
SETTLED: dict[str, Any] = {"closed_at": NOON, "submission": {"version": 1, "hash": "a" * 64}, "totals": (), "lines": ()}
POSTED: dict[str, Any] = {"regulation": "pa-633a-2024", "opened_at": NOON, "meters": {}, "record": {}}

assert MODULES, "what facts add to the measures of reporting is declared"

SIGNS = {
    "bought_in_cents": 1,
    "cashed_out_cents": -1,
    "account_staked_cents": -1,
    "account_credited_cents": 1,
    "account_shortage_cents": 1,
    "account_adjusted_cents": 1,
    "promotional_granted_cents": 1,
    "promotional_written_off_cents": -1,
}
"""How the measures of reporting change the liability, where no wallet is concerned."""

PROMOTIONAL_SIGNS = {
    "promotional_granted_cents": 1,
    "promotional_staked_cents": -1,
    "promotional_credited_cents": 1,
    "promotional_shortage_cents": 1,
    "promotional_written_off_cents": -1,
}
"""How they change promotional money: nothing that is paid in or out does."""


def measures_of(fact: AccountsFact) -> Counter[str]:
    """Return what a fact adds to the measures of reporting."""
    measured: Counter[str] = Counter()
    for amount in amounts_of(fact):
        measured[amount.measure] += amount.value
    return measured


class Ledger:
    """Books in memory that check every fact as it comes."""

    def __init__(self) -> None:
        self.books = Books(lambda *_: PLACE)
        self.flows: dict[str, int] = {}
        for account in ACCOUNTS:
            assert self.do(OpenAccount(property=PROPERTY, account=account, table=TABLE))
            assert self.do(BuyIn(property=PROPERTY, account=account, instrument="cash", cents=1_000))
            assert self.do(GrantPromotion(property=PROPERTY, account=account, cents=150, reason="welcome"))

    def do(self, command: AccountsCommand) -> bool:
        """Return whether a command was accepted."""
        try:
            accepted = COMMANDS.decide(command, self.books, NOW)
        except Rejected:
            return False
        self._check(accepted.recording)
        return True

    def take(self, data: RoundEvent) -> None:
        """Take a settlement."""
        recording = settle(data, NOON, self.books)
        if recording is not None:
            self._check(recording)

    def _check(self, recording: FactWithPostings) -> None:
        """The postings sum to zero, holds are what is on hold and in play, and so say the measures of reporting.

        They explain the movements too.
        """
        fact = recording.fact
        assert isinstance(fact, AccountsFact)
        assert 0 == sum(cents for _, cents in recording.postings)
        promotional = sum(
            each.promotional_cents + each.promotional_held_cents + each.promotional_staked_cents
            for each in fact.moved()
        )
        moved = promotional + sum(each.available_cents + each.held_cents + each.staked_cents for each in fact.moved())
        measured = measures_of(fact)
        flows = {name: sign * measured[name] for name, sign in SIGNS.items()}
        assert moved == measured["account_balance_cents"] == sum(flows.values())
        of_promotional = sum(sign * measured[name] for name, sign in PROMOTIONAL_SIGNS.items())
        assert promotional == measured["promotional_balance_cents"] == of_promotional
        assert measured["held_cents"] + measured["in_play_cents"] == measured["holds_cents"]
        for name, cents in flows.items():
            self.flows[name] = self.flows.get(name, 0) + cents
        for account in self.books.accounts.values():
            amounts = {name: getattr(account, name) for name in AMOUNTS}
            assert min(amounts.values()) >= 0
            for status, name in (("held", "held_cents"), ("captured", "staked_cents")):
                holds = [
                    hold
                    for hold in self.books.holds.values()
                    if hold.account == account.account and hold.status == status
                ]
                assert amounts[f"promotional_{name}"] == sum(hold.promotional_cents for hold in holds)
                assert amounts[name] == sum(hold.cents - hold.promotional_cents for hold in holds)
        assert sum(self.flows.values()) == self.there

    @property
    def there(self) -> int:
        """What all accounts have, cents."""
        return sum(account.total() for account in self.books.accounts.values())

    @property
    def shortage(self) -> int:
        """What could not be taken back, cents."""
        return sum(part.shortage_cents for part in self.books.round_accounts.values())

    def state(self) -> Any:
        """What the books come to."""
        return (
            {key: [getattr(account, name) for name in AMOUNTS] for key, account in self.books.accounts.items()},
            {key[2]: (r.status, r.posted, r.reversed) for key, r in self.books.rounds.items()},
            {key: (p.staked_cents, p.credited_cents, p.covered_cents) for key, p in self.books.round_accounts.items()},
        )


def credit(account: str, staked: int, credited: int) -> AccountCredit:
    """Return what a wager did on an account."""
    seat = ACCOUNTS.index(account) + 1
    return AccountCredit(account=account, seat=seat, wager=GAME, staked_cents=staked, credited_cents=credited)


@st.composite
def results(draw: st.DrawFn, round_id: str) -> list[RoundEvent]:
    """What settlement publishes about a round: nothing yet, a void, or revisions, the last of which may be void too."""
    if draw(st.booleans()) and draw(st.booleans()):
        return draw(st.sampled_from([[], [UnpostedRound(**ROUND, round_id=round_id, correction=CORRECTION)]]))
    found: list[RoundEvent] = []
    revisions = draw(st.integers(1, 3))
    for revision in range(1, revisions + 1):
        amounts = [(account, draw(st.integers(0, 100)), draw(st.integers(0, 300))) for account in ACCOUNTS]
        named: dict[str, Any] = {**ROUND, **SETTLED, "round_id": round_id, "revision": revision}
        found.append(PostedRound(**named, **POSTED, account_credits=tuple(credit(*one) for one in amounts)))
        if revision < revisions or draw(st.booleans()):
            back = tuple(credit(account, -staked, -credited) for account, staked, credited in amounts)
            found.append(ReversedRound(**named, correction=CORRECTION, account_credits=back))
    return found


@st.composite
def sessions(draw: st.DrawFn) -> tuple[list[RoundEvent], list[Any]]:
    """Results in the order in which they were published, and steps in any order: the same results, and captures."""
    rounds = [f"r-{number}" for number in range(draw(st.integers(1, 3)))]
    published = [one for round_id in rounds for one in draw(results(round_id))]
    captures = [CaptureRound(property=PROPERTY, table=TABLE, round_id=round_id) for round_id in rounds]
    return published, draw(st.permutations([*published, *captures]))


def _with_wagers(steps: Sequence[Any]) -> Ledger:
    ledger = Ledger()
    for round_id in sorted({one.round_id for one in steps}):
        for seat, account in enumerate(ACCOUNTS, 1):
            named: dict[str, Any] = {"property": PROPERTY, "account": account, "table": TABLE, "round_id": round_id}
            assert ledger.do(AuthorizeWager(**named, seat=seat, wager=GAME, cents=100))  # 150 of all is promotional
    return ledger


def _play(ledger: Ledger, steps: Sequence[Any]) -> None:
    for one in steps:
        ledger.do(one) if isinstance(one, AccountsCommand) else ledger.take(one)


@given(sessions())
def test_the_order_does_not_matter(session: tuple[list[RoundEvent], list[Any]]) -> None:
    """Results and captures in any order end as in the order in which they were published."""
    published, steps = session
    there, here = _with_wagers(steps), _with_wagers(steps)
    _play(there, [*(step for step in steps if isinstance(step, CaptureRound)), *published])
    _play(here, steps)
    assert there.state() == here.state()
    assert 0 == here.shortage


@given(sessions(), st.lists(st.tuples(st.integers(0, 12), st.sampled_from(ACCOUNTS)), max_size=5))
def test_what_was_paid_out_is_explained(
    session: tuple[list[RoundEvent], list[Any]], payments: list[tuple[int, str]]
) -> None:
    """Whoever cashes out in between: what is there, less the shortage, is what came in, went out, and the results."""
    _, steps = session
    ledger = _with_wagers(steps)
    mixed = list(steps)
    for place, account in payments:
        mixed.insert(place, CashOut(property=PROPERTY, account=account, instrument="cash"))
    _play(ledger, mixed)
    results_ = sum(part.credited_cents - part.staked_cents for part in ledger.books.round_accounts.values())
    assert 2_300 + ledger.flows["cashed_out_cents"] + results_ == ledger.there - ledger.shortage
    assert ledger.flows["account_shortage_cents"] == ledger.shortage


@given(
    st.lists(st.tuples(st.one_of(st.none(), st.integers(1, 1_000)), st.integers(0, 72)), min_size=1, max_size=12),
    st.integers(0, 200),
)
def test_a_limit_never_loosens_within_a_day(changes: list[tuple[int | None, int]], ask: int) -> None:
    """A tighter one holds at once; for a day after the last change nothing loosens; then holds what was asked last."""
    limit, now, day = Limit(), NOON, timedelta(hours=24)
    for cents, hours in changes:
        now += timedelta(hours=hours)
        before = limit.at(now)
        limit = limit.changed(cents, now, now + day)
        holds = limit.at(now)
        assert holds == (before if cents is None else min(cents, cents if before is None else before))
    later = now + timedelta(hours=ask)
    assert (holds if later < now + day else changes[-1][0]) == limit.at(later)
