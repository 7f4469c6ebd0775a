"""The console's lists of filings: what is late is late on the property's calendar."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from services.console.pages.filings import report_in_words, with_lateness

NOW = datetime(2026, 12, 5, 21, tzinfo=ZoneInfo("America/New_York"))
"""The 6th in UTC."""


@pytest.mark.parametrize(
    ("is_late", "said"),
    [
        (False, {"status": "prepared", "file_by": "2026-12-05"}),
        (True, {"status": "released", "file_by": "2026-12-04"}),
        (False, {"status": "filed", "file_by": "2026-12-04", "filed_at": "2026-12-05T02:30:00Z"}),
        (True, {"status": "accepted", "file_by": "2026-12-04", "filed_at": "2026-12-05T05:30:00Z"}),
        (True, {"status": "rejected", "file_by": "2026-12-04", "filed_at": "2026-12-03T12:00:00Z"}),
        (False, {"status": "rejected", "file_by": "2026-12-04", "filed_at": "2026-12-03T12:00:00Z", "is_open": False}),
        (True, {"status": "rejected", "file_by": "2026-12-04", "filed_at": "2026-12-05T12:00:00Z", "is_open": False}),
        (False, {"status": "withdrawn", "file_by": "2026-12-04"}),
        (False, {"status": "released", "file_by": "2026-12-04", "only_amends": True}),
        (False, {"status": "filed", "file_by": "2026-12-04", "filed_at": "2026-12-05T12:00:00Z", "only_amends": True}),
        (True, {"status": "rejected", "file_by": "2026-12-04", "only_amends": True}),
    ],
)
def test_a_filing_is_late_by_the_clock_of_its_property(is_late: bool, said: dict[str, Any]) -> None:
    """Sent at half past nine in the evening of the last day is in time; an amendment has no last day until rejected."""
    assert is_late == bool(with_lateness({"only_amends": False} | said, now=NOW)["late"])


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("patron", "patron"),
        ("account", "account of an unidentified person"),
        ("entry", "entry of an unidentified person"),
    ],
)
def test_a_report_says_in_words_whom_it_is_about(kind: str, said: str) -> None:
    """And what it has of currency, and what was found wrong with it."""
    errors = [{"code": "B76", "place": "RawZIPCode", "is_warning": False}]
    shown = report_in_words({"kind": kind, "reference": "x", "in_dollars": 10_001, "out_dollars": 0, "errors": errors})
    assert (said, "$10,001", "$0", "B76 RawZIPCode") == tuple(
        shown[name] for name in ("subject", "in_dollars", "out_dollars", "errors")
    )
