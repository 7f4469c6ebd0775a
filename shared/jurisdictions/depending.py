"""Values fixed by law that depend on revenue: rates by brackets, and values that depend on earlier fiscal years."""

from itertools import pairwise
from typing import Annotated, Any, Final, Generic, Literal, TypeVar

from pydantic import AfterValidator, Discriminator, Field

from shared.jurisdictions.forms import Cents, Count, Key
from shared.rules.document import in_dollars, in_percent
from shared.rules.record import Listed, Rate, Record

T = TypeVar("T")


class Bracket(Record):
    """A tax bracket: the rate on the revenue above an amount, up to the amount of the next bracket."""

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
    """A rate by brackets of cumulative revenue, accumulated `over` the period of the return or the fiscal year.

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
    """A value that depends on the two previous fiscal years: `fell` if a property's `measure` fell, else `otherwise`.

    The measure fell if it is lower in the last fiscal year than in the year before. The property states its measures
    (`revenue_of_years`), because they may be revenue of other games, such as `video_lottery`.
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
"""Selects the form of a value by its members, so that validation errors are about that form only."""


class Estimates(Record):
    """Advance payments of a monthly tax: the tax of a month is paid again as the estimate for a later month.

    The estimate is for the month `months_ahead` later, whose return deducts it. The tax of a facility's first whole
    month is also paid as the estimate for each month in between.
    """

    months_ahead: Count
