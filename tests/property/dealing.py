"""A round that was dealt for a property test, and what games need to deal one."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from random import Random
from typing import Any, Final, TypeAlias

from shared.rules import Rules, Settlement, compile_rules, parse_round, parse_submission

Document: TypeAlias = dict[str, Any]

RANKS: Final = "23456789TJQKA"
DECK: Final = [rank + suit for rank in RANKS for suit in "shdc"]
DECK_WITH_JOKER: Final = [*DECK, "Jk"]


@dataclass(frozen=True)
class Dealt:
    """A round that was dealt: its record and its rules submission as documents."""

    regulation: str
    submission: Document
    round: Document

    def settle(self, round_: Document | None = None) -> Settlement:
        """Settle the round, or a changed copy of it."""
        rules = _rules(self.regulation, json.dumps(self.submission))
        return rules.settle(parse_round(self.regulation, self.round if round_ is None else round_))

    @property
    def seats(self) -> list[Document]:
        """Return the seats of the record."""
        seats: list[Document] = self.round["seats"]
        return seats

    @property
    def irregularities(self) -> list[Document]:
        """Return what went wrong in the round."""
        codes: list[Document] = self.round.get("irregularities", [])
        return codes

    def left(self) -> set[int]:
        """Return the seats whose players left."""
        return {entry["seat"] for entry in self.irregularities if entry["code"] == "abandoned"}


@lru_cache(maxsize=256)
def _rules(regulation: str, submission: str) -> Rules[Any]:
    return compile_rules(regulation, parse_submission(json.loads(submission)))


def likely(chance: Random, percent: int) -> bool:
    """Return whether something that happens in so many of a hundred cases happens now."""
    return chance.randrange(100) < percent


def some(chance: Random, choices: Iterable[str]) -> list[str]:
    """Return some of the choices, each with a probability of two thirds."""
    return [choice for choice in choices if likely(chance, 67)]


def unused_card(round_: Document, deck: Iterable[str] = DECK) -> str:
    """Return a card that nobody holds."""
    held = json.dumps(round_)
    return next(card for card in deck if f'"{card}"' not in held)
