"""Read a record of any shape without failing, collecting unexpected content to show as text."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from services.console.felt.felts import Hand, Place, Result, Wager
from services.console.felt.words import IRREGULARITIES, is_card, is_cents, money, text_of, title, words
from services.console.words import say

Parts = tuple[list[Place], Place, list[str]]
"""Seats, the dealer's side, and notes."""

_LISTED_MAX: Final = 60
_UNKNOWN_MAX: Final = 20


class Fields:
    """Reads the members of a mapping one by one; members that are never read are reported as unknown."""

    def __init__(self, document: Any, place: str, unknown: list[str]) -> None:
        self.place, self._unknown = place, unknown
        self._left: dict[Any, Any] = {}
        if isinstance(document, Mapping):
            self._left = dict(document)
        elif document is not None:
            self.note(say("felt.unknown.document", text=text_of(document)))

    def note(self, what: str) -> None:
        """Add a message about unexpected content to the notes."""
        if len(self._unknown) < _UNKNOWN_MAX:
            self._unknown.append(f"{self.place}: {what}" if self.place else what)
        elif len(self._unknown) == _UNKNOWN_MAX:
            self._unknown.append(say("felt.unknown.more"))

    def inner(self, document: Any, place: str) -> "Fields":
        """Return a reader for a document nested in this document."""
        return Fields(document, place, self._unknown)

    def take(self, name: str, otherwise: Any = None) -> Any:
        """Return the value of a record's member, and mark the member as read."""
        return self._left.pop(name, otherwise)

    def peek(self, name: str) -> Any:
        """Return the value of a record's member without marking the member as read."""
        return self._left.get(name)

    def flag(self, name: str) -> bool:
        """Return a member that is true or false; note any other value."""
        value = self.take(name, False)
        if not isinstance(value, bool):
            self.note(f"{words(name)} {text_of(value)}")
        return value is True

    def cents(self, name: str) -> int:
        """Return a member that is an amount in cents; 0 if absent."""
        value = self.take(name, 0)
        if not is_cents(value):
            self.note(f"{words(name)} {text_of(value)}")
            return 0
        return int(value)

    def listed(self, name: str) -> tuple[Any, ...]:
        """Return a member that is a list; a list too long for a page is truncated, with a note."""
        return self.as_list(self.take(name, ()), name)

    def as_list(self, value: Any, name: str) -> tuple[Any, ...]:
        """Return a value that should be a list as a tuple; note any other value."""
        if value is None:
            return ()
        if isinstance(value, str | bytes) or not isinstance(value, Sequence):
            self.note(f"{words(name)} {text_of(value)}")
            return ()
        if len(value) > _LISTED_MAX:
            self.note(say("felt.unknown.cut", field=words(name), count=len(value), shown=_LISTED_MAX))
        return tuple(value[:_LISTED_MAX])

    def cards(self, name: str) -> tuple[str, ...]:
        """Return a member that is a list of cards; other values in it are noted."""
        return self.as_cards(self.take(name, ()), name)

    def as_cards(self, value: Any, name: str) -> tuple[str, ...]:
        """Return a value that should be a list of cards as a tuple; note any other value."""
        found = self.as_list(value, name)
        for one in found:
            if not is_card(one):
                self.note(say("felt.unknown.card", field=words(name), card=text_of(one)))
        return tuple(one for one in found if is_card(one))

    def amounts(self, name: str) -> dict[str, int]:
        """Return a member that maps names to amounts; note any other value."""
        value = self.take(name, None)
        if value is None:
            return {}
        if not isinstance(value, Mapping):
            self.note(f"{words(name)} {text_of(value)}")
            return {}
        found: dict[str, int] = {}
        for key, cents in list(value.items())[:_LISTED_MAX]:
            if isinstance(key, str) and is_cents(cents):
                found[key] = cents
            else:
                self.note(f"{words(name)}: {text_of(key)} {money(cents)}")
        return found

    def end(self) -> None:
        """Note the members that were never read."""
        for name, value in self._left.items():
            self.note(f"{words(name)} {text_of(value)}")
        self._left = {}


class Lines:
    """A settlement's lines by seat and wager; lines that were never read are reported at the end."""

    def __init__(self, settlement: Any, unknown: list[str]) -> None:
        self._by_seat: dict[Any, list[Mapping[str, Any]]] = {}
        self._fields = Fields({}, say("felt.unknown.in.settlement"), unknown)
        lines = settlement.get("lines") if isinstance(settlement, Mapping) else None
        for line in self._fields.as_list(lines, say("felt.unknown.in.lines")) if lines is not None else ():
            if isinstance(line, Mapping) and isinstance(line.get("seat"), int) and isinstance(line.get("wager"), str):
                self._by_seat.setdefault(line["seat"], []).append(line)
            else:
                self._fields.note(say("felt.unknown.line", text=text_of(line)))

    def of(self, seat: Any, wagers: Mapping[str, int]) -> tuple[Wager, ...]:
        """Return a seat's wagers with their settlement lines, followed by payouts without a stake."""
        lines = self._by_seat.pop(seat, []) if isinstance(seat, int) else []
        found: list[Wager] = []
        for name, cents in wagers.items():
            own = [line for line in lines if line["wager"] == name]
            lines = [line for line in lines if line["wager"] != name]
            found += [_settled(line) for line in own] or [Wager(name, cents)]
        return (*found, *map(_settled, lines))

    def left(self) -> Iterator[str]:
        """Return texts of the settlement lines for seats that are missing from the record."""
        for seat, lines in self._by_seat.items():
            for line in lines:
                yield say("felt.unknown.settled", seat=text_of(seat), wager=_settled(line).words)


def _settled(line: Mapping[str, Any]) -> Wager:
    hand, category = line.get("hand"), line.get("category")

    def cents(name: str) -> int:
        value = line.get(name, 0)
        return int(value) if is_cents(value) else 0

    result = Result(
        outcome=text_of(line.get("outcome", say("felt.unknown_outcome"))),
        payout_cents=cents("payout"),
        returned_cents=cents("stake_returned"),
        vigorish_cents=cents("vigorish"),
        category=category if isinstance(category, str) else None,
        from_meter_cents=cents("from_meter"),
    )
    return Wager(line["wager"], cents("stake"), hand if isinstance(hand, int) else None, result)


def irregularities(record: Fields) -> list[str]:
    """Return descriptions of a round's irregularities."""
    said = []
    for one in record.listed("irregularities"):
        fields = record.inner(one, say("felt.unknown.in.irregularity"))
        code, seat, count = fields.take("code"), fields.take("seat"), fields.take("count")
        after = fields.take("after_initial_deal")
        fields.end()
        what = [IRREGULARITIES.get(code, words(code)) if isinstance(code, str) else text_of(one)]
        if seat is not None:
            what.append(say("felt.irregularity.seat", seat=text_of(seat)))
        if count is not None:
            what.append(say("felt.irregularity.count", count=text_of(count)))
        if after is not None:
            what.append(say("felt.irregularity.after_deal" if after else "felt.irregularity.in_deal"))
        said.append(say("felt.note.irregularity", what=", ".join(what)))
    return said


def meters(record: Fields) -> list[str]:
    """Return a text with the meter amounts displayed before the round."""
    shown = record.amounts("meters")
    return [say("felt.note.meter", wager=title(name), amount=money(cents)) for name, cents in shown.items()]


def of_seat(fields: Fields) -> tuple[Any, str]:
    """Return the number of a seat, and its display name including the player."""
    number, player = fields.take("seat"), fields.take("player")
    name = "felt.seat" if player is None else "felt.seat_of"
    return number, say(name, seat=text_of(number), player=text_of(player))


def _numbered(place: tuple[Any, Place]) -> tuple[bool, Any]:
    number = place[0]
    return (not is_cents(number), number if is_cents(number) else 0)


def seats_of(record: Fields, read: Callable[[Fields, str, Any], Place]) -> list[Place]:
    """Return the seats in table order: from the dealer's far left to the dealer's far right."""
    found: list[tuple[Any, Place]] = []
    for one in record.listed("seats"):
        fields = record.inner(one, say("felt.unknown.in.any_seat"))
        number, name = of_seat(fields)
        fields.place = say("felt.unknown.in.seat", seat=text_of(number))
        found.append((number, read(fields, name, number)))
        fields.end()
    return [place for _, place in sorted(found, key=_numbered)]


def dealer_cards(record: Fields) -> tuple[str, ...]:
    """Return the dealer's cards, for games in which the dealer's record has nothing else."""
    dealer = record.inner(record.take("dealer"), say("felt.unknown.in.dealer"))
    cards = dealer.cards("cards")
    dealer.end()
    return cards


def one_card(record: Fields, name: str) -> list[Hand]:
    """Return a single card as a hand; an empty hand if the record has none."""
    card = record.take(name)
    if card is None:
        return []
    if not is_card(card):
        record.note(say("felt.unknown.card", field=title(name), card=text_of(card)))
        return []
    return [Hand(title(name), (card,))]
