"""The contents of a felt, read from a record: hands, wagers, decisions. The same data types serve every game."""

from dataclasses import dataclass
from typing import Final

from services.console.felt.words import OUTCOMES, of_hand, words
from services.console.money import dollars
from services.console.words import say

DEALERS_HAND: Final = say("felt.hand.dealer")


@dataclass(frozen=True, slots=True)
class Hand:
    """A hand on the felt: its name, its cards as written in records, and its captions.

    `wild` are the indexes (from 0) of wild cards.
    """

    name: str
    cards: tuple[str, ...]
    said: tuple[str, ...] = ()
    wild: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Result:
    """The settlement result of a wager; amounts in cents."""

    outcome: str
    payout_cents: int
    returned_cents: int
    vigorish_cents: int = 0
    category: str | None = None
    from_meter_cents: int = 0

    @property
    def words(self) -> str:
        """Return the outcome and its amounts as text.

        >>> Result("win", 15000, 10000, category="blackjack").words
        'won $150.00, blackjack'
        >>> Result("surrender", 0, 5000).words
        'surrendered, $50.00 returned'
        """
        outcome = OUTCOMES.get(self.outcome, words(self.outcome))
        paid = say("felt.result.paid", outcome=outcome, amount=dollars(self.payout_cents))
        parts = [paid if self.payout_cents else outcome]
        if self.category is not None:
            parts.append(words(self.category))
        if self.from_meter_cents:
            parts.append(say("felt.result.from_meter", amount=dollars(self.from_meter_cents)))
        if self.outcome != "win" and self.returned_cents:
            parts.append(say("felt.result.returned", amount=dollars(self.returned_cents)))
        if self.vigorish_cents:
            parts.append(say("felt.result.commission", amount=dollars(self.vigorish_cents)))
        return ", ".join(parts)


@dataclass(frozen=True, slots=True)
class Wager:
    """A wager: a stake, or a bonus without a stake (`cents` 0), its name and its result."""

    name: str
    cents: int
    hand: int | None = None
    result: Result | None = None

    @property
    def title(self) -> str:
        """Return the name of the wager, with the number of its hand if it has one."""
        return of_hand(self.name, self.hand)

    @property
    def amount(self) -> str:
        """Return the stake as dollars."""
        return dollars(self.cents)

    @property
    def outcome(self) -> str:
        """Return the outcome as a CSS class name; `open` if there is no result."""
        return self.result.outcome if self.result is not None and self.result.outcome in OUTCOMES else "open"

    @property
    def words(self) -> str:
        """Return the wager as a sentence."""
        name = "felt.staked" if self.cents else "felt.unstaked"
        stake = say(name, wager=self.title, amount=self.amount)
        return stake if self.result is None else f"{stake}: {self.result.words}"


@dataclass(frozen=True, slots=True)
class Place:
    """A betting position or the dealer's side: its hands, wagers and decisions."""

    name: str
    hands: tuple[Hand, ...] = ()
    wagers: tuple[Wager, ...] = ()
    said: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Felt:
    """A round on the felt of its game. `unknown` lists, as text, the record's members that were not recognized."""

    game: str
    title: str
    seats: tuple[Place, ...]
    dealer: Place
    notes: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
