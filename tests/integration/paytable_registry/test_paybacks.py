"""The gate over HTTP: what a version pays back, and approvals that need an override."""

from shared.contracts.facts import KINDS
from tests.integration.paytable_registry.test_submissions import NOON
from tests.support.asgi import assert_problem
from tests.support.registry import Registry, blackjack

MATCH = "match_the_dealer"


def test_an_approval_needs_an_override_where_the_figures_differ(registry: Registry) -> None:
    """Refused with the findings; approved with a reason, by somebody else, and the entry says all of it."""
    registry.file(stated_paybacks={MATCH: "95"})
    refused = registry.approve()
    assert_problem(refused, 422, "match_the_dealer pays back 95.9382%, the licensee states 95%")
    assert "urn:pitledger:problem:override-needed" == refused.json()["type"]
    assert [f"/paybacks/{MATCH}"] == [one["pointer"] for one in refused.json()["problems"]]
    assert_problem(registry.approve(override="rounded by hand", person="ann"), 403, "ann filed version 1")

    approved = registry.approve(override="rounded by hand")
    found = {"wager": MATCH, "problem": "differs", "payback": "95.9382", "against": "95"}
    passed_over = {"reason": "rounded by hand", "findings": [found]}
    assert (200, passed_over) == (approved.status_code, approved.json()["overridden"])
    assert passed_over == registry.read("/1").json()["overridden"]
    [entry] = [one for one in registry.entries() if one.draft.kind == "submission.approved"]
    fact = KINDS[entry.draft.kind].model.model_validate_json(entry.draft.data)
    assert passed_over == fact.model_dump(mode="json")["overridden"]


def test_an_override_of_nothing_is_refused(registry: Registry) -> None:
    """Who gives a reason has seen something: there must be something to see."""
    registry.file()
    assert_problem(registry.approve(override="to be sure"), 422, "nothing to override")
    approved = registry.approve()
    assert (200, None) == (approved.status_code, approved.json().get("overridden"))


def test_what_is_not_offered_is_not_stated(registry: Registry) -> None:
    """It is found when the version is filed, with what may be stated."""
    answer = registry.file(stated_paybacks={"royal_match_21": "95"})
    assert_problem(answer, 422, "'royal_match_21' is not offered; there are: blackjack, insurance, match_the_dealer")


def test_the_floor_is_that_of_the_property_when_the_version_takes_effect(registry: Registry) -> None:
    """Another property with a floor: what is below it needs a reason."""
    registry.open("lakeside", payback_floors=[{"payback": "97", "wager": MATCH}])
    registry.file(property="lakeside")
    path = "/submissions/lakeside/blackjack/1"
    refused = registry.send(f"{path}/approve", person="bob")
    assert_problem(refused, 422, "match_the_dealer pays back 95.9382%, the property's floor is 97%")
    [floor] = [one for one in registry.get(f"{path}/paybacks").json()["wagers"] if one["wager"] == MATCH]
    assert ("97", "below_floor") == (floor["floor"], floor["findings"][0]["problem"])


def test_paybacks_are_read_with_readings_of_meters(registry: Registry) -> None:
    """Of a draft with its own paytable too; exact fractions beside percents; a reading of no meter is refused."""
    meter = {"rate": "0.2", "reset": 500_000}
    selected = {"decks": 6, "wagers": {"hit_and_run_progressive": {"meter": meter}}}
    registry.send("/submissions/drafts", {**blackjack(NOON), "submission": selected})
    at_reset, later = (
        registry.read(f"/1/paybacks{query}").json() for query in ("", "?meter=hit_and_run_progressive%3D5000000")
    )
    figures = [
        {one["wager"]: float(one.get("payback", 0)) for one in found["wagers"]}["hit_and_run_progressive"]
        for found in (at_reset, later)
    ]
    assert figures[0] < figures[1]
    [play] = [one for one in later["counted"] if one["wager"] == "hit_and_run_progressive"]
    assert round(100 * play["payback"]["numerator"] / play["payback"]["denominator"], 4) == figures[1]
    assert_problem(registry.read("/1/paybacks?meter=blackjack%3D5"), 422, "no meter of 'blackjack' is counted")
    assert_problem(registry.read("/1/paybacks?meter=blackjack"), 422, "give WAGER=CENTS")
    assert 404 == registry.read("/9/paybacks").status_code
