"""Measures of contests: approved fees and prizes; the item of an amount is the contest. Pure; cents."""

from collections.abc import Iterator

from services.reporting.read_model.measures import Amount, adds
from shared.contracts.contests import ContestApproved


@adds(ContestApproved)
def contest(fact: ContestApproved) -> Iterator[Amount]:
    """Yield the change of a contest's fees and prizes since the result was last approved."""
    fees_cents, prizes_cents = (0, 0) if fact.before is None else (fact.before.fees_cents, fact.before.prizes_cents)
    yield Amount("contest_fees_cents", fact.fees_cents - fees_cents, item=fact.contest)
    yield Amount("contest_prizes_cents", fact.prizes_cents - prizes_cents, item=fact.contest)
