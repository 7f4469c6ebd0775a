"""A winner's claim to relief under a tax treaty, and the reasons to refuse it."""

from collections.abc import Mapping
from datetime import date
from typing import Annotated, Self

from pydantic import StringConstraints, model_validator

from shared.contracts.countries import Country
from shared.contracts.envelope import Contract
from shared.contracts.moments import Day


class TreatyClaim(Contract):
    """A winner's treaty claim on Form W-8BEN: the country, and the article of the treaty.

    The claim is valid from `signed_on` through `valid_until`. The cashier receives the form; the form and the taxpayer
    number on it are kept with the winner's identity.
    """

    country: Country
    article: Annotated[str, StringConstraints(pattern=r"^[A-Za-z0-9().,; -]{1,40}$", strip_whitespace=True)]
    signed_on: Day
    valid_until: Day

    @model_validator(mode="after")
    def _holds_for_a_time(self) -> Self:
        if self.valid_until < self.signed_on:
            raise ValueError(f"'valid_until' {self.valid_until} is before 'signed_on' {self.signed_on}")
        return self


def treaty_refusal(
    claim: TreatyClaim, rates: Mapping[str, str], *, paid_on: date, residence: str | None, has_number: bool
) -> str | None:
    """Return why a claim gives no relief on the day of payment, or None.

    `rates` is country -> rate, for the countries whose treaty gives relief on that day. `residence` is the country of
    the winner's tax residence, and `has_number` is whether the winner gave a taxpayer number.
    """
    if claim.country not in rates:
        return f"no treaty with {claim.country} gives relief on winnings of {paid_on}"
    if claim.country != residence:
        return f"the winner is a resident of {residence or 'no known country'}, not of {claim.country}"
    if not claim.signed_on <= paid_on <= claim.valid_until:
        return f"the claim holds from {claim.signed_on} to {claim.valid_until}, and the win was paid on {paid_on}"
    return None if has_number else "nobody claims relief without a taxpayer number"
