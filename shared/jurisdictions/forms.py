"""The parts of a pack about forms: the winnings and currency to report, on which form and from which amount."""

from datetime import date
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from shared.jurisdictions.dated import Provision, Text
from shared.rules.record import Listed, Rate, Record

Key = Annotated[str, Field(pattern=r"^[a-z0-9]+(_[a-z0-9]+)*$")]
"""The name of an entry of a pack, such as `state_tax`."""

Cents = Annotated[int, Field(ge=0)]
Count = Annotated[int, Field(ge=1)]


class Form(Record):
    """A form prescribed by an authority: its number, if it has one, and when it is filed or completed."""

    title: Text
    number: Text | None = None
    when: Literal["event", "day", "week", "month", "year"]

    def __str__(self) -> str:
        return f"{self.title}{f' ({self.number})' if self.number else ''}, for each {self.when}"


Winner = Literal["anyone", "nonresident_alien"]
"""The winners to whom a rule applies."""


class ReportableWinnings(Record):
    """Winnings of one wager that must be reported on a form, and the tax withheld from them.

    Winnings are reportable from `threshold_cents` on (0: any amount) and, if `wager_ratio` is given, only if they are
    at least that many times the wager. `reduced_by_wager` decides whether the wager is deducted before these tests; the
    values `if_payer_chooses` and `unless_payer_declines` leave that choice to the payer, and imply the default.
    `combined` decides whether the tests apply to each wager or to all wagers of a seat in a round together. Winnings in
    `excluded_games` are not reported. If `excluded_wagers` is `without_side_bets`, winnings of side bets in these games
    are reported nevertheless. `treaty_rates` (by country) replace the regular rate for residents of countries whose
    treaty gives relief.

    Regular withholding is of winnings less the wager, whatever the payer chose, and applies only if these are above
    `withholding_above_cents` and reach `wager_ratio`. Where it does not apply, backup withholding may.
    """

    form: Key
    winner: Winner
    threshold_cents: Provision[Cents]
    wager_ratio: Provision[Count] | None = None
    reduced_by_wager: Provision[Literal["always", "unless_payer_declines", "if_payer_chooses", "never"]]
    combined: Provision[Literal["each_wager_alone", "seat_and_round"]]
    excluded_games: Provision[Annotated[tuple[Key, ...], Listed]] | None = None
    excluded_wagers: Provision[Literal["all", "without_side_bets"]] | None = None
    withholding_rate: Provision[Rate] | None = None
    withholding_above_cents: Provision[Cents] | None = None
    backup_withholding_rate: Provision[Rate] | None = None
    treaty_rates: Provision[dict[Annotated[str, Field(pattern="^[A-Z]{2}$")], Rate]] | None = None


class StateWithholding(Record):
    """State income tax that is withheld from winnings in addition to the federal tax.

    If `withheld` is `with_federal`, state tax is due whenever regular federal withholding is: `rate` times the
    `federal_tax` withheld, or times the `winnings` subject to it. A cashier may record a higher amount, or tax that is
    not due.
    """

    state_code: Annotated[str, Field(pattern="^[A-Z]{2}$")]
    form: Key
    withheld: Provision[Literal["with_federal", "never"]]
    base: Provision[Literal["federal_tax", "winnings"]] | None = None
    rate: Provision[Rate] | None = None

    @model_validator(mode="after")
    def _says_how_much(self) -> Self:
        for dated in self.withheld.root:
            for part in (self.base, self.rate) if dated.value == "with_federal" else ():
                if part is None or part.root[0].effective_from > dated.effective_from:
                    raise ValueError(f"what is withheld from {dated.effective_from} on has a base and a rate")
        return self


class SuspiciousReport(Record):
    """The rule for reporting suspicious activity of `threshold_cents` or more, within `file_within_days` of detection.

    `file_within_days_without_subject` applies if no subject was known on the day of detection.
    """

    form: Key
    threshold_cents: Provision[Cents]
    file_within_days: Provision[Count]
    file_within_days_without_subject: Provision[Count]


class CurrencyReport(Record):
    """The rule for reporting or logging transactions in currency or instruments that reach or exceed a threshold.

    `together` defines which transactions of a person are added up.
    """

    form: Key
    medium: Literal["currency", "instrument"] = "currency"
    threshold_cents: Provision[Cents]
    reached: Literal["at", "above"]
    together: Provision[Literal["each_alone", "gaming_day_in_and_out_apart"]]
    file_within_days: Provision[Count] | None = None

    def reached_cents(self, day: date) -> int:
        """Return the smallest amount to report on a gaming day, in cents: the threshold, or one cent above it."""
        return self.threshold_cents.on(day).value + (self.reached == "above")
