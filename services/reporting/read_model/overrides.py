"""Rules submissions that were approved despite payback findings, and the reasons for the override."""

from typing import Any, Final

from services.reporting.read_model.exceptions import Exceptional
from services.reporting.read_model.reading import Books
from shared.contracts.submissions import Overridden, PaybackFinding, SubmissionApproved

_SAYS: Final = {"differs": "the licensee states", "above_all": "above", "below_floor": "below the floor of"}


def overridden_by(fact: Any) -> Overridden | None:
    """Return the override of payback findings in a fact; None unless it is an approval with an override."""
    return fact.overridden if isinstance(fact, SubmissionApproved) else None


async def of_registry(books: Books) -> list[Exceptional]:
    """Return exceptions for the payback findings that were overridden by approvals on the queried gaming days."""
    first, last = books.question.first, books.question.last
    found = []
    for listed in await books.all_facts(SubmissionApproved):
        fact, overridden = listed.fact, overridden_by(listed.fact)
        day = books.place_on(last).gaming_day(listed.recorded_at)
        if overridden is None or not first <= day <= last:
            continue
        found += [
            Exceptional(
                kind="payback",
                status="approved",
                since=fact.filed_at,
                subject=f"{fact.game} version {fact.version}, {finding.wager}",
                reason=_says(finding),
                entries=(listed.entry,),
                number=number,
                gaming_day=day,
                by=f"{fact.filed_by}, {fact.approved_by}",
                settled_at=fact.approved_at,
                settled_by=fact.approved_by,
                resolution=overridden.reason,
            )
            for number, finding in enumerate(overridden.findings, 1)
        ]
    return found


def _says(finding: PaybackFinding) -> str:
    return f"pays back {finding.payback}%, {_SAYS[finding.problem]} {finding.against}%"
