"""How far a variance has come, and how serious it is."""

from datetime import date
from typing import Any

import pytest

from services.reporting.framework.figures import EntryRef
from services.reporting.read_model.reading import Listed
from services.reporting.read_model.variances import Case, level_of
from shared.contracts.facts import KINDS
from tests.support.pit_ledger import Ledger, at
from tests.support.properties import place

_DAY = date(2026, 11, 20)
_VARIANCE: dict[str, Any] = {"table": "BJ-01", "variance": "drop", "number": 12, "cents": -500}


def _listed(event: dict[str, Any]) -> Listed:
    fact = KINDS[event["type"]].model.model_validate(event["data"])
    return Listed(EntryRef("table-inventory", 1, event["sequence"]), event["type"], fact, _DAY, at(12), at(12))


@pytest.mark.parametrize(
    ("owned", "resolved", "cents", "parts", "status"),
    [
        (False, False, 0, (), "none"),
        (False, False, 0, (100, -100), "open"),
        (False, False, -500, (), "open"),
        (True, False, -500, (), "owned"),
        (True, True, -500, (), "resolved"),
        (True, True, -600, (), "changed"),
        (True, True, 0, (), "changed"),
    ],
)
def test_the_status_of_a_variance(owned: bool, resolved: bool, cents: int, parts: tuple[int, ...], status: str) -> None:
    """Parts that cancel out are a variance; one that was resolved and is another since has changed."""
    ledger = Ledger()
    case = Case(
        owned=_listed(ledger.owned(at(12), **_VARIANCE)) if owned else None,
        resolved=_listed(ledger.resolved(at(13), **_VARIANCE)) if resolved else None,
    )
    assert status == case.status(cents, *parts)


@pytest.mark.parametrize(
    ("cents", "level"), [(2500, "noted"), (-2501, "report"), (9999, "report"), (10000, "authority")]
)
def test_how_serious_a_variance_is(cents: int, level: str) -> None:
    """By the limits of the pack, either way: above the first it is reported, from the second on the authority knows."""
    assert level == level_of(place(), _DAY, cents)
    own = place(limits={"variance_report_cents": 100})
    assert "report" == level_of(own, _DAY, 101)
