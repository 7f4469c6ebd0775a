"""A round as lines of text: for screen readers, for print, and for browsers without scripts or pictures."""

from collections.abc import Mapping
from typing import Any

from services.console.felt.felts import DEALERS_HAND, Felt, Hand, Place
from services.console.felt.games import felt_of
from services.console.felt.words import cards_words
from services.console.words import say


def describe(
    record: Mapping[str, Any], settlement: Mapping[str, Any] | None = None, *, game: str | None = None
) -> list[str]:
    """Return the content of `draw` as text lines: dealer, each seat with cards, decisions and wagers, then notes."""
    return lines_of(felt_of(record, settlement, game=game))


def lines_of(felt: Felt) -> list[str]:
    """Return a felt as lines of text."""
    lines = [felt.title]
    for place in (felt.dealer, *felt.seats):
        lines += _place(place)
    lines += [f"{note}." for note in felt.notes]
    lines += [f"{say('felt.unknown.note', what=note)}." for note in felt.unknown]
    return lines


def _place(place: Place) -> list[str]:
    lines = [f"{place.name}: {_hand(hand)}." for hand in place.hands if hand.cards]
    if place.said:
        lines.append(f"{place.name}: {', '.join(place.said)}.")
    return lines + [f"{place.name}: {wager.words}." for wager in place.wagers]


def _hand(hand: Hand) -> str:
    named = f"{hand.name.lower()}: " if hand.name not in ("", DEALERS_HAND) else ""
    return "; ".join((named + cards_words(hand.cards), *hand.said))
