"""Read the record of a round of any game, and return its felt."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from services.console.felt.blackjack import blackjack
from services.console.felt.felts import DEALERS_HAND, Felt, Hand, Place, Wager
from services.console.felt.reading import Fields, Lines, Parts, dealer_cards, irregularities, meters, one_card, seats_of
from services.console.felt.seven_cards import face_up_pai_gow, pai_gow
from services.console.felt.words import GAMES, card_words, text_of, title
from services.console.money import dollars
from services.console.words import say

_SEATS_MAX: Final = 16

_WAGERS: Final = {
    "blackjack": "blackjack",
    "pai_gow_poker": "pai_gow",
    "face_up_pai_gow_poker": "face_up_pai_gow",
    "flop": "holdem",
    "blind": "dj_wild",
    "over_23": "over_under",
    "under_18": "over_under",
}
"""The game that a wager identifies, by the wager's name."""


def felt_of(record: Any, settlement: Any = None, *, game: str | None = None) -> Felt:
    """Return the felt of a round; never raises an exception, whatever the record contains.

    `record` is the round as in docs/contract/ROUND.md, `settlement` a document with its `lines`, `game` the game's name
    in the catalogue; without it, the game is inferred from the wagers.
    """
    unknown: list[str] = []
    fields, lines = Fields(record, "", unknown), Lines(settlement, unknown)
    known = game if game is not None and game in GAMES else _game_of(record)
    seats, dealer, notes = _READERS.get(known, _any_game)(fields, lines)
    notes += [*irregularities(fields), *meters(fields)]
    fields.end()
    if len(seats) > _SEATS_MAX:
        unknown.append(say("felt.unknown.seats", count=len(seats), shown=_SEATS_MAX))
    unknown += lines.left()
    name = GAMES.get(known, title(game or say("felt.unknown_game")))
    return Felt(known, name, tuple(seats[:_SEATS_MAX]), dealer, tuple(notes), tuple(unknown))


def _game_of(record: Any) -> str:
    seats = record.get("seats") if isinstance(record, Mapping) else None
    named = [seat for seat in seats if isinstance(seat, Mapping)] if isinstance(seats, list | tuple) else []
    for seat in named:
        wagers = seat.get("wagers")
        for name in wagers if isinstance(wagers, Mapping) else ():
            if isinstance(name, str) and name in _WAGERS:
                return _WAGERS[name]
    if isinstance(record, Mapping) and "community" in record:
        return "holdem"
    return "over_under" if any("surrendered" in seat for seat in named) else "unknown"


def holdem(record: Fields, lines: Lines) -> Parts:
    """Read a round of Texas Hold 'Em Bonus Poker: two cards per seat, and the board."""
    board = record.cards("community")
    streets = {"flop": board[:3], "turn": board[3:4], "river": board[4:5], "further": board[5:]}

    def seat(fields: Fields, name: str, number: Any) -> Place:
        wagers, folded = fields.amounts("wagers"), fields.flag("folded")
        said = []
        for street, bet in enumerate(("flop", "turn", "river")):
            if bet in wagers:
                said.append(say(f"felt.said.bet_{bet}", amount=dollars(wagers[bet])))
            elif "flop" in wagers and street and len(board) >= 4:
                said.append(say(f"felt.said.checked_{bet}"))
        said += [say("felt.said.folded")] if folded else []
        return Place(name, (Hand("", fields.cards("cards")),), lines.of(number, wagers), tuple(said))

    seats = seats_of(record, seat)
    hands = [
        Hand(DEALERS_HAND, dealer_cards(record)),
        *(Hand(say(f"felt.hand.{street}"), cards) for street, cards in streets.items() if cards),
    ]
    lucky = record.take("lucky_position")
    note = "felt.note.lucky_dealer" if lucky == "dealer" else "felt.note.lucky_position"
    notes = [] if lucky is None else [say(note, seat=text_of(lucky))]
    return seats, Place(say("felt.dealer"), (*hands, *one_card(record, "magic_card"))), notes


def dj_wild(record: Fields, lines: Lines) -> Parts:
    """Read a round of DJ Wild Stud Poker: five cards per seat; deuces and the joker are wild."""

    def seat(fields: Fields, name: str, number: Any) -> Place:
        wagers, folded = fields.amounts("wagers"), fields.flag("folded")
        said = [say("felt.said.folded")] if folded else []
        ante, raised = wagers.get("ante", 0), wagers.get("raise", 0)
        if raised:
            raise_words = "felt.said.raised_times" if ante else "felt.said.raised"
            said.append(say(raise_words, times=f"{raised / (ante or 1):g}", amount=dollars(raised)))
        return Place(name, (_wild("", fields.cards("cards")),), lines.of(number, wagers), tuple(said))

    seats = seats_of(record, seat)
    return (
        seats,
        Place(say("felt.dealer"), (_wild(DEALERS_HAND, dealer_cards(record)), *one_card(record, "spare_card"))),
        [],
    )


def _wild(name: str, cards: tuple[str, ...]) -> Hand:
    wild = frozenset(place for place, card in enumerate(cards) if card[0] == "2" or card == "Jk")
    named = ", ".join(card_words(cards[place]) for place in sorted(wild))
    return Hand(name, cards, (say("felt.said.wild", cards=named),) if wild else (), wild)


def over_under(record: Fields, lines: Lines) -> Parts:
    """Read a round of Over/Under: three cards per seat, and none for the dealer."""

    def seat(fields: Fields, name: str, number: Any) -> Place:
        wagers = fields.amounts("wagers")
        said = [say("felt.said.surrendered")] if fields.flag("surrendered") else []
        said += [say("felt.said.chose", wager=title(side)) for side in ("over_23", "under_18") if side in wagers]
        cards = fields.cards("cards")
        if len(cards) == 3:
            said.append(say("felt.said.total", total=sum(map(_points, cards))))
        return Place(name, (Hand("", cards),), lines.of(number, wagers), tuple(said))

    return seats_of(record, seat), Place(say("felt.dealer"), said=(say("felt.said.no_hand"),)), []


def _points(card: str) -> int:
    return 11 if card[0] == "A" else int(card[0]) if card[0].isdigit() else 10


def _any_game(record: Fields, lines: Lines) -> Parts:
    """Read the members common to all games; all other members are shown as text."""

    def seat(fields: Fields, name: str, number: Any) -> Place:
        wagers: tuple[Wager, ...] = lines.of(number, fields.amounts("wagers"))
        said = [say(f"felt.said.{flag}") for flag in ("folded", "surrendered") if fields.flag(flag)]
        return Place(name, (Hand("", fields.cards("cards")),), wagers, tuple(said))

    return seats_of(record, seat), Place(say("felt.dealer"), (Hand(DEALERS_HAND, dealer_cards(record)),)), []


_READERS: Final[Mapping[str, Callable[[Fields, Lines], Parts]]] = {
    "blackjack": blackjack,
    "pai_gow": pai_gow,
    "face_up_pai_gow": face_up_pai_gow,
    "holdem": holdem,
    "dj_wild": dj_wild,
    "over_under": over_under,
}
