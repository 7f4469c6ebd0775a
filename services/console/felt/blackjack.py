"""Reads a round of Blackjack: splits, doubles, the two hands of a switch, and what each hand came to."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from services.console.felt.felts import DEALERS_HAND, Hand, Place
from services.console.felt.reading import Fields, Lines, Parts, dealer_cards, one_card, seats_of
from services.console.felt.words import dollars, text_of


def blackjack(record: Fields, lines: Lines) -> Parts:
    """Return the seats, the dealer and the notes of a round."""
    cards = dealer_cards(record)
    # With a dealer's Blackjack, or where the round was stopped, hands end without anybody standing.
    played = points(cards[:2])[0] != 21 and not record.peek("irregularities")
    seats = seats_of(record, lambda fields, name, number: _seat(fields, name, number, lines, played=played))
    lucky = record.take("lucky_seat")
    notes = [] if lucky is None else [f"Lucky seat: {text_of(lucky)}"]
    # At Blackjack Switch a 22 of the dealer returns wagers: what it means is for the settlement to say.
    total = points(cards)[0]
    said = ("Blackjack",) if len(cards) == 2 and total == 21 else (f"total {total}",) if cards else ()
    return seats, Place("Dealer", (Hand(DEALERS_HAND, cards, said), *one_card(record, "magic_card"))), notes


def points(cards: Sequence[str]) -> tuple[int, bool]:
    """Return the point count of cards, and whether an ace counts 11.

    >>> points(["As", "6d"]), points(["As", "6d", "Kc"])
    ((17, True), (17, False))
    """
    low = sum(1 if card[0] == "A" else int(card[0]) if card[0].isdigit() else 10 for card in cards)
    soft = low <= 11 and any(card[0] == "A" for card in cards)
    return (low + 10 if soft else low, soft)


def _total(cards: Sequence[str]) -> tuple[str, ...]:
    if not cards:
        return ()
    total, soft = points(cards)
    return (f"bust with {total}" if total > 21 else f"soft {total}" if soft and total < 21 else str(total),)


def _seat(fields: Fields, name: str, number: Any, lines: Lines, *, played: bool) -> Place:
    pairs = _dealt(fields)
    hands = [fields.inner(hand, fields.place) for hand in fields.listed("hands")]
    switched = fields.flag("switched")
    natural = [sorted(pair) for pair in pairs] if len(hands) == len(pairs) and not switched else []
    shown = []
    for at, hand in enumerate(hands, 1):
        cards = hand.cards("cards")
        said = _decisions(hand, cards, natural=len(cards) == 2 and sorted(cards) in natural, played=played)
        hand.end()
        shown.append(Hand(f"Hand {at}" if len(hands) > 1 else "", cards, said))
    told: list[str] = []
    if len(pairs) == 2:
        told.append("switched the second cards" if switched else "did not switch")
    elif switched:
        told.append("switched")
    if pairs and len(hands) > len(pairs):
        told.append(f"split into {len(hands)} hands")
    added = fields.cents("house_money_added")
    if added:
        told.append(f"added {dollars(added)} of House Money to the Blackjack Wager")
    if not shown and not pairs:
        told.append("no cards")
    lying = Counter(card for hand in shown for card in hand.cards)
    unplayed = [Hand("Dealt", tuple(pair)) for pair in pairs if Counter(pair) - lying]
    return Place(name, (*unplayed, *shown), lines.of(number, fields.amounts("wagers")), tuple(told))


def _dealt(fields: Fields) -> list[tuple[str, ...]]:
    """Return the initial pairs of a seat: one, two of them at Blackjack Switch, or none."""
    dealt = fields.listed("dealt")
    if any(isinstance(one, list | tuple) for one in dealt):
        return [fields.as_cards(pair, "dealt") for pair in dealt]
    cards = fields.as_cards(dealt, "dealt")
    return [cards] if cards else []


def _decisions(hand: Fields, cards: tuple[str, ...], *, natural: bool, played: bool) -> tuple[str, ...]:
    """Return what the player decided on a hand, in words, and what it came to."""
    double, surrendered, even_money = hand.cents("double"), hand.flag("surrendered"), hand.flag("even_money")
    said = []
    hits = len(cards) - 2 - bool(double)
    if hits > 0:
        said.append("hit" if hits == 1 else f"hit {hits} times")
    if double:
        said.append(f"doubled for {dollars(double)}")
    if surrendered:
        said.append("surrendered")
    if even_money:
        said.append("took even money")
    total, soft = points(cards)
    if natural and total == 21:
        said.append("Blackjack")
    elif played and cards and total < 21 and not (double or surrendered):
        said.append(f"stood on {'soft ' if soft else ''}{total}")
    else:
        said += _total(cards)
    return tuple(said)
