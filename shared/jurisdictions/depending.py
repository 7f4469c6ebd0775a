"""Values of law that depend on revenue: rates by brackets, and values that follow from earlier years of a property."""

from itertools import pairwise
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import AfterValidator, Discriminator, Field

from shared.jurisdictions.forms import Cents, Count, Key
from shared.rules.document import in_dollars, in_percent
from shared.rules.record import Listed, Rate, Record

T = TypeVar("T")


class Bracket(Record):
    """The rate on what is above an amount, up to that of the next bracket."""

    above_cents: Cents
    rate: Rate


def _ascending(brackets: tuple[Bracket, ...]) -> tuple[Bracket, ...]:
    amounts = [one.above_cents for one in brackets]
    if amounts[0] != 0:
        raise ValueError("the first bracket begins at 0: give it 'above_cents': 0")
    if any(before >= after for before, after in pairwise(amounts)):
        raise ValueError("list brackets by ascending 'above_cents', each amount a single time")
    return brackets


class Graduated(Record):
    """A rate by brackets of the revenue that adds up `over` the period of the return, or over the fiscal year.

    >>> brackets = ({"above_cents": 0, "rate": "0.05"}, {"above_cents": 5000000, "rate": "0.08"})
    >>> print(Graduated(over="period", brackets=brackets))
    5% above $0, 8% above $50,000, over the period
    """

    over: Literal["period", "fiscal_year"]
    brackets: Annotated[tuple[Bracket, ...], Listed, Field(min_length=2), AfterValidator(_ascending)]

    def __str__(self) -> str:
        steps = (f"{in_percent(one.rate)} above {in_dollars(one.above_cents)}" for one in self.brackets)
        return f"{', '.join(steps)}, over the {self.over.replace('_', ' ')}"


class AfterAFall(Record, Generic[T]):
    """A value that depends on the two fiscal years before: one where a `measure` of the property `fell`, or another.

    It fell where the last of the two years has less of it than the year before. The property states its measures
    (`revenue_of_years`), for they may be revenue of other games, such as `video_lottery`.
    """

    measure: Key
    fell: T
    otherwise: T


FIXED: Final = "fixed"
GRADUATED: Final = "graduated"
AFTER_A_FALL: Final = "after a fall"
FORMS: Final = frozenset({FIXED, GRADUATED, AFTER_A_FALL})
"""The forms that a value may have."""


def _form_of(value: Any) -> str:
    has = value.__contains__ if isinstance(value, dict) else lambda name: hasattr(value, name)
    return AFTER_A_FALL if has("measure") else GRADUATED if has("brackets") else FIXED


BY_FORM: Final = Discriminator(_form_of)
"""Takes a value for the form that its members say, so that what is wrong with it is said of that form alone."""


class Estimates(Record):
    """A tax by month that is paid ahead: the amount of a month is paid again as an estimate for a later one.

    It is that of the month so many months later, whose return takes it off. With the first whole month of a facility,
    its amount is paid for each of the months until then.
    """

    months_ahead: Count
