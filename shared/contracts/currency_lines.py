"""The lines of a currency transaction report (FinCEN 112): what is moved, by type of transaction, in whole dollars."""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple

from shared.contracts.cage import Direction

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


def form_line(one: MovedCurrency) -> FormLine:
    """Return the line of the form to which currency moved belongs.

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

    Movements of several kinds that are one line of the form are added up before they are rounded.

    >>> moved = MovedCurrency("chip purchase", "in", "", 10), MovedCurrency("chips for currency", "in", "", 80)
    >>> list(dollars_by_line(moved).values())
    [1]
    """
    cents: dict[FormLine, int] = {}
    for one in moved:
        line = form_line(one)
        cents[line] = cents.get(line, 0) + one.cents
    return {line: -(-sum_cents // 100) for line, sum_cents in cents.items()}
