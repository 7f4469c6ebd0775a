"""The dated figures by which the ledger judges: what holds on a gaming day, from policies.yaml."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from functools import cache
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from shared.contracts.envelope import Contract
from shared.rules.packaged import packaged

Cents = Annotated[int, Field(ge=0)]
Hours = Annotated[int, Field(ge=1)]
Level = Literal["noted", "report", "authority"]


class DeckHours(Contract):
    """How long cards may stay on a table, hours, by how they are dealt."""

    hand: Hours
    shoe: Hours


class Policy(Contract):
    """What holds from a gaming day on, until the next policy."""

    effective_from: date
    variance_report_cents: Cents
    variance_authority_cents: Cents
    adjustment_listed_cents: Cents
    prepaid_is_drop: bool
    stub_rounds: Annotated[int, Field(ge=1)]
    stub_regulations: tuple[str, ...]
    dice_hours: Hours
    deck_hours: Mapping[str, DeckHours]

    def level(self, cents: int) -> Level:
        """Return how serious a variance is."""
        if abs(cents) >= self.variance_authority_cents:
            return "authority"
        return "report" if abs(cents) > self.variance_report_cents else "noted"

    def deck_life(self, regulation: str, dealing: str) -> timedelta:
        """Return how long cards may stay on a table under a chapter."""
        hours = self.deck_hours.get(regulation, self.deck_hours["default"])
        return timedelta(hours=hours.hand if dealing == "hand" else hours.shoe)


@cache
def policies() -> Sequence[Policy]:
    """Return all versions, the earliest first."""
    versions = TypeAdapter(list[Policy]).validate_python(packaged("services.table_inventory", "policies.yaml"))
    return sorted(versions, key=lambda policy: policy.effective_from)


def policy_on(gaming_day: date, versions: Sequence[Policy] | None = None) -> Policy:
    """Return the policy that holds on a gaming day. Raises: LookupError before the first."""
    begun = [policy for policy in versions or policies() if policy.effective_from <= gaming_day]
    if not begun:
        raise LookupError(f"no policy holds on {gaming_day}: policies.yaml begins later")
    return begun[-1]
