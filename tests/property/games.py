"""What is true of every round that can be dealt, whatever the game: one suite, which each game inherits.

A game deals rounds by chance, with a rules submission that its text allows. Hypothesis draws only the seed of a round:
it shrinks nothing that way, but it deals a hundred times as fast, and the seed that it prints deals the round again.
"""

import copy
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from random import Random
from typing import ClassVar, Final

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from shared.rules import Line, Refused, catalogue, parse_round, round_type
from tests.property.breaks import EVERYWHERE, Break
from tests.property.dealing import Dealt, Document
from tests.support.nightly import examples

SEEDS: Final = st.integers(0, 2**32 - 1)
CENTS: Final = st.integers(1, 10**6)
MANY: Final = settings(
    max_examples=examples(200),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.differing_executors],
)
BROKEN_COPIES: Final = examples(20)
"""How many rounds each break is tried on."""
MOST_ROUNDS: Final = 2_000
"""A break that does not apply to as many of so many rounds would show nothing."""


class GameSuite:
    """The suite of one game; a game says how it deals, and what else holds for it."""

    own_breaks: ClassVar[Mapping[str, Break]]
    """What the text of the game forbids besides `EVERYWHERE`."""
    from_the_highest_seat: ClassVar[bool] = True
    """Whether the lines of a seat follow each other."""
    further_wager_loses: ClassVar[bool] = True
    vigorish_on: ClassVar[frozenset[str]] = frozenset()
    """The lines from which vigorish is taken where they win."""

    def deal(self, chance: Random) -> Dealt:
        """Deal a legal round under a rules submission that the text allows."""
        raise NotImplementedError

    def stakes(self, seat: Document) -> list[tuple[str, int]]:
        """Return the wagers of a seat as its lines have them."""
        return list(seat["wagers"].items())

    def facts(self, line: Line) -> tuple[object, ...]:
        """Return what a line says that the place of its seat cannot change."""
        payout = line.payout - line.from_meter
        return (line.wager, line.hand, line.outcome, str(line.category), line.stake, line.stake_returned, payout)

    def add_wager(self, dealt: Dealt, cents: int) -> tuple[int, str] | None:
        """Add a wager without a meter to the round and its submission; return where, or None where there is no room."""
        raise NotImplementedError

    def unbroken(self, dealt: Dealt) -> Document:
        """Return the copy of the record that is to be broken."""
        return copy.deepcopy(dealt.round)

    def dealt(self, seed: int) -> Dealt:
        """Deal the round of a seed, and note it for the report of a failure."""
        dealt = self.deal(Random(seed))
        note(json.dumps({"submission": dealt.submission, "round": dealt.round}))
        return dealt

    @MANY
    @given(SEEDS)
    def test_money_is_conserved_and_every_stake_settled(self, seed: int) -> None:
        """What players, bank, house and meters gain and lose is nothing together; each stake has its line."""
        dealt = self.dealt(seed)
        settled = dealt.settle()
        chapter = re.match(r".*?§ \w+", catalogue(dealt.regulation).seats.paragraph)
        assert chapter is not None
        players = bank = house = 0
        for line in settled.lines:
            net = line.payout + line.stake_returned - line.stake
            house += line.vigorish
            if line.wager == "bank":
                bank += net - line.vigorish
                house += (line.house_share or 0) * (1 if line.outcome == "win" else -1)
            elif line.seat == 0:
                house += net
            else:
                players += net - line.vigorish
                house -= net - line.from_meter if line.paid_by == "house" else 0
            assert 0 <= line.stake_returned <= line.stake
            assert 0 <= line.from_meter <= line.payout
            assert line.vigorish == 0 or (line.wager in self.vigorish_on and line.outcome == "win")
            assert line.paragraph.startswith(chapter[0])
        house -= sum(entry.cents for entry in settled.contributions) + sum(settled.meter_resets.values())
        meters = sum(settled.meters.values()) - sum(dealt.round.get("meters", {}).values())
        assert 0 == players + bank + house + meters
        assert (players, bank, house) == (settled.players_net, settled.bank_net, settled.house_net)
        staked = sorted((line.seat, line.wager, line.stake) for line in settled.lines if line.seat and line.stake)
        made = [(seat["seat"], *stake) for seat in dealt.seats for stake in self.stakes(seat)]
        assert sorted(made) == [entry for entry in staked if entry[1] != "bank"]
        if self.from_the_highest_seat:
            assert sorted((line.seat for line in settled.lines), reverse=True) == [line.seat for line in settled.lines]

    @MANY
    @given(SEEDS)
    def test_the_order_of_the_seats_in_the_record_does_not_matter(self, seed: int) -> None:
        """Settlement order comes from the seat numbers alone."""
        dealt = self.dealt(seed)
        assert dealt.settle() == dealt.settle(dealt.round | {"seats": dealt.seats[::-1]})

    @MANY
    @given(SEEDS)
    def test_where_a_player_sits_matters_to_the_meters_only(self, seed: int) -> None:
        """With all seat numbers turned around, every player has the same lines but for what came off a meter."""
        dealt = self.dealt(seed)
        most = catalogue(dealt.regulation).seats.most

        def turned(number: int) -> int:
            return most + 1 - number if number else 0

        mirrored = json.loads(json.dumps(dealt.round), object_hook=lambda found: _with_seats(found, turned))
        before = sorted((turned(line.seat), *self.facts(line)) for line in dealt.settle().lines)
        assert before == sorted((line.seat, *self.facts(line)) for line in dealt.settle(mirrored).lines)

    @MANY
    @given(SEEDS)
    def test_json_and_python_documents_are_one_record(self, seed: int) -> None:
        """A record decoded from bytes is the one built from a document, and settles a second time as the first."""
        dealt = self.dealt(seed)
        decoded = round_type(dealt.regulation).model_validate_json(json.dumps(dealt.round).encode())
        assert decoded == parse_round(dealt.regulation, dealt.round)
        assert dealt.settle() == dealt.settle(json.loads(json.dumps(dealt.round)))

    @MANY
    @given(SEEDS, CENTS)
    def test_one_more_wager_changes_nothing_else(self, seed: int, cents: int) -> None:
        """A wager without a meter adds its own line; all other lines and the meters stay as they are."""
        dealt = self.dealt(seed)
        before = dealt.settle()
        added = self.add_wager(dealt, cents)
        assume(added is not None)
        after = dealt.settle()
        own = [line for line in after.lines if (line.seat, line.wager) == added]
        assert [cents] == [line.stake for line in own]
        assert not self.further_wager_loses or ("lose", -cents) == (own[0].outcome, own[0].net)
        assert Counter(before.lines) == Counter(line for line in after.lines if line not in own)
        assert before.meters == after.meters

    def test_a_broken_record_is_refused_and_never_settles(self, rng: Random) -> None:
        """Whatever the round was, one impossible thing in its record is enough, and the refusal says what it is."""
        breaks = {**EVERYWHERE, **self.own_breaks}
        tried = Counter(dict.fromkeys(breaks, 0))
        for _ in range(MOST_ROUNDS):
            dealt = self.deal(rng)
            for name in [name for name in breaks if tried[name] < BROKEN_COPIES]:
                broken = self.unbroken(dealt)
                if not breaks[name](broken, dealt):
                    continue
                tried[name] += 1
                with pytest.raises(Refused) as refusal:
                    pytest.fail(f"{name} settles: {dealt.settle(broken)} from {broken}")
                assert refusal.value.reason
                has_wrong_form = ": write " in refusal.value.reason  # which breaks no rule of the game
                assert has_wrong_form == (refusal.value.paragraph is None), refusal.value
            if min(tried.values()) == BROKEN_COPIES:
                return
        pytest.fail(f"too few rounds can be broken so: {tried}")


class StoppableSuite(GameSuite):
    """The suite of a game whose text stops rounds in which something went wrong."""

    stops: ClassVar[tuple[str, ...]] = ("misdeal", "shoe_malfunction", "deck_count_wrong")
    not_on_cards: ClassVar[frozenset[str]] = frozenset()
    """Wagers that are decided before the cards."""

    @MANY
    @given(SEEDS)
    def test_a_round_that_was_stopped_returns_every_wager_on_its_cards(self, seed: int) -> None:
        """Whatever lay on the table, every such wager goes back and no meter changes."""
        dealt = self.dealt(seed)
        code = {"code": Random(seed).choice(self.stops)}
        settled = dealt.settle(dealt.round | {"irregularities": [*dealt.irregularities, code]})
        on_cards = [line for line in settled.lines if line.wager not in self.not_on_cards]
        assert {("void", 0)} >= {(line.outcome, line.net) for line in on_cards}
        wagers = sum(wager not in self.not_on_cards for seat in dealt.seats for wager in seat["wagers"])
        of_the_dealer = bool(dealt.round.get("bank", {}).get("dealer_wager"))
        assert wagers + of_the_dealer == len(on_cards)
        assert dealt.round.get("meters", {}) == settled.meters


def _with_seats(found: Document, turned: Callable[[int], int]) -> Document:
    """Return an object of a record with other seat numbers."""
    named = ("seat", "lucky_seat", "lucky_position")
    return {name: turned(value) if name in named and type(value) is int else value for name, value in found.items()}
