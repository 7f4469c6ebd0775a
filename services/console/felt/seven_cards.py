"""Read a round of Pai Gow Poker or Face Up Pai Gow Poker: seven cards set as a high and a low hand, and the bank."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

from services.console.felt.felts import Hand, Place, Wager
from services.console.felt.reading import Fields, Lines, Parts, seats_of
from services.console.felt.words import is_cents, money, text_of
from services.console.words import say


def pai_gow(record: Fields, lines: Lines) -> Parts:
    """Return the seats, the dealer's side and the notes of a game in which a player may bank."""
    bank = record.take("bank")
    fields = record.inner(bank, say("felt.unknown.in.bank"))
    banker, together, dealer_wager = fields.take("seat"), fields.flag("co"), fields.cents("dealer_wager")
    fields.end()
    notes = []
    if bank is not None:
        notes.append(say("felt.note.co_banks" if together else "felt.note.banks", seat=text_of(banker)))
    seats, dealer, further = _round(record, lines, banker, {"dealer_wager": dealer_wager} if dealer_wager else {})
    return seats, dealer, [*notes, *further]


def face_up_pai_gow(record: Fields, lines: Lines) -> Parts:
    """Return what the felt shows of a Face Up Pai Gow Poker round, which the house banks: seats, dealer, notes."""
    return _round(record, lines, None, {})


def _round(record: Fields, lines: Lines, banker: Any, wagered: Mapping[str, int]) -> Parts:
    seats = seats_of(record, lambda fields, name, number: _seat(fields, name, number, lines, banker))
    dealer = record.inner(record.take("dealer"), say("felt.unknown.in.dealer"))
    hands = _set_hands(dealer)
    dealer.end()
    position = record.take("starting_position")
    notes = [] if position is None else [say("felt.note.starting_position", position=text_of(position))]
    said = () if any(hand.cards for hand in hands) else (say("felt.said.no_cards"),)
    return seats, Place(say("felt.dealer"), hands, lines.of(0, wagered), said), notes


def _seat(fields: Fields, name: str, number: Any, lines: Lines, banker: Any) -> Place:
    hands = _set_hands(fields)
    said = [say("felt.said.banker")] if banker is not None and banker == number else []
    said += [say("felt.said.surrendered")] if fields.flag("surrendered") else []
    said += [say("felt.said.voided")] if fields.flag("voided") else []
    picked = _picks(fields)
    said += [say("felt.said.picked", pick=pick, amount=money(cents)) for pick, cents in picked]
    said += [] if any(hand.cards for hand in hands) else [say("felt.said.no_cards")]
    wagers = lines.of(number, fields.amounts("wagers"))
    if not any(wager.name == "starting_position" for wager in wagers):
        wagers += tuple(Wager("starting_position", cents) for _, cents in picked)
    return Place(name, hands, wagers, tuple(said))


def _picks(fields: Fields) -> list[tuple[str, int]]:
    """Return the numbers that a player picked, with the cents on each; keys are numbers or, in JSON, text."""
    picks = fields.take("picks")
    if not isinstance(picks, Mapping):
        if picks is not None:
            fields.note(say("felt.unknown.picks", text=text_of(picks)))
        return []
    found = []
    for pick, cents in list(picks.items())[:7]:
        if is_cents(cents):
            found.append((text_of(pick), cents))
        else:
            fields.note(say("felt.unknown.pick", pick=text_of(pick), amount=text_of(cents)))
    return found


def _set_hands(fields: Fields) -> tuple[Hand, ...]:
    """Return the high and the low hand, or all cards as one hand if they were not set."""
    cards, low = fields.cards("cards"), fields.cards("low")
    if not low:
        return (Hand("", cards),) if cards else ()
    left, high = Counter(low), []
    for card in cards:
        if left[card] > 0:
            left[card] -= 1
        else:
            high.append(card)
    return (Hand(say("felt.hand.low"), low), Hand(say("felt.hand.high"), tuple(high)))
