"""What the tables send: dense streams that the contract accepts, and plants where they were announced."""

from collections import Counter
from datetime import date
from itertools import pairwise

import pytest

from loadtest.floor.books import Books, Wagered
from loadtest.floor.games import pit
from loadtest.floor.messages import PLANTED_ROUNDS, Message, day
from shared.contracts.tables import READER, RoundCompleted, RoundCorrected, RoundVoided
from shared.rules import Refused, compile_rules

DAY = date(2026, 5, 9)


def messages(*, tables: int, rounds: int, seed: int = 3, plants: bool = True) -> list[Message]:
    return list(
        day(property_name="bayside", plans=pit(tables), gaming_day=DAY, seed=seed, rounds=rounds, plants=plants)
    )


def test_a_day_without_plants_is_dense_in_order_and_nothing_but_rounds() -> None:
    """Each table counts 1, 2, 3 …; together they come in the order of time; the rounds are shared evenly."""
    sent = messages(tables=12, rounds=100, plants=False)
    assert 100 == len(sent)
    assert sorted(sent, key=lambda message: message.sent_at) == sent
    by_table: dict[str, list[int | None]] = {}
    for message in sent:
        by_table.setdefault(message.key, []).append(message.sequence)
    assert {8: 8, 9: 4} == Counter(len(sequences) for sequences in by_table.values())
    for sequences in by_table.values():
        assert list(range(1, len(sequences) + 1)) == sequences


def test_the_same_seed_sends_the_same_bytes() -> None:
    """A day can be played again byte for byte."""
    first = [message.value for message in messages(tables=3, rounds=60)]
    assert first == [message.value for message in messages(tables=3, rounds=60)]
    assert first != [message.value for message in messages(tables=3, rounds=60, seed=4)]


def test_every_message_but_the_malformed_is_what_the_contract_says() -> None:
    """Completed, voided and corrected rounds can be decoded, with the place and the key that the message names."""
    for message in messages(tables=12, rounds=12 * PLANTED_ROUNDS):
        if message.kind == "malformed":
            with pytest.raises(Refused):
                READER.decode(message.value)
            continue
        event = READER.decode(message.value)
        expected = {"void": RoundVoided, "correction": RoundCorrected}.get(message.kind, RoundCompleted)
        assert expected is type(event)
        assert (message.key, message.sequence) == (event.source, event.sequence)


@pytest.mark.parametrize("tables", [1, 2, 4, 12])
def test_each_plant_happens_once_on_tables_without_a_meter(tables: int) -> None:
    """Whatever the size of the pit, all six exceptions of a Blackjack table are there."""
    sent = messages(tables=tables, rounds=tables * PLANTED_ROUNDS)
    kinds = Counter(message.kind for message in sent)
    planted = {kind: kinds[kind] for kind in ("void", "correction", "late", "duplicate", "malformed", "refused")}
    assert dict.fromkeys(planted, 1) == planted
    carriers = {message.table for message in sent if message.kind in planted}
    assert {"BJ01", "BJ02", "BJ05", "BJ06"} >= carriers


def test_a_dealer_sets_a_hand_otherwise_than_the_house_way() -> None:
    """Once a day, at Face Up Pai Gow; it moves no money, and the books count the notice."""
    sent = messages(tables=12, rounds=12 * PLANTED_ROUNDS)
    (misset,) = (message for message in sent if message.kind == "misset")
    assert "FU01" == misset.table
    (plain,) = (
        message
        for message in messages(tables=12, rounds=12 * PLANTED_ROUNDS, plants=False)
        if message.round_id == misset.round_id
    )
    ((_, settlement),), ((_, as_set),) = misset.books, plain.books
    assert as_set.lines == settlement.lines
    assert [] == list(as_set.notices)
    books = Books()
    for message in sent:
        books.add(message)
    assert (1, 0) == (books.notices, books.notices_reversed)


def test_a_day_that_is_too_short_has_no_plants() -> None:
    """With fewer rounds a table than the plants need, nothing goes wrong."""
    sent = messages(tables=2, rounds=2 * (PLANTED_ROUNDS - 1))
    assert {"round"} == {message.kind for message in sent}


def test_with_its_plants_a_stream_still_says_everything_once() -> None:
    """A table's sequences are dense; only the late one stands out of order, only the duplicate comes twice."""
    sent = [(message.sequence, message.kind) for message in messages(tables=1, rounds=20)]
    numbered = [(sequence, kind) for sequence, kind in sent if sequence is not None]
    counts = Counter(sequence for sequence, _ in numbered)
    assert list(range(1, len(counts) + 1)) == sorted(counts)
    twice = [sequence for sequence, count in counts.items() if count > 1]
    assert [sequence for sequence, kind in numbered if kind == "duplicate"] == twice
    assert ["late"] == [kind for (before, _), (after, kind) in pairwise(numbered) if after < before]


def test_the_refused_record_is_refused_for_a_wager_that_is_not_offered() -> None:
    """It is well-formed, and the rules say what is wrong with it."""
    plan = pit(1)[0]
    (message,) = [message for message in messages(tables=1, rounds=20) if message.kind == "refused"]
    event = READER.decode(message.value)
    assert isinstance(event, RoundCompleted)
    with pytest.raises(Refused, match="straight_jack_progressive"):
        compile_rules(plan.regulation, plan.submission).settle(event.data.round)


def test_the_books_leave_out_what_does_not_count() -> None:
    """Void, refused, repeated and unreadable records add nothing; a correction adds only its difference."""
    planted, plain = Books(), Books()
    for message in messages(tables=1, rounds=20):
        planted.add(message)
    for message in messages(tables=1, rounds=20, plants=False):
        plain.add(message)
    assert plain.rounds - 2 == planted.rounds
    without = Wagered()
    for number, message in enumerate(messages(tables=1, rounds=20, plants=False), start=1):
        if number not in (2, 3, 11):
            one = Books()
            one.add(message)
            without.add(one.total())
    (correction,) = [message for message in messages(tables=1, rounds=20) if message.kind == "correction"]
    corrected = Books()
    corrected.add(Message("", "BJ01", "round", b"", correction.sent_at, books=(correction.books[1],)))
    without.add(corrected.total())
    assert without == planted.total()
