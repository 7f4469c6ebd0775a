"""State income tax that is withheld from winnings in addition to federal tax. Pure; amounts are cents."""

from collections.abc import Iterable
from datetime import date
from fractions import Fraction

from services.reporting.domain.federal.winnings import Candidate
from services.reporting.domain.law import Applied, half_up
from shared.jurisdictions.forms import StateWithholding


def state_tax_cents(rule: StateWithholding | None, candidates: Iterable[Candidate]) -> int:
    """Return the state tax that must be withheld from candidates' winnings, in cents.

    The law on each candidate's day of payment applies. Candidates for other forms than the rule's are ignored.

    Raises: LookupError for a day before the first value of the rule.
    """
    return sum(_demanded(rule, one) for one in candidates if rule is not None and one.form == rule.form)


def _demanded(rule: StateWithholding, candidate: Candidate) -> int:
    day, regular = _paid_on(candidate), [one for one in candidate.withholdings if one.kind == "regular"]
    if not regular or rule.withheld.on(day).value == "never" or rule.base is None or rule.rate is None:
        return 0
    is_of_winnings = rule.base.on(day).value == "winnings"
    base_cents = sum(one.base_cents if is_of_winnings else one.amount_cents for one in regular)
    return half_up(base_cents * Fraction(rule.rate.on(day).value))


def applied_to(rule: StateWithholding | None, candidate: Candidate) -> tuple[Applied, ...]:
    """Return the values of law that decide whether and how much state tax is withheld from a candidate's winnings."""
    if rule is None or candidate.form != rule.form:
        return ()
    day = _paid_on(candidate)
    parts = {"withheld": rule.withheld, "base": rule.base, "rate": rule.rate}
    if rule.withheld.on(day).value == "never":
        parts = {"withheld": rule.withheld}
    return tuple(
        Applied.of(f"state_withholding.{name}", part.on(day)) for name, part in parts.items() if part is not None
    )


def _paid_on(candidate: Candidate) -> date:
    return max(line.paid_on for line in candidate.lines)
