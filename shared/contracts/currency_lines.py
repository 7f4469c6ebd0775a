"""The lines and parties of a currency transaction report (FinCEN 112), in whole dollars, and their digest."""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from json import dumps
from typing import Final, NamedTuple, Protocol, TypeVar

from shared.contracts.cage import Direction

ON_OWN_BEHALF: Final = "50"
FOR_ANOTHER: Final = "17"
FOR_WHOM: Final = "23"

LINE_CODES: Final[Mapping[tuple[str, Direction], str]] = {
    ("buy-in", "in"): "55",
    ("front money deposit", "in"): "55",
    ("safekeeping deposit", "in"): "55",
    ("counter check", "in"): "46",
    ("wire sent", "in"): "23",
    ("casino check purchase", "in"): "12",
    ("currency exchange", "in"): "14",
    ("foreign currency sold", "in"): "14",
    ("chip purchase", "in"): "18",
    ("chips for currency", "in"): "18",
    ("currency wager", "in"): "21",
    ("tournament fee", "in"): "997",
    ("other in", "in"): "997",
    ("foreign currency bought", "in"): "53",
    ("cash-out", "out"): "56",
    ("front money withdrawal", "out"): "56",
    ("safekeeping withdrawal", "out"): "56",
    ("credit advance", "out"): "30",
    ("wire paid", "out"): "32",
    ("check cashed", "out"): "13",
    ("currency exchange", "out"): "15",
    ("foreign currency bought", "out"): "15",
    ("chip redemption", "out"): "28",
    ("winnings paid", "out"): "31",
    ("travel reimbursed", "out"): "33",
    ("promotion paid", "out"): "34",
    ("tournament prize", "out"): "34",
    ("other out", "out"): "998",
    ("foreign currency sold", "out"): "54",
}
"""(kind of movement in the currency report, direction) -> code of the type of transaction on the form."""

_OTHER: Final = frozenset({"997", "998"})
_FOREIGN: Final = frozenset({"53", "54"})


class MovedCurrency(NamedTuple):
    """Currency moved: the kind of movement in the currency report, its direction, and the sum in cents.

    `specified` is the purpose of movements for which the form has no type of its own, or the country of foreign
    currency.
    """

    kind: str
    direction: Direction
    specified: str
    cents: int


class FormLine(NamedTuple):
    """A line of the form: its direction and type of transaction, with the purpose or country that some types require.

    `code` is empty for a kind of movement for which the form has no type; `specified` is then the kind.
    """

    direction: Direction
    code: str
    specified: str = ""

    @property
    def purpose(self) -> str:
        """Return the purpose of the transactions; empty for types that require none."""
        return self.specified if self.code in _OTHER else ""

    @property
    def country(self) -> str:
        """Return the country of foreign currency; empty for other types."""
        return self.specified if self.code in _FOREIGN else ""


class MovedFor(Protocol):
    """Currency moved by a conductor on behalf of others; if neither is given, on one's own behalf."""

    @property
    def kind(self) -> str: ...
    @property
    def direction(self) -> Direction: ...
    @property
    def specified(self) -> str: ...
    @property
    def cents(self) -> int: ...
    @property
    def conductor(self) -> str | None: ...
    @property
    def on_behalf_of(self) -> tuple[str, ...]: ...


_Moved = TypeVar("_Moved", bound=MovedFor)


class DigestedLine(NamedTuple):
    """A line as printed on the form: code, purpose, country, and whole dollars."""

    code: str
    purpose: str
    country: str
    dollars: int


class DigestedParty(NamedTuple):
    """A party as printed on the form: its code, and its whole dollars in and out."""

    code: str
    in_dollars: int
    out_dollars: int


def form_line(one: MovedCurrency) -> FormLine:
    """Return the line of the form on which a movement of currency is reported.

    >>> form_line(MovedCurrency("chip purchase", "in", "", 500_010))
    FormLine(direction='in', code='18', specified='')
    >>> form_line(MovedCurrency("other in", "in", "", 100))
    FormLine(direction='in', code='997', specified='other in')
    """
    code = LINE_CODES.get((one.kind, one.direction))
    if code is None:
        return FormLine(one.direction, "", one.kind)
    if code in _OTHER:
        return FormLine(one.direction, code, one.specified or one.kind)
    return FormLine(one.direction, code, one.specified if code in _FOREIGN else "")


def dollars_by_line(moved: Iterable[MovedCurrency]) -> dict[FormLine, int]:
    """Return the whole dollars of each line of the form, rounded up, in the order in which the lines first occur.

    Movements of different kinds that are reported on the same line are added up before they are rounded.

    >>> moved = MovedCurrency("chip purchase", "in", "", 10), MovedCurrency("chips for currency", "in", "", 80)
    >>> list(dollars_by_line(moved).values())
    [1]
    """
    cents: dict[FormLine, int] = {}
    for one in moved:
        line = form_line(one)
        cents[line] = cents.get(line, 0) + one.cents
    return {line: -(-sum_cents // 100) for line, sum_cents in cents.items()}


def dollars_in_and_out(moved: Iterable[MovedFor]) -> dict[Direction, int]:
    """Return the total of the form's lines for each direction, in whole dollars."""
    sums: dict[Direction, int] = {"in": 0, "out": 0}
    for line, dollars in dollars_by_line(map(_without_persons, moved)).items():
        sums[line.direction] += dollars
    return sums


def parts_of(reference: str, moved: Iterable[_Moved]) -> dict[tuple[str, str], list[_Moved]]:
    """Return the movements of each party, keyed by (person, party code); those of `reference` come first, by code.

    A person who acts both on their own behalf and for others, or for whom others act, is several parties. An amount
    moved for several persons counts in full for each of them. If nothing was moved, `reference` is the only party.
    """
    parts: dict[tuple[str, str], list[_Moved]] = {}
    for one in moved:
        for part in _parts_in(reference, one):
            parts.setdefault(part, []).append(one)
    if not parts:
        return {(reference, ON_OWN_BEHALF): []}
    order = sorted(parts, key=lambda part: (part[0] != reference, part[1] if part[0] == reference else ""))
    return {part: parts[part] for part in order}


def _parts_in(reference: str, one: MovedFor) -> Iterator[tuple[str, str]]:
    if one.conductor is None and not one.on_behalf_of:
        yield reference, ON_OWN_BEHALF
    if one.conductor is not None:
        yield one.conductor, FOR_ANOTHER
    for principal in one.on_behalf_of:
        yield principal, FOR_WHOM


def lines_digest(lines: Iterable[DigestedLine], parties: Iterable[DigestedParty]) -> str:
    """Return the SHA-256 of the lines of a report and of its parties, the first of whom is the person reported.

    The order of the lines, and of the other parties, does not matter.
    """
    first, *others = parties
    return sha256(dumps([sorted(lines), first, sorted(others)]).encode()).hexdigest()


def digest_of_moved(reference: str, moved: Iterable[MovedFor]) -> str:
    """Return the `lines_digest` of a report about the person `reference` with these movements."""
    every = list(moved)
    dollars = dollars_by_line(map(_without_persons, every))
    lines = [DigestedLine(line.code, line.purpose, line.country, sum_of) for line, sum_of in dollars.items()]
    parts = ((code, dollars_in_and_out(of_part)) for (_, code), of_part in parts_of(reference, every).items())
    return lines_digest(lines, [DigestedParty(code, sums["in"], sums["out"]) for code, sums in parts])


def _without_persons(one: MovedFor) -> MovedCurrency:
    return MovedCurrency(one.kind, one.direction, one.specified, one.cents)
