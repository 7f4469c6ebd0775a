"""Read a round of Blackjack: splits, doubles, the two hands of Blackjack Switch, and each hand's total."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from services.console.felt.felts import DEALERS_HAND, Hand, Place
from services.console.felt.reading import Fields, Lines, Parts, dealer_cards, one_card, seats_of
from services.console.felt.words import text_of
from services.console.money import dollars
from services.console.words import counted, say


def blackjack(record: Fields, lines: Lines) -> Parts:
    """Return the seats, the dealer's side and the notes of a Blackjack round."""
    cards = dealer_cards(record)
    # After a dealer's Blackjack or in a round that was stopped, players do not stand on their hands.
    played = points(cards[:2])[0] != 21 and not record.peek("irregularities")
    seats = seats_of(record, lambda fields, name, number: _seat(fields, name, number, lines, played=played))
    lucky = record.take("lucky_seat")
    notes = [] if lucky is None else [say("felt.note.lucky_seat", seat=text_of(lucky))]
    # At Blackjack Switch a dealer's 22 returns wagers, so only the settlement can name the dealer's result.
    total = points(cards)[0]
    came = say("felt.said.blackjack") if len(cards) == 2 and total == 21 else say("felt.said.total", total=total)
    said = (came,) if cards else ()
    return seats, Place(say("felt.dealer"), (Hand(DEALERS_HAND, cards, said), *one_card(record, "magic_card"))), notes


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
    if total > 21:
        return (say("felt.said.bust", total=total),)
    return (say("felt.said.soft", total=total) if soft and total < 21 else str(total),)


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
        shown.append(Hand(say("felt.hand.numbered", number=at) if len(hands) > 1 else "", cards, said))
    told: list[str] = []
    if len(pairs) == 2:
        told.append(say("felt.said.switched_second" if switched else "felt.said.not_switched"))
    elif switched:
        told.append(say("felt.said.switched"))
    if pairs and len(hands) > len(pairs):
        told.append(say("felt.said.split", count=len(hands)))
    added = fields.cents("house_money_added")
    if added:
        told.append(say("felt.said.house_money", amount=dollars(added)))
    if not shown and not pairs:
        told.append(say("felt.said.no_cards"))
    lying = Counter(card for hand in shown for card in hand.cards)
    unplayed = [Hand(say("felt.hand.dealt"), tuple(pair)) for pair in pairs if Counter(pair) - lying]
    return Place(name, (*unplayed, *shown), lines.of(number, fields.amounts("wagers")), tuple(told))


def _dealt(fields: Fields) -> list[tuple[str, ...]]:
    """Return the initial hands of a seat: one, two at Blackjack Switch, or none."""
    dealt = fields.listed("dealt")
    if any(isinstance(one, list | tuple) for one in dealt):
        return [fields.as_cards(pair, "dealt") for pair in dealt]
    cards = fields.as_cards(dealt, "dealt")
    return [cards] if cards else []


def _decisions(hand: Fields, cards: tuple[str, ...], *, natural: bool, played: bool) -> tuple[str, ...]:
    """Return the player's decisions on a hand and the hand's total, as text."""
    double, surrendered, even_money = hand.cents("double"), hand.flag("surrendered"), hand.flag("even_money")
    said = []
    hits = len(cards) - 2 - bool(double)
    if hits > 0:
        said.append(counted("felt.said.hit", hits))
    if double:
        said.append(say("felt.said.doubled", amount=dollars(double)))
    if surrendered:
        said.append(say("felt.said.surrendered"))
    if even_money:
        said.append(say("felt.said.even_money"))
    total, soft = points(cards)
    if natural and total == 21:
        said.append(say("felt.said.blackjack"))
    elif played and cards and total < 21 and not (double or surrendered):
        said.append(say("felt.said.stood_soft" if soft else "felt.said.stood", total=total))
    else:
        said += _total(cards)
    return tuple(said)
