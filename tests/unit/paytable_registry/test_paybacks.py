"""What a version pays back beside what is stated, and what of that needs an override."""

from typing import Any

import pytest

from services.paytable_registry.domain.paybacks import ComparedPayback, compared, counted, overridden
from shared.contracts.properties import PropertyDocument
from shared.contracts.rejection import Reason, Rejected
from shared.contracts.submissions import RulesSubmission
from tests.support.properties import document
from tests.unit.paytable_registry.test_submissions import wanted

MATCH = "match_the_dealer"


def of(version: RulesSubmission, *floors: dict[str, Any]) -> dict[str, ComparedPayback]:
    """What is found of each wager, at a property with these floors."""
    place = PropertyDocument.model_validate(document("riverbend", {"BJ-01": "blackjack"}, payback_floors=list(floors)))
    return {one.wager: one for one in compared(version, counted(version), place)}


def problems(one: ComparedPayback) -> list[tuple[str, str, str]]:
    """Each finding with the two figures."""
    return [(finding.problem, finding.payback, finding.against) for finding in one.findings]


@pytest.mark.parametrize(
    ("stated", "found"),
    [
        ("95.9382", []),
        ("95.94", []),
        ("96", []),
        ("95.93", [("differs", "95.9382", "95.93")]),
        ("95.9", []),
        ("95", [("differs", "95.9382", "95")]),
    ],
)
def test_what_is_stated_is_compared_to_its_own_digits(stated: str, found: list[Any]) -> None:
    """Six decks of Match the Dealer pay back 95.9382%; whoever states fewer digits may have rounded."""
    one = of(wanted(stated_paybacks={MATCH: stated}))[MATCH]
    assert ("95.9382", "exactly", stated) == (one.payback, one.counted, one.stated)
    assert found == problems(one)


def test_what_is_counted_by_a_model_may_be_off_by_the_error_of_the_model() -> None:
    """Blackjack is 99.8017% on the stated shoe; from real shoes it may be 0.02% more or less."""
    stated = {"99.82": [], "99.79": [], "99.83": ["differs"], "99.77": ["differs"]}
    for percent, found in stated.items():
        one = of(wanted(stated_paybacks={"blackjack": percent}))["blackjack"]
        assert ("by_model", "0.0200") == (one.counted, one.error)
        assert found == [finding.problem for finding in one.findings]


def test_more_than_is_wagered_is_found() -> None:
    """Blackjack Switch by the text, and Rhode Island's printed 2 to 1."""
    switch = of(wanted(submission={"decks": 6, "options": {"resplits": 2, "switch": True}}))["blackjack"]
    assert [("above_all", "101.5521", "100")] == problems(switch)
    printed = {"regulation": "ri-pai-gow", "submission": {"options": {"house_way": "standard"}}}
    [(problem, percent, _)] = problems(of(wanted(**printed))["pai_gow_poker"])
    assert ("above_all", "124.6") == (problem, percent[:5])


def test_the_floor_that_names_most_holds() -> None:
    """Of all wagers, of a game, of a wager, of a wager in a game."""
    floors: list[dict[str, Any]] = [
        {"payback": "99"},
        {"payback": "98", "game": "blackjack"},
        {"payback": "96", "wager": MATCH},
        {"payback": "95", "game": "blackjack", "wager": MATCH},
    ]
    expected = [("99", ["below_floor"]), ("98", ["below_floor"]), ("96", ["below_floor"]), ("95", [])]
    for number, (floor, found) in enumerate(expected, 1):
        one = of(wanted(), *floors[:number])[MATCH]
        assert (floor, found) == (one.floor, [finding.problem for finding in one.findings])
    assert of(wanted(), {"payback": "99", "game": "dj-wild"})[MATCH].floor is None


def test_a_meter_is_judged_at_its_reset_and_over_the_long_run() -> None:
    """What is stated is held against the payback at the reset, the floor against the long run."""
    wager, meter = "hit_and_run_progressive", {"rate": "0.2", "reset": 500_000}
    version = wanted(submission={"decks": 6, "wagers": {wager: {"meter": meter}}}, stated_paybacks={wager: "1"})
    one = of(version, {"payback": "99.9", "wager": wager})[wager]
    assert one.payback is not None
    assert one.long_run is not None
    assert float(one.payback) != float(one.long_run)
    assert [("differs", one.payback, "1"), ("below_floor", one.long_run, "99.9")] == problems(one)


def test_what_is_counted_with_another_wager_is_shown_with_the_reason() -> None:
    """A wager that is added by decisions has no payback of its own, whatever is stated of it."""
    version = wanted(regulation="pa-687a", submission={}, stated_paybacks={"raise": "99"})
    one = of(version)["raise"]
    assert ("99", None, []) == (one.stated, one.payback, one.findings)
    assert one.reason is not None


def test_an_override_is_for_what_was_found() -> None:
    """Without a reason it is refused with all findings; a reason for nothing is refused too."""
    found = list(of(wanted(stated_paybacks={MATCH: "95", "insurance": "99"})).values())
    with pytest.raises(Rejected, match=r"match_the_dealer pays back 95\.9382%, the licensee states 95%") as rejected:
        overridden(found, None)
    assert Reason.OVERRIDE_NEEDED is rejected.value.reason
    assert {"/paybacks/match_the_dealer", "/paybacks/insurance"} == {one.pointer for one in rejected.value.findings}
    passed_over = overridden(found, "rounded by hand")
    assert passed_over is not None
    assert ("rounded by hand", 2) == (passed_over.reason, len(passed_over.findings))

    fine = list(of(wanted()).values())
    assert overridden(fine, None) is None
    with pytest.raises(Rejected, match="nothing to override"):
        overridden(fine, "to be sure")
