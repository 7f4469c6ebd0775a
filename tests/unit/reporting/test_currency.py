"""Currency reports and logs: what is added up, what is reached, near or below, and by when it is filed."""

from datetime import date
from fractions import Fraction
from typing import Any

import pytest

from services.reporting.domain.federal.currency import CashMovement, currency_totals, department_logs, reported_with
from shared.jurisdictions import pack
from tests.support.packs import changed, dated
from tests.unit.reporting.cash import DAY, paid

LAW = pack("us-federal")
AT_TABLE: dict[str, Any] = {"department": "table", "place": "BJ-01"}


@pytest.mark.parametrize(
    ("dollars", "standing", "file_by"),
    [
        (7_999, "below", None),
        (8_000, "near", None),
        (10_000, "near", None),
        (10_001, "reached", date(2026, 12, 5)),
    ],
)
def test_more_than_the_threshold_is_reported(dollars: int, standing: str, file_by: date | None) -> None:
    """More than $10,000, within 15 days; $10,000 is not more."""
    [found] = currency_totals(LAW, "ctr", [paid(dollars)])
    assert (standing, file_by, 10_000_00) == (found.standing, found.file_by, found.held.threshold_cents)


def test_a_cent_above_is_more() -> None:
    """$10,000.01."""
    [found] = currency_totals(LAW, "ctr", [paid(10_000)._replace(cents=10_000_01)])
    assert "reached" == found.standing


def test_a_gaming_day_is_added_up_over_all_places() -> None:
    """In and out apart, each person, each property and each gaming day for itself."""
    movements = [
        paid(6_000),
        paid(5_000, minutes=5, **AT_TABLE),
        paid(9_000, minutes=6, direction="out"),
        paid(9_000, minutes=7, patron="p-2"),
        paid(9_000, minutes=8, property="lakeside"),
        paid(9_000, day=1),
    ]
    found = currency_totals(LAW, "ctr", movements)
    assert [(11_000_00, "reached")] + [(9_000_00, "near")] * 4 == [(one.cents, one.standing) for one in found]
    assert found == currency_totals(LAW, "ctr", reversed(movements))
    assert [(6_000_00, 0), (11_000_00, 0)] == [(entry.in_cents, entry.out_cents) for entry in found[0].entries]
    assert [(11_000_00, 9_000_00)] == [(entry.in_cents, entry.out_cents) for entry in found[1].entries]


def test_nobody_known_is_added_to_nobody() -> None:
    """Each such movement stands alone, with its own running total."""
    found = currency_totals(LAW, "ctr", [paid(9_000, patron=None, minutes=n) for n in range(2)])
    assert [(9_000_00, 9_000_00)] * 2 == [(one.cents, one.entries[0].in_cents) for one in found]


def test_the_warning_is_the_property_s_own() -> None:
    """A share of the threshold, four fifths unless it says otherwise."""
    [found] = currency_totals(LAW, "ctr", [paid(5_000)], warning_share=Fraction(1, 2))
    assert "near" == found.standing


def test_the_log_has_every_movement_of_who_reached_its_threshold() -> None:
    """Each department its own, with the running totals over all of them; who stayed below is not in it."""
    movements = [paid(2_000), paid(1_500, minutes=3, **AT_TABLE), paid(3_000, minutes=4, patron="p-2")]
    logs = department_logs(currency_totals(LAW, "mtl", movements))
    assert {"account": [], "cage": [(2_000_00, 2_000_00)], "table": [(1_500_00, 3_500_00)]} == {
        name: [(entry.movement.cents, entry.in_cents) for entry in entries] for name, entries in logs.items()
    }


def test_instruments_are_listed_apart() -> None:
    """Each alone, from $3,000 on; they are no currency."""
    checks = [paid(dollars, minutes=dollars, medium="instrument") for dollars in (2_999, 3_000)]
    assert ["near", "reached"] == [one.standing for one in currency_totals(LAW, "instruments", [*checks, paid(9_000)])]
    assert () == currency_totals(LAW, "ctr", checks)


def test_a_change_of_law_is_data() -> None:
    """A made-up threshold, at which a report is due, from a day on."""
    amounts = [dated(1_000_000), dated(500_000, "2026-11-21")]
    law = changed(LAW, {"currency_reports.ctr.threshold_cents": amounts, "currency_reports.ctr.reached": "at"})
    found = currency_totals(law, "ctr", [paid(5_000), paid(5_000, day=1)])
    assert [(DAY, "below"), (date(2026, 11, 21), "reached")] == [(one.held.gaming_day, one.standing) for one in found]


def test_a_report_says_by_which_law() -> None:
    """The form, the threshold, what is added up, and the days to file."""
    [found] = currency_totals(LAW, "ctr", [paid(10_001)])
    assert {
        "forms.fincen_112": "Currency Transaction Report (CTR) (FinCEN 112), for each event",
        "currency_reports.ctr.threshold_cents": "1000000",
        "currency_reports.ctr.together": "gaming_day_in_and_out_apart",
        "currency_reports.ctr.file_within_days": "15",
    } == {one.place: one.value for one in found.applied}


@pytest.mark.parametrize("cents", [0, -100])
def test_a_movement_moves_something(cents: int) -> None:
    """What went back is a movement in the other direction."""
    with pytest.raises(ValueError, match="moved nothing; give what moved, and its direction"):
        currency_totals(LAW, "ctr", [paid(1)._replace(cents=cents)])


def for_another(dollars: int, conductor: str, *others: str, minutes: int = 0, **changes: Any) -> list[CashMovement]:
    """What somebody moved for others, as it counts for each of them."""
    said = {"conductor": conductor, "on_behalf_of": others, "reference": f"{conductor} {minutes}"} | changes
    return [paid(dollars, minutes=minutes, patron=one, **said) for one in (conductor, *others)]


def test_what_is_moved_for_another_counts_for_both() -> None:
    """For whoever conducts it, and for each person on whose behalf, in whole (31 CFR § 1021.313)."""
    movements = [*for_another(6_000, "p-1", "p-2", "p-3"), paid(5_000, minutes=1, patron="p-2")]
    found = currency_totals(LAW, "ctr", movements)
    assert {"p-1": (6_000_00, 1, "below"), "p-2": (11_000_00, 2, "reached"), "p-3": (6_000_00, 1, "below")} == {
        str(one.first.patron): (one.cents, len(one.entries), one.standing) for one in found
    }
    assert found == currency_totals(LAW, "ctr", reversed(movements))


@pytest.mark.parametrize(
    ("movements", "expected"),
    [
        (for_another(11_000, "p-1", "p-2"), {"p-1": "p-2"}),
        (for_another(11_000, "p-9", "p-8", "p-7"), {"p-8": "p-7", "p-9": "p-7"}),
        ([*for_another(11_000, "p-1", "p-2"), paid(1_000, minutes=1)], {"p-2": "p-1"}),
        ([*for_another(6_000, "p-1", "p-2"), *for_another(6_000, "p-1", "p-3", minutes=1)], {}),
        (
            [
                *for_another(6_000, "p-1", "p-2"),
                *for_another(6_000, "p-1", "p-3", minutes=1),
                *for_another(6_000, "p-4", "p-2", minutes=2),
            ],
            {},
        ),
        ([*for_another(11_000, "p-1", "p-2"), paid(11_000, patron="p-2", direction="out", minutes=1)], {"p-1": "p-2"}),
        ([paid(11_000, reference="a"), paid(11_000, reference="b", patron="p-2")], {}),
    ],
)
def test_a_report_that_has_all_of_another_stands_for_it(
    movements: list[CashMovement], expected: dict[str, str]
) -> None:
    """The one with more, or that of the person for whom it was; two that share a part are two reports."""
    whole = reported_with(currency_totals(LAW, "ctr", movements))
    assert {("riverside", who, DAY): by for who, by in expected.items()} == whole


def test_a_log_names_what_was_moved_for_another_under_each_person() -> None:
    """As the running totals of both go on from it."""
    logs = department_logs(currency_totals(LAW, "mtl", for_another(4_000, "p-1", "p-2")))
    assert [("p-1", 4_000_00), ("p-2", 4_000_00)] == [(one.movement.patron, one.in_cents) for one in logs["cage"]]
