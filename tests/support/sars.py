"""Suspicious activity reports for tests."""

from datetime import date
from typing import Any, Final

from services.cli.filing.sar_batch import SarDraft, sar_batch
from tests.support.accounts import IDENTITY, PROPERTY
from tests.support.filings import FILER

DETECTED: Final = date(2026, 11, 20)
PEOPLE: Final = {"sar.ana": ["sar.prepare"], "sar.off": ["sar.prepare.approve"]}
NARRATIVE: Final = "On three days the patron bought chips for just less than the threshold, and left without playing."


def draft_of(**more: Any) -> SarDraft:
    """Return a draft with its narrative."""
    said = {
        "property": PROPERTY,
        "detected_on": DETECTED.isoformat(),
        "subject": "p-1",
        "identity": IDENTITY,
        "first_day": "2026-11-18",
        "last_day": "2026-11-20",
        "dollars": 28_800,
        "suspicions": ["below_ctr_threshold"],
        "narrative": NARRATIVE,
    } | more
    return SarDraft.model_validate(said)


def sar_text(**more: Any) -> str:
    """Return the file of a report."""
    return sar_batch(FILER, draft_of(**more), filed_on=DETECTED).decode()


def sar_of(*, subject: str | None = "p-1", detected_on: date = DETECTED, **draft: Any) -> dict[str, Any]:
    """Return the body of the command that prepares a report; without a subject nobody is known."""
    identity = IDENTITY if subject is not None else None
    said = {"property": PROPERTY, "detected_on": detected_on.isoformat()}
    said |= {} if subject is None else {"subject": subject}
    return said | {"file": sar_text(**{"subject": subject, "identity": identity, **draft})}
