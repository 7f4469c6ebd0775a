"""What the ledgers of a month publish: dense, readable, and what the services themselves make of the same rounds."""

from collections import Counter, defaultdict
from datetime import date, timedelta
from types import SimpleNamespace
from typing import Any, Final

import pytest

from loadtest.floor.games import pit
from loadtest.traffic.casino import Casino, casino
from loadtest.traffic.journal import Published
from loadtest.traffic.ledgers import Ledgers
from loadtest.traffic.synthetic_month import month
from services.progressive_meters.domain.pools import Pool
from services.progressive_meters.domain.rounds import count_round, meters_of, played
from services.vigorish.domain.assessing import assess
from services.vigorish.handlers import rounding_of
from shared.contracts import accounts, inventory, meters, vigorish, win
from shared.contracts.facts import KINDS
from shared.contracts.pit import CountedTable
from shared.contracts.property_snapshot import PropertySnapshot
from shared.contracts.settlement_views import PostedRound
from shared.contracts.topic_reader import Reader
from shared.contracts.topics import ACCOUNTS, INVENTORY, METERS, SETTLEMENTS, VIGORISH

DAYS: Final = (date(2026, 5, 8), date(2026, 5, 9))
AGAIN: Final = {date(2026, 5, 10): DAYS[0]}
OF_ROUNDS: Final[Any] = {"rounds_per_table_day": 45, "seed": 7, "rounds_in_pool": 20}
TOPICS: Final = (INVENTORY, VIGORISH, METERS, ACCOUNTS)


@pytest.fixture(scope="module")
def where() -> Casino:
    """A casino of a dozen tables: every game of the pit."""
    return casino("bayside", pit(12), DAYS[0])


def published(where: Casino) -> list[Published]:
    """Return what the ledgers publish of two days, of one that repeats the first, and of their seals."""
    ledgers = Ledgers(where, **OF_ROUNDS)
    return [*ledgers.play(DAYS), *ledgers.play_again(AGAIN), *ledgers.seal()]


@pytest.fixture(scope="module")
def sent(where: Casino) -> list[Published]:
    """What the ledgers publish."""
    return published(where)


@pytest.fixture(scope="module")
def events(sent: list[Published]) -> dict[str, list[Any]]:
    """The messages as a consumer reads them, by topic."""
    readers = {topic: Reader(topic, *(kind.model for kind in KINDS.on(topic))) for topic in TOPICS}
    found = defaultdict(list)
    for topic, key, value in sent:
        event = readers[topic].decode(value)
        assert key.decode() == event.source
        found[topic.name].append(event)
    return found


def of_kind(events: dict[str, list[Any]], kind: Any) -> dict[Any, Any]:
    """Return the facts of a kind that rounds led to, by round."""
    found = {}
    for event in events[kind.KIND.topic.name]:
        if isinstance(event.data, kind):
            found[event.data.table, event.data.round_id] = event.data
    return found


def settled(where: Casino, view: Any) -> list[Any]:
    """Return the rounds of the same days as a service sees them."""
    reader = Reader(SETTLEMENTS, view)
    return [reader.decode(value).data for _, value in month(where, gaming_days=DAYS, **OF_ROUNDS)]


def test_every_shard_is_dense_and_recorded_in_order(events: dict[str, list[Any]]) -> None:
    """Sequences from 1, each entry no earlier than the one before it, none before it happened."""
    assert {topic.name for topic in TOPICS} == events.keys()
    for found in events.values():
        shards = defaultdict(list)
        for event in found:
            shards[event.source].append(event)
        for entries in shards.values():
            assert list(range(1, len(entries) + 1)) == [event.sequence for event in entries]
            moments = [event.recordedat for event in entries]
            assert sorted(moments) == moments
            assert all(event.time <= event.recordedat for event in entries)


def test_what_is_stated_of_wins_adds_up_to_what_is_sealed(events: dict[str, list[Any]]) -> None:
    """By gaming day; nothing is missing in the end."""
    wins, left = Counter[date](), Counter[Any]()
    for event in events[INVENTORY.name]:
        if isinstance(event.data, win.WinStated):
            wins[event.data.gaming_day] += event.data.changes.win_cents
            left.update(event.data.lost)
            left.subtract(event.data.found)
    sealed = [event.data for event in events[INVENTORY.name] if isinstance(event.data, inventory.DayFinal)]
    assert {one.gaming_day: one.report["total"]["final_win_cents"] for one in sealed} == wins
    assert left.keys()
    assert not any(left.values())


def test_the_same_seed_publishes_the_same_bytes(where: Casino, sent: list[Published]) -> None:
    """No clock and no other chance is in it."""
    assert sent == published(where)


def test_vigorish_is_what_the_ledger_assesses(where: Casino, events: dict[str, list[Any]]) -> None:
    """The service's own decision about each round comes to the same lines."""
    law = PropertySnapshot.of(where.property).law
    rounding = {one.game: rounding_of(one) for one in where.submissions}
    found = of_kind(events, vigorish.VigorishAssessed)
    rounds = settled(where, PostedRound)
    expected = {(one.table, one.round_id): assess(one, rounding[one.game], law) for one in rounds}
    assert {key: lines for key, lines in expected.items() if lines} == {key: one.lines for key, one in found.items()}
    assert found


def test_meters_are_what_the_ledger_counts(where: Casino, events: dict[str, list[Any]]) -> None:
    """The service's own decision about each round moves a pool as far, whatever stood on it before."""
    terms = {one.game: meters_of(one) for one in where.submissions}
    version: Any = SimpleNamespace(unreasonable_contribution_cents=None, limit_cents=None, reset_cents=None)
    expected = {}
    for one in settled(where, PostedRound):
        moved = []
        for of_meter, what in played(one, terms[one.game]):
            version.reset_cents = of_meter.reset_cents
            _, document = count_round(Pool("bayside", "any"), version, of_meter, what, table=one.table)
            moved.append(_movement(document))
        if moved:
            expected[one.table, one.round_id] = moved
    found = of_kind(events, meters.MeterRoundCounted)
    assert expected == {key: [_movement(one) for one in fact.meters] for key, fact in found.items()}
    assert found


def _movement(one: Any) -> tuple[Any, ...]:
    movement = one.movement
    of_movement = (movement.in_count, movement.in_cents, movement.contribution_cents, movement.award_cents)
    return (one.meter, one.rate, one.settled_cents, one.hits, one.findings, *of_movement, movement.reset_cents)


def test_accounts_move_what_rounds_staked_and_credited(where: Casino, events: dict[str, list[Any]]) -> None:
    """Each account as its round says; nothing stays on hold, and nobody has less than nothing."""
    funded = {
        (one.table, one.round_id): [
            (each.account, each.staked_cents, each.credited_cents) for each in one.account_credits
        ]
        for one in settled(where, _settlement())
        if one.account_credits
    }
    found = of_kind(events, accounts.WagersSettled)
    results = {
        key: [(each.account, each.staked_cents, each.credited_cents) for each in one.accounts]
        for key, one in found.items()
    }
    assert funded == results
    assert found
    balances: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0])
    for event in events[ACCOUNTS.name]:
        for moved in event.data.moved():
            cents = (moved.available_cents, moved.held_cents, moved.staked_cents)
            balances[moved.account] = [sum(pair) for pair in zip(balances[moved.account], cents, strict=True)]
    assert all(available >= 0 and (held, staked) == (0, 0) for available, held, staked in balances.values())


def _settlement() -> Any:
    return KINDS["settlement.posted"].model


def test_slips_are_numbered_on_and_on_and_tables_open_with_their_closers(events: dict[str, list[Any]]) -> None:
    """Over all days, those too that repeat the rounds of another; every day is sealed."""
    facts = [event.data for event in events[INVENTORY.name]]
    for slip in ("fill", "credit"):
        numbers = [one.number for one in facts if isinstance(one, inventory.SlipPrepared) and one.slip == slip]
        assert list(range(1, len(numbers) + 1)) == numbers
    assert {*DAYS, *AGAIN} == {one.gaming_day for one in facts if isinstance(one, inventory.DayFinal)}
    counted = {
        (one.event, one.gaming_day, one.table): one.data.contents
        for one in facts
        if isinstance(one, inventory.PitRecorded)
        and isinstance(one.data, CountedTable)
        and one.event != "table.counted"
    }
    for (event, day, table), contents in counted.items():
        if event == "table.closed" and day < max(AGAIN):
            assert contents == counted["table.opened", day + timedelta(days=1), table]
